#include "ops/linear_cross_entropy.h"

#include "autograd/autograd.h"
#include "ops/cross_entropy_kernel.h"
#include "ops/gemm_weight.h"
#include "ops/linear.h"

namespace jogak {
namespace {

void check(const Tensor& x, const Tensor& weight, const Tensor& targets,
           const CrossEntropyOptions& o, int64_t chunk_rows) {
  const char* op = "linear_cross_entropy";
  ensure<ShapeError>(weight.rank() == 2 && weight.dim(0) >= 1, op, ": weight has shape ",
                     weight.shape(), ", wanted [classes, features]");
  ensure<ShapeError>(x.rank() >= 1 && x.dim(-1) == weight.dim(1), op, ": x ", x.shape(),
                     " and weight ", weight.shape(), " differ in their last axis");
  ensure<ShapeError>(
      (x.dtype() == weight.dtype() && is_float(x.dtype())) || has_short_weight(x, weight), op,
      ": x is ", x.dtype(), ", weight is ", weight.dtype(), ", wanted one float type");
  ensure<Error>(!has_short_weight(x, weight) || !needs_grad(weight), op, ": weights in ",
                weight.dtype(), " are not trained; open them in f32");
  ensure<ShapeError>(targets.shape() == x.shape().without(-1) && targets.dtype() == DType::i64, op,
                     ": targets ", targets.dtype(), " ", targets.shape(), ", x ", x.shape(),
                     " wants i64 ", x.shape().without(-1));
  ensure_together(op, {&x, &weight, &targets});
  ensure<UsageError>(o.label_smoothing >= 0 && o.label_smoothing <= 1, op, ": label smoothing ",
                     o.label_smoothing, ", wanted 0 to 1");
  ensure<UsageError>(o.reduction != Reduction::none, op, ": has one loss, wanted mean or sum");
  ensure<UsageError>(chunk_rows >= 0, op, ": chunks of ", chunk_rows, " rows, wanted 0 or more");
}

// Values in 16 bits stay such where products of them are faster, and sums over chunks are f32.
bool keeps_short(const Tensor& x) {
  return x.dtype() == DType::bf16 || (x.on_cuda() && x.dtype() == DType::f16);
}

// GPUs multiply fastest by multiples of 128: classes that nobody has stand behind the others.
Tensor with_spare_rows(const Tensor& weight) {
  const int64_t rows = weight.dim(0), all = (rows + 127) / 128 * 128;
  if (all == rows || !weight.on_cuda()) return weight;
  const Tensor out = empty({all, weight.dim(1)}, weight.dtype(), weight.device());
  const auto part = [&](int64_t first, int64_t count) {
    return out.view({count, out.dim(1)}, out.strides(), first * out.dim(1));
  };
  copy_into(part(0, rows), weight);
  fill(part(rows, all - rows), 0);
  return out;
}

// Chunks a GPU is busy with are large, and of one size.
int64_t rows_at_once(int64_t rows, int64_t classes, int64_t wanted, bool on_cuda) {
  const int64_t most = on_cuda ? int64_t{1} << 29 : int64_t{1} << 24;
  int64_t chunk = wanted ? wanted : std::max<int64_t>(64, most / classes / 64 * 64);
  if (on_cuda && !wanted && rows > chunk) {
    const int64_t chunks = (rows + chunk - 1) / chunk;
    chunk = ((rows + chunks - 1) / chunks + 63) / 64 * 64;
  }
  return std::max<int64_t>(1, std::min(chunk, rows));
}

// One sweep over the chunks. Everything is of the sum type, but for weights in bf16 under f32, and
// for what keeps_short.
struct Head {
  Tensor x, weight;  // [N, C], [V, C]
  Tensor logits;     // [chunk, V], then their gradient
  Tensor lse, losses, share, one;
  Tensor dx, dweight;  // undefined: not wanted

  Gemm product(const Tensor& c, int64_t offset, int64_t m, int64_t n, int64_t k) const {
    return {.dtype = x.dtype(),
            .m = m,
            .n = n,
            .k = k,
            .c = at(c, offset),
            .c_row = n,
            .c_f32 = c.dtype() != x.dtype()};
  }
  static void* at(const Tensor& t, int64_t offset) {
    return static_cast<std::byte*>(t.raw()) + offset * static_cast<int64_t>(size_of(t.dtype()));
  }

