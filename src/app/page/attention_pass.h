// The attention of one pass, as the page looks at it: a grid of all heads at once, then one head
// tile by tile, one weight number by number.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "app/page/kept.h"
#include "app/page/pass_views.h"
#include "base/json.h"
#include "look/head_tiles.h"

namespace jogak {

inline constexpr int64_t kThumbnailSide = 64;

class AttentionPass {
 public:
  AttentionPass(const InspectSubject& subject, const PassQuestion& question);

  // {"model_type","tokens" or "source_tokens" and
  // "target_tokens","kinds":[{"kind","layers","heads",
  // "queries","keys","rows","row","causal","high":[[..]]}],"image","series"}
  Json json() const;
  size_t bytes() const;

  struct Head {
    std::string kind;
    int64_t layer = 0, head = 0;
  };
  // All heads of a kind, layer by layer, one after the other: one byte a dot, each picture of the
  // same size. UsageError for a kind there is not.
  Tile thumbnails(const std::string& kind) const;
  Tile tile(const Head& head, const TilePlace& place) const;
  // {"links":[[query,key,weight]]}, the strongest first.
  Json links(const Head& head, int64_t count, int64_t query) const;
  // Every number of one weight, see CellMath.
  Json cell(const Head& head, int64_t query, int64_t key) const;
  // {"values":[..],"high"}: the weights of one query over all keys, or of all queries to one key.
  Json line(const Head& head, int64_t query, int64_t key) const;

 private:
  struct Kind {
    std::string name = {};
    std::vector<size_t> given = {};  // by layer: which of the book's
    int64_t heads = 0, queries = 0, keys = 0;
    int64_t rows = 1, row = 0;  // looked at one by one: series, or patches; which this pass shows
    bool causal = false;
    std::vector<float> high = {};  // of each head, layer by layer
    Tile thumbnails = {};          // one after the other
  };
  const Kind& kind(const std::string& name) const;
  const AttentionBook::Given& given(const Head& head) const;
  std::shared_ptr<const HeadWeights> weights(const Head& head) const;
  float high(const Head& head) const;
  void measure(Kind& kind, const std::atomic<bool>* stop) const;

  AttentionBook book_;
  std::vector<Kind> kinds_;
  Json facts_ = Json::object();
  // Of the heads that were looked at last: tiles of one are asked for one after the other.
  mutable Kept<HeadWeights> lately_{size_t{16} << 20, 4};
};

}  // namespace jogak
