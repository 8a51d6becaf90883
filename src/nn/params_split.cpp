// Slices of a file's weights, where a model's layers are divided among processes (nn/split.h).
#include <algorithm>

#include "base/mapped_place.h"
#include "io/quantized_files.h"
#include "nn/params.h"

namespace jogak {
namespace {

// The axis along which the file has `count` times what the model wants, alone; -1: none.
int64_t divided_axis(const Shape& wanted, const Shape& there, int64_t count) {
  int64_t found = -1;
  for (int64_t axis = 0; axis < wanted.rank(); ++axis) {
    if (wanted[axis] == there[axis]) continue;
    if (found >= 0 || there[axis] != wanted[axis] * count) return -1;
    found = axis;
  }
  return found;
}

Tensor part_of(const Tensor& x, int64_t axis, int64_t first, int64_t count) {
  return x.view(x.shape().with(axis, count), x.strides(), x.offset() + first * x.strides()[axis]);
}

void release(const Tensor& there) {
  if (there.storage()->borrowed()) release_pages(there.raw(), there.bytes());
}

// Some columns of rows that lie one behind the other, a stretch of rows at a time: what is not
// wanted of them is in memory but for that long.
Tensor columns_of_file(const Tensor& there, int64_t first, int64_t count) {
  constexpr int64_t kStretch = 1 << 18;  // elements
  const int64_t rows = there.dim(0), step = std::max<int64_t>(kStretch / there.dim(1), 1);
  const Tensor out = empty({rows, count}, there.dtype());
  for (int64_t at = 0; at < rows; at += step) {
    const Tensor some = part_of(there, 0, at, std::min(step, rows - at));
    copy_into(part_of(out, 0, at, some.dim(0)), part_of(some, 1, first, count));
    release(some);
  }
  return out;
}

}  // namespace

Shape ParamStore::shape_there(const Shape& shape, const Shape& there) const {
  if (!split_) return shape;
  const int64_t axis = divided_axis(shape, there, split_->self.count);
  return axis < 0 ? shape : there;
}

bool ParamStore::wants_columns(const Param& param, const Shape& shape) const {
  if (!split_ || shape.rank() != 2 || !param.parts.empty()) return false;
  const std::string source = in_file(param.name);
  if (source.empty()) return false;
  ensure<UsageError>(!is_quantized(*files_, source), source,
                     ": weights in small integers are not divided among processes");
  const Shape there = files_->info(source).shape;
  if (there.rank() != 2) return false;
  const bool across = names_.is_transposed(param.name);
  const Shape as_here = across ? Shape{there[1], there[0]} : there;
  return divided_axis(shape, as_here, split_->self.count) == 1;
}

Tensor ParamStore::slice_of(const Tensor& there, const Shape& shape,
                            const std::vector<int64_t>& sections) {
  if (!split_) return there;
  const auto [index, count] = split_->self;
  const int64_t axis = divided_axis(shape, there.shape(), count);
  if (axis < 0) return there;
  if (axis == 1 && there.is_dense()) return columns_of_file(there, index * shape[1], shape[1]);
  if (axis != 0 || sections.empty()) {
    const Tensor own = dense(part_of(there, axis, index * shape[axis], shape[axis]));
    if (own.storage() != there.storage()) release(there);
    return own;
  }
  const Tensor out = empty(shape, there.dtype());
  int64_t at = 0;
  for (const int64_t rows : sections) {
    copy_into(part_of(out, 0, at, rows), part_of(there, 0, at * count + index * rows, rows));
    at += rows;
  }
  release(there);
  ensure<Error>(at == shape[0], "sections have ", at, " rows, the weight ", shape[0]);
  return out;
}

std::shared_ptr<const LayerSplit> Params::partial(const Tensor& weight) const {
  for (const Param& p : store_->params_)
    if (p.partial && p.value.storage() == weight.storage()) return store_->split_;
  return nullptr;
}

}  // namespace jogak