  void forward(int64_t first, int64_t rows, CrossEntropyRows a) const {
    const int64_t classes = weight.dim(0), features = weight.dim(1);
    Gemm g = product(logits, 0, rows, classes, features);  // logits = x W^T
    g.a = at(x, first * features), g.a_row = features;
    set_weight(g, weight, 1, features);
    a.targets += first;
    a.lse = at(lse, first);
    a.rows = rows;
    a.first_row = first;
    launch(x.device(), g);
    const CrossEntropyArgs loss{a, at(losses, first)};
    if (!dx.defined() && !dweight.defined()) return launch(x.device(), loss);
    launch(x.device(),
           CrossEntropyInPlaceArgs{loss, {a, one.raw(), false, share.raw(), logits.raw()}});
  }

  void backward(int64_t first, int64_t rows) const {
    const int64_t classes = weight.dim(0), features = weight.dim(1);
    if (dx.defined()) {
      Gemm g = product(dx, first * features, rows, features, classes);  // dx = dlogits W
      g.a = logits.raw(), g.a_row = classes;
      set_weight(g, weight, features, 1);
      launch(x.device(), g);
    }
    if (dweight.defined()) {
      Gemm g = product(dweight, 0, classes, features, rows);  // dW += dlogits^T x
      g.a = logits.raw(), g.a_row = 1, g.a_col = classes;
      g.b = at(x, first * features), g.b_row = features;
      g.accumulate = first > 0;
      launch(x.device(), g);
    }
  }
};

Tensor first_rows(const Tensor& x, int64_t rows) {
  return x.defined() ? x.view(x.shape().with(0, rows), x.strides(), x.offset()) : x;
}

// The kept gradient times that of the loss, in the type of the input.
Tensor scaled(const Tensor& grad, const Tensor& dloss, DType dtype) {
  if (!grad.defined()) return grad;
  launch(grad.device(), MultiplyByArgs{grad.dtype(), dloss.raw(), grad.raw(), grad.count()});
  return cast(grad, dtype);
}

}  // namespace

Tensor linear_cross_entropy(const Tensor& in, const Tensor& weight_in, const Tensor& targets_in,
                            const CrossEntropyOptions& o, int64_t chunk_rows) {
  check(in, weight_in, targets_in, o, chunk_rows);
  const DType dtype = in.dtype(), sums = sum_dtype(dtype), work = keeps_short(in) ? dtype : sums;
  Device& device = in.device();
  const int64_t rows = targets_in.count(), classes = weight_in.dim(0);
  const int64_t chunk = rows_at_once(rows, classes, chunk_rows, in.on_cuda());
  const Tensor targets = dense(targets_in), total = empty({}, sums, device);
  Head head{.x = cast(in, work),
            .weight = has_short_weight(in, weight_in) ? dense(weight_in)
                                                      : with_spare_rows(cast(weight_in, work)),
            .logits = {},
            .lse = empty({rows}, sums, device),
            .losses = empty({rows}, sums, device),
            .share = empty({}, sums, device),
            .one = full({}, 1, sums, device),
            .dx = needs_grad(in) ? empty(in.shape(), work, device) : Tensor(),
            .dweight = {}};
  head.logits = empty({chunk, head.weight.dim(0)}, work, device);
  if (needs_grad(weight_in)) head.dweight = empty(head.weight.shape(), sums, device);
  const CrossEntropyRows a{.dtype = work,
                           .logits = head.logits.raw(),
                           .targets = targets.data<int64_t>(),
                           .lse = head.lse.raw(),
                           .rows = rows,
                           .classes = classes,
                           .ignored = o.ignored,
                           .smoothing = o.label_smoothing,
                           .padding = head.weight.dim(0) - classes};
  launch(device, CrossEntropyShareArgs{a, o.reduction == Reduction::mean, head.share.raw()});
  if (rows == 0 && head.dweight.defined()) fill(head.dweight, 0);
  for (int64_t first = 0; first < rows; first += chunk) {
    const int64_t n = std::min(chunk, rows - first);
    head.forward(first, n, a);
    head.backward(first, n);
  }
  launch(device, CrossEntropyTotalArgs{a, head.losses.raw(), head.share.raw(), total.raw()});
  return record(
      "linear_cross_entropy", total, {in, weight_in},
      [dtype, dx = head.dx, dweight = first_rows(head.dweight, classes)](const Tensor& dloss) {
        return Grads{scaled(dx, dloss, dtype), scaled(dweight, dloss, dtype)};
      });
}

}  // namespace jogak
