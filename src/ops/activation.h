// Elementwise activations. Each computes in float (double for f64) and rounds once.
#pragma once

#include "ops/activation_kind.h"
#include "tensor/tensor.h"

namespace jogak {

// relu       max(x, 0); the slope at 0 is 0, NaN stays NaN
// gelu       x Phi(x), Phi by the error function
// gelu_tanh  x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), as GPT-2
// silu       x / (1 + exp(-x))
// quick_gelu x / (1 + exp(-1.702 x)), as CLIP
// exp        of a number that is learnt as its logarithm
Tensor activate(const Tensor& x, Activation kind);  // x itself for none

inline Tensor relu(const Tensor& x) { return activate(x, Activation::relu); }
inline Tensor gelu(const Tensor& x) { return activate(x, Activation::gelu); }
inline Tensor gelu_tanh(const Tensor& x) { return activate(x, Activation::gelu_tanh); }
inline Tensor silu(const Tensor& x) { return activate(x, Activation::silu); }
inline Tensor tanh(const Tensor& x) { return activate(x, Activation::tanh); }

}  // namespace jogak
