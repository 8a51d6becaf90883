#include "ops/matmul.h"

#include "autograd/autograd.h"
#include "autograd/profile.h"
#include "ops/gemm.h"

namespace jogak {
namespace {

// A stack of equal matrices: element (s, i, j) lies at s*step + i*row + j*col.
struct Stack {
  Tensor values;
  int64_t count, rows, cols, step, row, col;

  Stack transposed() const { return {values, count, cols, rows, step, col, row}; }
};

// Leading axes must lie one after the other; a stack that does not is packed.
Stack stack_of(const Tensor& x) {
  const int rank = x.rank();
  int64_t count = 1, step = 0;
  bool even = true;
  for (int axis = rank - 3; axis >= 0; --axis) {
    if (x.shape()[axis] == 1) continue;
    if (count == 1)
      step = x.strides()[axis];
    else
      even = even && x.strides()[axis] == step * count;
    count *= x.shape()[axis];
  }
  const int64_t row = x.strides()[rank - 2], col = x.strides()[rank - 1];
  const bool plain = (row == 1 || col == 1) && row > 0 && col > 0;
  if (!even || !plain) return stack_of(dense(x));
  return {x.detach(), count, x.dim(-2), x.dim(-1), step, row, col};
}

// c (+)= a b, matrix by matrix. A single a or b serves every matrix of the other.
void multiply(const Stack& a, const Stack& b, const Tensor& c, bool into_one = false) {
  Gemm g{.dtype = c.dtype(), .m = a.rows, .n = b.cols, .k = a.cols};
  g.a = a.values.raw(), g.a_row = a.row, g.a_col = a.col;
  g.b = b.values.raw(), g.b_row = b.row, g.b_col = b.col;
  g.c = c.raw(), g.c_row = b.cols;
  count_work(2.0 * static_cast<double>(std::max(a.count, b.count)) *
             static_cast<double>(g.m * g.n) * static_cast<double>(g.k));
  launch(c.device(), GemmBatch{.first = g,
                               .count = std::max(a.count, b.count),
                               .a_step = a.count == 1 ? 0 : a.step,
                               .b_step = b.count == 1 ? 0 : b.step,
                               .c_step = into_one ? 0 : g.m * g.n,
                               .into_one = into_one});
}

void check(const Tensor& a, const Tensor& b) {
  ensure<ShapeError>(a.rank() >= 2 && b.rank() >= 2, "matmul: wanted matrices, got a ", a.shape(),
                     " and b ", b.shape());
  ensure<ShapeError>(a.dim(-1) == b.dim(-2), "matmul: inner sizes differ: a ", a.shape(), " has ",
                     a.dim(-1), " columns, b ", b.shape(), " has ", b.dim(-2), " rows");
  ensure<ShapeError>(a.dtype() == b.dtype(), "matmul: a is ", a.dtype(), ", b is ", b.dtype());
  ensure_together("matmul", {&a, &b});
  if (b.rank() == 2) return;
  ensure<ShapeError>(a.shape().without(-1).without(-1) == b.shape().without(-1).without(-1),
                     "matmul: leading axes differ: a ", a.shape(), ", b ", b.shape());
}

}  // namespace

Tensor matmul(const Tensor& a, const Tensor& b) {
  check(a, b);
  const Tensor c = empty(a.shape().with(-1, b.dim(-1)), a.dtype(), a.device());
  const Stack left = stack_of(a), right = stack_of(b);
  if (c.count() > 0) multiply(left, right, c);
  const bool want_a = needs_grad(a), want_b = needs_grad(b);
  return record("matmul", c, {a, b}, [=, a_saved = Saved(a), b_saved = Saved(b)](const Tensor& dc) {
    Grads grads(2);
    const Tensor &x = a_saved.get(), &w = b_saved.get();
    if (want_a) {  // da = dc b^T
      grads[0] = empty(x.shape(), x.dtype(), x.device());
      if (x.count() > 0) multiply(stack_of(dc), stack_of(w).transposed(), grads[0]);
    }
    if (want_b) {  // db = a^T dc, over all matrices when b served them all
      grads[1] = zeros(w.shape(), w.dtype(), w.device());
      const bool shared = w.rank() == 2 && x.rank() > 2;
      if (w.count() > 0 && dc.count() > 0)
        multiply(stack_of(x).transposed(), stack_of(dc), grads[1], shared);
    }
    return grads;
  });
}

}  // namespace jogak
