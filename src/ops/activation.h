// Elementwise activations. Each computes in float (double for f64) and rounds once.
#pragma once

#include "ops/activation_kind.h"
#include "tensor/tensor.h"

namespace jogak {

Tensor relu(const Tensor& x);       // max(x, 0); the slope at 0 is 0, NaN stays NaN
Tensor gelu(const Tensor& x);       // x Phi(x), Phi by the error function
Tensor gelu_tanh(const Tensor& x);  // x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), as GPT-2
Tensor silu(const Tensor& x);       // x / (1 + exp(-x))
Tensor tanh(const Tensor& x);

Tensor activate(const Tensor& x, Activation kind);  // x itself for none

}  // namespace jogak
