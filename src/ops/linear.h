#pragma once

#include "ops/activation_kind.h"
#include "tensor/tensor.h"

namespace jogak {

// times act(x W^T + b): x [.., in], weight [out, in], bias [out] or undefined. Sums are f32 (f64
// for f64) in the order of gemm.h. The weight may be bf16 or packed under x in f32: it is read
// only, and asking for its gradient is an error. Only what backward needs is kept: with an
// activation the values before it.
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias = Tensor(),
              Activation activation = Activation::none, double times = 1);

// onto + x W^T + b in one pass: a branch joins the stream. `onto` has the shape and type of the
// result; f32 and f64 are the same numbers as linear and an addition, 16 bits are rounded once.
Tensor linear_onto(const Tensor& onto, const Tensor& x, const Tensor& weight,
                   const Tensor& bias = Tensor());

// swiglu_packed(linear(x, weight, bias)), weight [2 inner, in]: the same numbers, and where nothing
// learns a GPU makes those of a few rows in one pass.
Tensor linear_swiglu(const Tensor& x, const Tensor& weight, const Tensor& bias = Tensor());

// Whether weights are kept in bf16 or in small integers under values in f32.
inline bool has_short_weight(const Tensor& x, const Tensor& weight) {
  return x.dtype() == DType::f32 &&
         (weight.dtype() == DType::bf16 || weight.dtype() == DType::packed);
}

}  // namespace jogak
