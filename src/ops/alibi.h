#pragma once

#include <cstdint>
#include <vector>

#include "tensor/tensor.h"

namespace jogak {

// One slope a head: 2^(-8/n), 2^(-16/n), .. for n heads, n a power of two; further heads take
// every other slope of the next power.
std::vector<float> alibi_slopes(int64_t heads);

// Attention with linear biases: what head h adds to its scores for the key at place t,
// slopes[h] * place, as AttentionOptions::key_bias takes it. Softmax ignores a number that is
// added to a whole row, so slope * place is as good as -slope * distance.
struct AlibiOptions {
  Tensor key_mask = {};  // bool [B, T]: places count the real keys alone, a masked key has place 0
  double divisor = 1;
  bool in_bf16 = false;  // slope, place and product are rounded to bf16, as Falcon has them
};

// slopes [H] -> f32 [B or 1, H, T]; without a gradient.
Tensor alibi(const Tensor& slopes, int64_t length, const AlibiOptions& options = {});

}  // namespace jogak
