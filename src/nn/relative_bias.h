// Relative positions as T5 has them: a learned number for each head and kind of distance, added to
// the scores. Near distances are a kind each; farther ones share a bucket with their neighbours.
#pragma once

#include "nn/params.h"
#include "nn/run.h"

namespace jogak {

struct DistanceBuckets {
  int64_t count = 32;
  int64_t farthest = 128;  // from here on all distances are one
  bool both_ways = true;   // half of the buckets are for keys behind the query

  // Of a key that stands `distance` behind the query, before it where negative: 0 .. count - 1.
  int64_t bucket(int64_t distance) const;
};

struct RelativeBias {
  std::string path;
  Tensor weight;  // [buckets, heads]
  DistanceBuckets buckets;
  RelativeBias(Params p, int64_t heads, const DistanceBuckets& rule, Init init);
  // As AttentionMask::distances takes it for `ids` [B, T] to look at each other: [heads, 2 T - 1];
  // over a cache [heads, longest]. A probe sees it as "relative".
  Tensor operator()(const Tensor& ids, LayerRun run) const;
};

}  // namespace jogak
