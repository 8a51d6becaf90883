#include "ops/attention.h"

#include <algorithm>
#include <cmath>

#include "autograd/autograd.h"
#include "autograd/profile.h"
#include "ops/attention_kernel.h"
#include "ops/cast.h"
#include "ops/reshape.h"
#include "ops/sum_to.h"

namespace jogak {
namespace {

HeadsView view_of(const Tensor& x) {
  return {x.raw(), x.strides()[0], x.strides()[1], x.strides()[2]};
}

// A layout the kernel reads in place.
Tensor readable(const Tensor& x) {
  return x.strides()[3] == 1 || x.dim(3) == 1 ? x.detach() : dense(x);
}

AttentionArgs arguments(const Tensor& q, const Tensor& k, const AttentionOptions& o) {
  AttentionArgs g;
  g.dtype = q.dtype();
  g.batches = q.dim(0), g.queries = q.dim(1), g.heads = q.dim(2), g.width = q.dim(3);
  g.keys = k.dim(1), g.kv_heads = k.dim(2);
  g.q = view_of(q), g.k = view_of(k);
  g.key_mask = o.key_mask.defined() ? o.key_mask.data<bool>() : nullptr;
  if (o.key_bias.defined())
    g.bias = {o.key_bias.raw(), o.key_bias.dim(0) == 1 ? 0 : o.key_bias.strides()[0],
              o.key_bias.strides()[1], o.key_bias.dim(2)};
  if (o.distance_bias.defined())
    g.distances = {o.distance_bias.raw(), o.distance_bias.strides()[0], o.distance_bias.dim(1),
                   k.dim(1) - 1};
  g.causal = o.causal, g.window = o.window, g.cap = o.cap;
  g.scale = o.scale != 0 ? o.scale : 1 / std::sqrt(static_cast<double>(q.dim(3)));
  g.dropout = o.dropout, g.seed = o.seed, g.stream = o.stream;
  return g;
}

void check_distances(const Tensor& q, const Tensor& k, const AttentionOptions& o) {
  const Tensor& bias = o.distance_bias;
  if (!bias.defined()) return;
  const int64_t columns = q.dim(1) + k.dim(1) - 1;
  ensure<ShapeError>(bias.rank() == 2 && bias.dim(0) == q.dim(2) && bias.dim(1) == columns &&
                         is_float(bias.dtype()),
                     "attention: the bias by distance is ", bias.dtype(), " ", bias.shape(),
                     ", wanted floats [", q.dim(2), ", ", columns,
                     "]: a number for each head and each of so many distances");
  ensure<ShapeError>(o.cap == 0 && !o.key_bias.defined(),
                     "attention: a bias by distance goes with no cap and no key bias");
}

void check(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionOptions& o) {
  ensure<ShapeError>(q.rank() == 4 && k.rank() == 4 && v.rank() == 4,
                     "attention: wanted [batch, time, heads, width], got q ", q.shape(), ", k ",
                     k.shape(), ", v ", v.shape());
  ensure<ShapeError>(q.dim(0) == k.dim(0) && k.dim(0) == v.dim(0) && k.dim(1) == v.dim(1) &&
                         k.dim(2) == v.dim(2) && q.dim(3) == k.dim(3),
                     "attention: q ", q.shape(), ", k ", k.shape(), " and v ", v.shape(),
                     " do not fit together");
  ensure<ShapeError>(k.dim(2) > 0 && q.dim(2) % k.dim(2) == 0, "attention: ", q.dim(2),
                     " query heads cannot share ", k.dim(2), " key heads evenly");
  ensure_together("attention", {&q, &k, &v, &o.key_mask, &o.key_bias, &o.distance_bias});
  check_distances(q, k, o);
  ensure<ShapeError>(q.dtype() == k.dtype() && k.dtype() == v.dtype(), "attention: q is ",
                     q.dtype(), ", k ", k.dtype(), ", v ", v.dtype());
  ensure<ShapeError>(o.dropout >= 0 && o.dropout < 1, "attention: dropout ", o.dropout,
                     ", wanted 0 or more and below 1");
  ensure<ShapeError>(o.window >= 0 && o.cap >= 0, "attention: window ", o.window, " and cap ",
                     o.cap, ", wanted 0 or more");
  ensure<ShapeError>(o.cap == 0 || !o.key_bias.defined(),
                     "attention: capped scores take no key bias");
  ensure<ShapeError>(
      !o.key_mask.defined() || (o.key_mask.shape() == Shape{k.dim(0), k.dim(1)} &&
                                o.key_mask.dtype() == DType::boolean && o.key_mask.is_dense()),
      "attention: the key mask must be a dense bool [", k.dim(0), ", ", k.dim(1), "]");
  if (!o.key_bias.defined()) return;
  const Tensor& bias = o.key_bias;
  ensure<ShapeError>(bias.rank() == 3 && (bias.dim(0) == 1 || bias.dim(0) == q.dim(0)) &&
                         bias.dim(1) == q.dim(2) && bias.dim(2) == k.dim(1) &&
                         is_float(bias.dtype()),
                     "attention: the key bias is ", bias.dtype(), " ", bias.shape(),
                     ", wanted floats [1 or ", q.dim(0), ", ", q.dim(2), ", ", k.dim(1), "]");
  ensure<GradError>(!needs_grad(bias), "attention: the key bias is a constant, it has no gradient");
}

// With biases the kernel reads: of the type scores are made in, keys side by side. That by distance
// keeps its history.
AttentionOptions readable(AttentionOptions o, DType dtype) {
  if (o.distance_bias.defined()) o.distance_bias = to_dtype(o.distance_bias, sum_dtype(dtype));
  if (o.distance_bias.defined() && o.distance_bias.strides()[1] != 1)
    o.distance_bias = contiguous(o.distance_bias);
  if (!o.key_bias.defined()) return o;
  const bool in_place = o.key_bias.dtype() == sum_dtype(dtype) && o.key_bias.strides()[2] == 1;
  if (!in_place) o.key_bias = cast(o.key_bias, sum_dtype(dtype));
  return o;
}

// How many pairs of a query and a key that it may see there are, of one head of one example.
double pairs_seen(int64_t queries, int64_t keys, const AttentionOptions& o) {
  double out = 0;
  for (int64_t i = 0; i < queries; ++i) {
    const int64_t here = i + keys - queries;  // the last query stands at the last key
    const int64_t from = o.window > 0 ? std::max<int64_t>(0, here - o.window + 1) : 0;
    const int64_t ahead = o.causal ? here + 1 : o.window > 0 ? here + o.window : keys;
    out += static_cast<double>(std::max<int64_t>(0, std::min(ahead, keys) - from));
  }
  return out;
}

// What forward leaves for backward: inputs as read, the result, and the log-sums.
struct Kept {
  Tensor q, k, v, out, lse;
};

Kept forward(const Tensor& q_in, const Tensor& k_in, const Tensor& v_in, const AttentionOptions& o,
             bool with_lse) {
  Kept kept{readable(q_in), readable(k_in), readable(v_in), {}, {}};
  const Tensor &q = kept.q, &k = kept.k, &v = kept.v;
  kept.out = empty(q.shape().with(3, v.dim(3)), q.dtype(), q.device());
  if (with_lse) kept.lse = empty({q.dim(0), q.dim(2), q.dim(1)}, sum_dtype(q.dtype()), q.device());
  AttentionArgs g = arguments(q, k, o);
  g.v = view_of(v), g.value_width = v.dim(3);
  g.out = view_of(kept.out);
  g.lse = with_lse ? kept.lse.raw() : nullptr;
  if (active_profile())
    count_work(2.0 * pairs_seen(q.dim(1), k.dim(1), o) * static_cast<double>(q.dim(0) * q.dim(2)) *
               static_cast<double>(q.dim(3) + v.dim(3)));
  launch(q.device(), g);
  return kept;
}

struct SavedKept {
  Saved q, k, v, out, lse;
  explicit SavedKept(const Kept& x) : q(x.q), k(x.k), v(x.v), out(x.out), lse(x.lse) {}
};

// Fills dq, dk and dv; the gradient of the bias by distance comes back, where there is one. Every
// batch adds up its own first, so that no two threads share a sum.
Tensor backward(const SavedKept& s, const AttentionOptions& o, const Tensor& d_out,
                const Tensor& dq, const Tensor& dk, const Tensor& dv) {
  AttentionBackwardArgs g{arguments(s.q.get(), s.k.get(), o), {}, {}, {}, {}};
  g.v = view_of(s.v.get()), g.value_width = s.v.get().dim(3);
  g.out = view_of(s.out.get());
  g.lse = s.lse.get().raw();
  g.d_out = view_of(d_out);
  g.dq = view_of(dq), g.dk = view_of(dk), g.dv = view_of(dv);
  const Tensor& bias = o.distance_bias;
  Tensor each;
  if (bias.defined()) {
    each = zeros({g.batches, bias.dim(0), bias.dim(1)}, bias.dtype(), bias.device());
    g.d_distances = each.raw();
  }
  launch(d_out.device(), g);
  return bias.defined() ? sum_to(bias.shape(), each) : Tensor();
}

// For the tape: what led to a bias is an input, not kept a second time.
AttentionOptions detached(AttentionOptions o) {
  if (o.distance_bias.defined()) o.distance_bias = o.distance_bias.detach();
  return o;
}

Tensor dense_like(const Tensor& x) { return empty(x.shape(), x.dtype(), x.device()); }

}  // namespace

Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionOptions& given) {
  check(q, k, v, given);
  const AttentionOptions o = readable(given, q.dtype());
  const bool wanted =
      needs_grad(q) || needs_grad(k) || needs_grad(v) || needs_grad(o.distance_bias);
  const Kept kept = forward(q, k, v, o, wanted);
  return record("attention", kept.out, {q, k, v, o.distance_bias},
                [s = SavedKept(wanted ? kept : Kept()), o = detached(o)](const Tensor& dy) {
                  const Tensor dq = dense_like(s.q.get()), dk = dense_like(s.k.get()),
                               dv = dense_like(s.v.get());
                  const Tensor d_bias = backward(s, o, readable(dy), dq, dk, dv);
                  return Grads{dq, dk, dv, d_bias};
                });
}

