#include "ops/update_numbers.h"

namespace jogak {
namespace {

constexpr int64_t kNumbers = sizeof(UpdateNumbers) / sizeof(double);
static_assert(kNumbers * sizeof(double) == sizeof(UpdateNumbers));

void check(const Tensor& x, int64_t count, const char* what) {
  ensure<ShapeError>(x.shape() == Shape{count} && x.is_dense() && x.dtype() == DType::f64,
                     "update: found ", what, " of ", x.dtype(), " ", x.shape(), ", wanted f64 ",
                     Shape{count});
}

}  // namespace

Tensor update_numbers(Device& device) { return zeros({kNumbers}, DType::f64, device); }

void set(const Tensor& numbers, const UpdateNumbers& values) {
  check(numbers, kNumbers, "numbers");
  numbers.storage()->bump_version();
  numbers.device().write(static_cast<std::byte*>(numbers.raw()), &values, sizeof values);
}

const UpdateNumbers* on_device(const Tensor& numbers) {
  if (!numbers.defined()) return nullptr;
  check(numbers, kNumbers, "numbers");
  return static_cast<const UpdateNumbers*>(numbers.raw());
}

void update_scale(const Tensor& sums, const Tensor& numbers) {
  check(sums, 2, "sums");
  check(numbers, kNumbers, "numbers");
  numbers.storage()->bump_version();
  launch(sums.device(),
         UpdateScaleArgs{sums.data<double>(), static_cast<UpdateNumbers*>(numbers.raw())});
}

}  // namespace jogak
