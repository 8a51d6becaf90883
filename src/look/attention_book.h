// Attention of one pass, kept to be looked at bit by bit. What attention was given is kept, not
// what it made of it: the weights of one head come again, to the bit, from its queries and keys,
// which are a hundredth as large.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nn/probe.h"
#include "ops/attention.h"

namespace jogak {

// One head's weights [queries, keys] of one text.
struct HeadWeights {
  explicit HeadWeights(const Tensor& weights);  // [queries, keys], dense, f32
  Tensor owner;                                 // keeps the values
  const float* values;
  int64_t queries, keys;
  float at(int64_t query, int64_t key) const { return values[query * keys + key]; }
};

// The name that people give to what transformers calls "attentions", "cross_attentions", ..: self,
// encoder, cross, series.
std::string attention_kind(std::string_view name);

class AttentionBook : public Probe {
 public:
  Tensor pass(const ProbeStep& step, const Tensor& in, const Tensor& out) override;
  void attend(const ProbeStep& step, AttentionOptions& options) override;

  struct Given {
    std::string kind = {};
    int64_t layer = 0;
    Tensor q = {}, k = {};  // [B, T, heads or key heads, width]
    AttentionOptions options = {};

    int64_t heads() const { return q.dim(2); }
    int64_t queries() const { return q.dim(1); }
    int64_t keys() const { return k.dim(1); }
    HeadWeights head(int64_t row, int64_t head) const;
  };
  std::vector<Given> given;  // as the pass came to them

  size_t bytes() const;  // that the tensors take

 private:
  Tensor q_, k_;
};

// softmax over the keys of cap((q·k) * scale) + bias, masked: every number of one weight.
struct CellMath {
  std::vector<double> q, k;
  double dot = 0, scale = 0, cap = 0, bias = 0, score = 0;  // cap 0: none
  bool masked = false;
  double most = 0, sum = 0;  // over the row: the largest score, and the sum of exp(score - most)
  double weight = 0;         // exp(score - most) / sum, in double precision
};
CellMath cell_math(const AttentionBook::Given& given, int64_t row, int64_t head, int64_t query,
                   int64_t key);

}  // namespace jogak
