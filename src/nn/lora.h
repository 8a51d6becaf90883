// Low-rank adapters: a frozen layer y = W x gains scale * B (A x), and only A [rank, in] and
// B [out, rank] learn. B starts at zero, so that nothing changes before the first step.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/tensor.h"

namespace jogak {

struct LoraConfig {
  int64_t rank = 0;                  // 0: no adapters
  double alpha = 0;                  // scale = alpha / rank
  bool root = false;                 // scale = alpha / sqrt(rank)
  std::vector<std::string> targets;  // names of layers: "q_proj", or their end: "self.query"
  std::vector<std::string> whole;    // layers that learn as they are: "classifier"
  uint64_t seed = 0;                 // of A

  double scale() const;
  bool adapts(std::string_view layer) const { return is_named(layer, targets); }
  bool trains_whole(std::string_view layer) const { return is_named(layer, whole); }
  // Whether a layer's full name is one of `names` or ends in ".name".
  static bool is_named(std::string_view layer, const std::vector<std::string>& names);
};

// The adapters of one linear layer: one, or one for each adapted part of a joined layer.
struct Lora {
  struct Part {
    int64_t first = 0, rows = 0;  // of the layer's outputs
    Tensor a, b;
  };
  std::vector<Part> parts;
  int64_t out = 0;  // of the whole layer
  double scale = 1;

  bool empty() const { return parts.empty(); }
  Tensor apply(const Tensor& x) const;     // [.., out]
  void merge_into(const Tensor& w) const;  // W += scale B A, in place
};

}  // namespace jogak
