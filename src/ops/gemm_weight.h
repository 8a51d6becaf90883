// Weights of a layer as an operand of a product.
#pragma once

#include "ops/gemm.h"
#include "tensor/tensor.h"

namespace jogak {

// Makes a weight [out, in] the product's B, transposed as b_row and b_col say.
inline void set_weight(Gemm& g, const Tensor& weight, int64_t b_row, int64_t b_col) {
  g.b = weight.raw(), g.b_row = b_row, g.b_col = b_col;
  g.b_bf16 = g.dtype == DType::f32 && weight.dtype() == DType::bf16;
  g.b_packed = weight.dtype() == DType::packed;
}

}  // namespace jogak
