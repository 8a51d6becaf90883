// What layer_norm, rms_norm and their fused forms share. Sums are made in float (double for
// f64), row by row in an order that depends on the row's length alone; results are rounded once.
#pragma once

#include "autograd/autograd.h"

namespace jogak {

struct NormSettings {
  const char* op;
  bool centered;  // the mean is taken off: layer_norm
  double eps;
};

struct Normed {
  Tensor x;      // what was normalised, dense: x + residual, or x where there is none
  Tensor y;      // its norm
  Tensor stats;  // kept for backward; undefined when no gradient can be asked
};

// weight and bias may be undefined, and so may residual.
Normed normalise(const NormSettings& settings, const Tensor& x, const Tensor& residual,
                 const Tensor& weight, const Tensor& bias);

// Keeps x, weight and one or two numbers a row. Gives gradients of x, weight and bias; `also`
// (may be undefined) is added to that of x. What nobody asked for is not computed.
class NormBack {
 public:
  NormBack(bool centered, const Normed& n, bool want_x, const Tensor& weight, const Tensor& bias);
  Grads operator()(const Tensor& dy, const Tensor& also = Tensor()) const;

 private:
  bool centered_, want_x_, want_weight_, want_bias_;
  Saved x_, stats_, weight_;
};

}  // namespace jogak
