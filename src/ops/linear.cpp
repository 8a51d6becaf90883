#include "ops/linear.h"

#include "autograd/autograd.h"
#include "autograd/profile.h"
#include "ops/gemm_weight.h"
#include "ops/linear_kernel.h"
#include "ops/linear_watch.h"
#include "ops/mul.h"
#include "ops/swiglu.h"

namespace jogak {
namespace {

Gemm product(const Tensor& c, int64_t m, int64_t n, int64_t k) {
  return {.dtype = c.dtype(), .m = m, .n = n, .k = k, .c = c.raw(), .c_row = n};
}

// Of a packed weight all of its storage.
size_t bytes_of(const Tensor& w) {
  return w.dtype() == DType::packed ? w.storage()->bytes() : w.bytes();
}

void* raw_or_null(const Tensor& x) { return x.defined() ? x.raw() : nullptr; }

struct After {  // what becomes of the product's sums
  Activation activation = Activation::none;
  double times = 1;
  Tensor onto = {};

  bool changes() const { return activation != Activation::none || times != 1; }
};

void forward(const Tensor& x, const Tensor& w, const Tensor& bias, const After& after,
             const Tensor& z, const Tensor& y) {
  const int64_t rows = x.rows(), in = w.dim(1), out = w.dim(0);
  Gemm g = product(z, rows, out, in);  // z [rows, out] = x [rows, in] W^T
  g.a = x.raw(), g.a_row = in;
  count_work(2.0 * static_cast<double>(rows) * static_cast<double>(w.count()),
             static_cast<double>(bytes_of(w) + (bias.defined() ? bias.bytes() : 0)));
  set_weight(g, w, 1, in);
  const Tensor onto = after.onto.defined() ? dense(after.onto) : Tensor();
  const bool scaled = after.times != 1, within = x.device().kind() != Device::Kind::cuda;
  launch(x.device(), LinearArgs{.product = g,
                                .activation = after.activation,
                                .bias = raw_or_null(bias),
                                .after = raw_or_null(y),
                                .onto = raw_or_null(onto),
                                .times = within ? after.times : 1});
  if (scaled && !within) scale_in_place(y, after.times);
}

void backward_input(const Tensor& dz, const Tensor& w, const Tensor& dx) {
  const int64_t in = w.dim(1), out = w.dim(0);
  Gemm g = product(dx, dz.rows(), in, out);  // dx [rows, in] = dz [rows, out] W
  g.a = dz.raw(), g.a_row = out;
  set_weight(g, w, in, 1);
  launch(dz.device(), g);
}

void backward_weight(const Tensor& dz, const Tensor& x, const Tensor& dw) {
  const int64_t in = dw.dim(1), out = dw.dim(0);
  Gemm g = product(dw, out, in, dz.rows());  // dW [out, in] = dz^T [out, rows] x
  g.a = dz.raw(), g.a_row = 1, g.a_col = out;
  g.b = x.raw(), g.b_row = in;
  launch(dz.device(), g);
}

// dz and the bias gradient in one pass; dz is dy itself when there is no activation.
Tensor backward_activation(const Tensor& dy, const Tensor& z, Activation act, const Tensor& dbias) {
  const Tensor dz = act == Activation::none ? dy : empty_like(dy);
  if (act == Activation::none && !dbias.defined()) return dz;
  launch(dy.device(), LinearBackwardArgs{.dtype = dy.dtype(),
                                         .activation = act,
                                         .z = raw_or_null(z),
                                         .dy = dy.raw(),
                                         .dz = act == Activation::none ? nullptr : dz.raw(),
                                         .dbias = raw_or_null(dbias),
                                         .rows = dy.rows(),
                                         .cols = dy.dim(-1)});
  return dz;
}

void check(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  ensure<ShapeError>(weight.rank() == 2, "linear: weight has shape ", weight.shape(),
                     ", wanted [out, in]");
  ensure<ShapeError>(x.rank() >= 1 && x.dim(-1) == weight.dim(1), "linear: x ", x.shape(),
                     " and weight ", weight.shape(), " differ in their last axis");
  ensure<ShapeError>(x.dtype() == weight.dtype() || has_short_weight(x, weight), "linear: x is ",
                     x.dtype(), ", weight is ", weight.dtype());
  ensure_together("linear", {&x, &weight, &bias});
  if (!bias.defined()) return;
  ensure<ShapeError>(bias.shape() == Shape{weight.dim(0)} && bias.dtype() == x.dtype(),
                     "linear: bias is ", bias.dtype(), " ", bias.shape(), ", wanted ", x.dtype(),
                     " [", weight.dim(0), "]");
}

// Both forms of the layer; without `onto` its gradient is nobody's.
Tensor layer(const char* op, const Tensor& in, const Tensor& weight, const Tensor& bias,
             const After& after) {
  check(in, weight, bias);
  show_linear(in, weight);
  const Tensor x = dense(in), w = dense(weight), b = bias.defined() ? dense(bias) : bias;
  const Tensor z = empty(in.shape().with(-1, weight.dim(0)), x.dtype(), x.device());
  const bool want_x = needs_grad(in), want_w = needs_grad(weight), want_b = needs_grad(bias);
  // x is kept only for dW, the values before the activation only where there is one and a gradient.
  const bool in_place = !want_x && !want_w && !want_b;
  const Tensor y = !after.changes() ? Tensor() : in_place ? z : empty_like(z);
  forward(x, w, b, after, z, y);
  return record(op, y.defined() ? y : z, {in, weight, bias, after.onto},
                [=, act = after.activation, times = after.times, joins = after.onto.defined(),
                 x = Saved(want_w ? x : Tensor()), w = Saved(w),
                 z = Saved(y.defined() ? z : Tensor())](const Tensor& dy_in) {
                  const Tensor dy = times == 1 ? dense(dy_in) : dy_in * times, &weights = w.get();
                  Grads grads(4);
                  if (joins) grads[3] = dy;
                  if (want_b) grads[2] = empty({weights.dim(0)}, dy.dtype(), dy.device());
                  const Tensor dz = backward_activation(dy, z.get(), act, grads[2]);
                  if (want_x) {
                    grads[0] = empty(dy.shape().with(-1, weights.dim(1)), dy.dtype(), dy.device());
                    backward_input(dz, weights, grads[0]);
                  }
                  if (want_w) {
                    ensure<Error>(!has_short_weight(dz, weights), "linear: weights in ",
                                  weights.dtype(), " are not trained; open them in f32");
                    grads[1] = empty_like(weights);
                    backward_weight(dz, x.get(), grads[1]);
                  }
                  return grads;
                });
}

// Of a few rows on a GPU: [.., inner].
Tensor gated_rows(const Tensor& in, const Tensor& weight, const Tensor& bias) {
  check(in, weight, bias);
  const Tensor x = dense(in), w = dense(weight), b = bias.defined() ? dense(bias) : bias;
  const Tensor both = empty(in.shape().with(-1, w.dim(0)), x.dtype(), x.device());
  const Tensor y = empty(in.shape().with(-1, w.dim(0) / 2), x.dtype(), x.device());
  Gemm g = product(both, x.rows(), w.dim(0), w.dim(1));
  g.a = x.raw(), g.a_row = w.dim(1);
  count_work(2.0 * static_cast<double>(x.rows()) * static_cast<double>(w.count()),
             static_cast<double>(w.bytes()));
  set_weight(g, w, 1, w.dim(1));
  launch(x.device(), LinearArgs{.product = g,
                                .activation = Activation::none,
                                .bias = raw_or_null(b),
                                .after = y.raw(),
                                .halves = true});
  return record_constant("linear_swiglu", y, {in, weight, bias});
}

}  // namespace

Tensor linear_swiglu(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  constexpr int64_t kFew = 8;  // rows, where starting a kernel counts
  const bool learns = needs_grad(x) || needs_grad(weight) || needs_grad(bias);
  if (learns || x.device().kind() != Device::Kind::cuda || x.rows() > kFew || weight.rank() != 2 ||
      weight.dim(0) % 2 != 0)
    return swiglu_packed(linear(x, weight, bias));
  return gated_rows(x, weight, bias);
}

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias, Activation activation,
              double times) {
  return layer("linear", x, weight, bias, {activation, times});
}

Tensor linear_onto(const Tensor& onto, const Tensor& x, const Tensor& weight, const Tensor& bias) {
  ensure<ShapeError>(onto.defined() && x.rank() >= 1 && weight.rank() == 2 &&
                         onto.shape() == x.shape().with(-1, weight.dim(0)) &&
                         onto.dtype() == x.dtype(),
                     "linear_onto: x ", x.shape(), " and weight ", weight.shape(),
                     " do not make what they are added to");
  ensure_together("linear_onto", {&x, &onto});
  return layer("linear_onto", x, weight, bias, {.onto = onto});
}

}  // namespace jogak
