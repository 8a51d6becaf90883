// Attention of one pass, kept to be looked at bit by bit: small pictures of every head, tiles of
// one, the strongest links, and how one weight came about.
#pragma once

#include <cstdint>
#include <vector>

#include "look/recorder.h"
#include "ops/attention.h"

namespace jogak {

// Records what attention was given beside what it made of it.
class AttentionBook : public Recorder {
 public:
  AttentionBook() : Recorder({.attention = true}) {}
  void see(std::string_view name, int64_t layer, const Tensor& value) override;
  Tensor pass(const ProbeStep& step, const Tensor& in, const Tensor& out) override;
  void attend(const ProbeStep& step, AttentionOptions& options) override;

  struct Given {
    Tensor q, k;  // [B, T, heads or key heads, width]
    AttentionOptions options;
  };
  std::vector<Given> given;  // one for each of `maps`

  const AttentionMap* find(std::string_view kind, int64_t layer) const;  // null: none
  const Given& given_to(const AttentionMap& map) const;
  size_t bytes() const;  // that the tensors take

 private:
  Given next_;
};

// One head's weights [queries, keys] of one text, in place.
struct HeadWeights {
  Tensor owner;  // keeps the values
  const float* values = nullptr;
  int64_t queries = 0, keys = 0;
  float at(int64_t query, int64_t key) const { return values[query * keys + key]; }
};
HeadWeights head_weights(const AttentionMap& map, int64_t row, int64_t head);

float largest(const HeadWeights& head);

// Weights as bytes: 255 * sqrt(weight / high), so that what is small can be seen beside what is
// large. A dot that stands for several weights is the largest of them.
struct Tile {
  int64_t width = 0, height = 0;
  std::vector<uint8_t> bytes = {};
};
uint8_t weight_byte(float weight, float high);
Tile thumbnail(const HeadWeights& head, int64_t side, float high);  // at most side x side

struct TilePlace {
  int64_t x = 0, y = 0;  // which tile: across (keys) and down (queries)
  int64_t zoom = 0;      // a dot is 2^zoom weights across and down
  int64_t side = 256;    // dots
};
Tile tile(const HeadWeights& head, const TilePlace& place, float high);  // empty beyond the edge

struct Link {
  int64_t query = 0, key = 0;
  float weight = 0;
};
// The strongest `count`, strongest first; of one query alone where `query` is not -1.
std::vector<Link> strongest(const HeadWeights& head, int64_t count, int64_t query = -1);

// softmax over the keys of (q·k) * scale + bias, masked: every number of one weight.
struct CellMath {
  std::vector<double> q, k;
  double dot = 0, scale = 0, bias = 0, score = 0;  // score = dot * scale + bias
  bool masked = false;
  double most = 0, sum = 0;  // over the row: the largest score, and the sum of exp(score - most)
  double weight = 0;         // exp(score - most) / sum, in double precision
  double kept = 0;           // as the model computed it
};
CellMath cell_math(const AttentionMap& map, const AttentionBook::Given& given, int64_t row,
                   int64_t head, const Link& cell);

}  // namespace jogak