Tensor attention_packed(const Tensor& qkv, int64_t heads, int64_t kv_heads,
                        const AttentionOptions& given) {
  const int64_t parts = heads + 2 * kv_heads;
  ensure<ShapeError>(qkv.rank() == 3 && heads > 0 && kv_heads > 0 && qkv.dim(2) % parts == 0,
                     "attention: ", qkv.shape(), " does not hold ", heads, " query and 2 x ",
                     kv_heads, " key and value heads of one width");
  const int64_t width = qkv.dim(2) / parts;
  const auto part_of = [=](const Tensor& x, int64_t first, int64_t count) {
    return x.view({x.dim(0), x.dim(1), count, width}, {x.strides()[0], x.strides()[1], width, 1},
                  x.offset() + first * width);
  };
  const Tensor x = dense(qkv);
  const Tensor q = part_of(x, 0, heads), k = part_of(x, heads, kv_heads),
               v = part_of(x, heads + kv_heads, kv_heads);
  check(q, k, v, given);
  const AttentionOptions o = readable(given, qkv.dtype());
  const bool wanted = needs_grad(qkv) || needs_grad(o.distance_bias);
  const Kept kept = forward(q, k, v, o, wanted);
  const Shape flat{qkv.dim(0), qkv.dim(1), heads * width};
  return record("attention_packed", kept.out.view(flat, row_major(flat), 0), {qkv, o.distance_bias},
                [heads, kv_heads, part_of, s = SavedKept(wanted ? kept : Kept()), o = detached(o),
                 shape = x.shape()](const Tensor& dy) {
                  const Tensor d_out = dense(dy);
                  const Tensor dx = empty(shape, d_out.dtype(), d_out.device());
                  const Tensor d_bias = backward(
                      s, o, part_of(d_out, 0, heads), part_of(dx, 0, heads),
                      part_of(dx, heads, kv_heads), part_of(dx, heads + kv_heads, kv_heads));
                  return Grads{dx, d_bias};
                });
}

Tensor attention_weights(const Tensor& q_in, const Tensor& k_in, const AttentionOptions& given) {
  check(q_in, k_in, k_in, given);
  const AttentionOptions o = readable(given, q_in.dtype());
  const Tensor q = readable(q_in), k = readable(k_in);
  const Tensor weights =
      empty({q.dim(0), q.dim(2), q.dim(1), k.dim(1)}, sum_dtype(q.dtype()), q.device());
  const Tensor out = empty(q.shape(), q.dtype(), q.device());
  AttentionArgs g = arguments(q, k, o);
  g.v = g.k, g.out = view_of(out), g.dropout = 0;
  // Host kernels give weights without sums of values.
  g.value_width = q.device().kind() == Device::Kind::cuda ? g.width : 0;
  g.weights = weights.raw();
  launch(q.device(), g);
  return record_constant("attention_weights", cast(weights, q_in.dtype()), {q_in, k_in});
}

}  // namespace jogak
