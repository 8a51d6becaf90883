// DeBERTa's attention: beside what a token is, where it stands has queries and keys of its own. A
// score is the sum of what token and token, token and distance, distance and token say.
#pragma once

#include <optional>

#include "nn/attention.h"

namespace jogak {

// How far a key stands before the query, as a row of the table of distances.
struct RelativePlaces {
  int64_t buckets = 0;   // near distances one by one, far ones together; 0: all one by one
  int64_t farthest = 0;  // distances beyond it count as it
  int64_t span() const { return buckets > 0 ? buckets : farthest; }
  int64_t rows() const { return 2 * span(); }
  int64_t row(int64_t distance) const;  // of place(query) - place(key)
};

struct DisentangledConfig {
  AttentionShape shape;
  bool from_tokens = false;     // a token's query meets the distance's key ("c2p")
  bool from_distances = false;  // a distance's query meets the token's key ("p2c")
  bool shared = false;          // distances go through the tokens' projections
  RelativePlaces places;
  double init = 0.02;

  double scale() const;  // of each of the sums
};

struct DisentangledAttention {
  DisentangledConfig config;
  Linear query_proj, key_proj, value_proj, out;
  std::optional<Linear> pos_key_proj, pos_query_proj;
  DisentangledAttention(Params self, Params out_path, const DisentangledConfig& c);
  // `distances` [rows, C], undefined where none are looked at; `mask` as AttentionMask::keys, and
  // padding looks at everything alike. [B, T, C] -> [B, T, C]
  Tensor operator()(const Tensor& x, const Tensor& distances, const Tensor& mask,
                    LayerRun run) const;

 private:
  Tensor scores(const Tensor& q, const Tensor& k, const Tensor& distances, double scale) const;
};

}  // namespace jogak
