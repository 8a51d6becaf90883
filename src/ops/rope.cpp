#include "ops/rope.h"

#include "autograd/autograd.h"
#include "ops/rope_kernel.h"

namespace jogak {
namespace {

void check(const Tensor& x, const Tensor& table, int64_t heads, int64_t head) {
  ensure<ShapeError>(x.rank() == 3 && table.rank() == 3, "rope: wanted x [B, T, N] and a table ",
                     "[B or 1, T, D], got ", x.shape(), " and ", table.shape());
  ensure<ShapeError>(is_float(x.dtype()) && is_float(table.dtype()), "rope: found ", x.dtype(),
                     " and a table of ", table.dtype(), ", wanted float types");
  ensure<ShapeError>(table.dim(1) == x.dim(1) && (table.dim(0) == 1 || table.dim(0) == x.dim(0)),
                     "rope: the table ", table.shape(), " does not have the rows of x ", x.shape());
  ensure<ShapeError>(table.dim(2) % 2 == 0, "rope: found heads ", table.dim(2),
                     " wide, wanted an even width: elements rotate in pairs");
  ensure<ShapeError>(head >= table.dim(2), "rope: heads ", head, " wide cannot rotate ",
                     table.dim(2), " of their elements");
  ensure<ShapeError>(heads >= 0 && heads * head <= x.dim(2), "rope: ", heads, " heads of ", head,
                     " do not fit into x ", x.shape());
  ensure_together("rope", {&x, &table});
  ensure<GradError>(!needs_grad(table), "rope: the table is a constant, it has no gradient");
}

struct RotatedHeads {
  int64_t count, width;
};

// Rotated where it lies when nobody else can see it.
Tensor rotated(const Tensor& x, const Tensor& table, RotatedHeads heads, bool back) {
  const bool own = x.storage().use_count() == 1 && x.is_dense() && !x.storage()->borrowed();
  const Tensor from = own ? x.detach() : dense(x), y = own ? from : empty_like(from);
  const RopeArgs args{.dtype = y.dtype(),
                      .x = from.raw(),
                      .y = y.raw(),
                      .table = table.raw(),
                      .rows = y.rows(),
                      .cols = y.dim(2),
                      .heads = heads.count,
                      .table_rows = table.rows(),
                      .head = heads.width,
                      .width = table.dim(2),
                      .back = back};
  launch(y.device(), args);
  return y;
}

}  // namespace

Tensor rope(Tensor x, const Tensor& table_in, int64_t count, int64_t head) {
  const RotatedHeads heads{count, head > 0 || table_in.rank() != 3 ? head : table_in.dim(2)};
  check(x, table_in, count, heads.width);
  const Tensor table = cast(table_in, sum_dtype(x.dtype()));
  const Tensor y = rotated(x, table, heads, false);  // before anything else holds x
  return record("rope", y, {x}, [table = Saved(table), heads](const Tensor& dy) {
    return Grads{rotated(dy, table.get(), heads, true)};
  });
}

Tensor rope_table(const Tensor& positions_in, const Tensor& frequencies, double factor) {
  const int64_t half = frequencies.rank() > 0 ? frequencies.dim(-1) : 0;
  ensure<ShapeError>(positions_in.rank() == 2 && positions_in.dtype() == DType::i64,
                     "rope_table: wanted positions i64 [B or 1, T], got ", positions_in.dtype(),
                     " ", positions_in.shape());
  ensure<ShapeError>(is_float(frequencies.dtype()) && half > 0 &&
                         (frequencies.rank() == 1 || frequencies.rows() == positions_in.count()),
                     "rope_table: wanted frequencies [D/2] or one such row a position, got ",
                     frequencies.dtype(), " ", frequencies.shape(), " for positions ",
                     positions_in.shape());
  ensure_together("rope_table", {&positions_in, &frequencies});
  const Tensor positions = dense(positions_in), f = dense(cast(frequencies, DType::f32));
  const Tensor y =
      empty({positions.dim(0), positions.dim(1), 2 * half}, DType::f32, positions.device());
  const RopeTableArgs args{.positions = positions.data<int64_t>(),
                           .frequencies = f.data<float>(),
                           .table = y.data<float>(),
                           .rows = positions.count(),
                           .half = half,
                           .own_frequencies = frequencies.rank() > 1,
                           .factor = static_cast<float>(factor)};
  launch(y.device(), args);
  return record_constant("rope_table", y, {frequencies});
}

}  // namespace jogak
