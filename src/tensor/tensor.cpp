#include "tensor/tensor.h"

#include <cstring>

#include "tensor/tensor_kernel.h"

namespace jogak {
namespace {

int64_t checked_count(const Shape& shape, DType dtype) {
  int64_t count = 1;
  for (const int64_t size : shape) {
    ensure<ShapeError>(size >= 0, "a tensor of shape ", shape, ": sizes must not be negative");
    ensure<ShapeError>(!__builtin_mul_overflow(count, size, &count), "a tensor of shape ", shape,
                       " has too many elements");
  }
  ensure<ShapeError>(count <= INT64_MAX / static_cast<int64_t>(size_of(dtype)),
                     "a tensor of shape ", shape, " has too many bytes");
  return count;
}

void check_float(DType dtype) {
  ensure<ShapeError>(is_float(dtype), "found dtype ", dtype, ", wanted a float type");
}

}  // namespace

void ensure_together(const char* op, std::initializer_list<const Tensor*> tensors) {
  const Device* first = nullptr;
  for (const Tensor* x : tensors) {
    if (!x->defined()) continue;
    if (!first) first = &x->device();
    ensure<DeviceError>(&x->device() == first, op, ": found a tensor on ", first->name(),
                        " and one on ", x->device().name());
  }
}

Tensor empty(const Shape& shape, DType dtype, Device& device) {
  const auto bytes = static_cast<size_t>(checked_count(shape, dtype)) * size_of(dtype);
  return Tensor(std::make_shared<Storage>(device, bytes), shape, row_major(shape), 0, dtype);
}

Tensor empty_like(const Tensor& x) { return empty(x.shape(), x.dtype(), x.device()); }

Tensor zeros(const Shape& shape, DType dtype, Device& device) {
  return full(shape, 0.0, dtype, device);
}

Tensor full(const Shape& shape, double value, DType dtype, Device& device) {
  Tensor out = empty(shape, dtype, device);
  fill(out, value);
  return out;
}

Tensor scalar(double value, DType dtype, Device& device) { return full({}, value, dtype, device); }

Tensor arange(int64_t begin, int64_t end, Device& device) {
  ensure<ShapeError>(begin <= end, "arange: from ", begin, " to ", end);
  const Tensor out = empty({end - begin}, DType::i64, device);
  launch(device, ArangeArgs{out.data<int64_t>(), begin, end - begin});
  return out;
}

Tensor randn(const Shape& shape, Rng rng, DType dtype, Device& device) {
  check_float(dtype);
  const Tensor out = empty(shape, dtype, device);
  launch(device, RandnArgs{dtype, out.raw(), out.count(), rng});
  return out;
}

Tensor dense(const Tensor& x) { return x.is_dense() ? x.detach() : clone(x); }

Tensor clone(const Tensor& x) {
  Tensor out = empty_like(x);
  copy_into(out, x);
  return out;
}

Tensor cast(const Tensor& x, DType dtype) {
  if (x.dtype() == dtype) return dense(x);
  Tensor out = empty(x.shape(), dtype, x.device());
  copy_into(out, x);
  return out;
}

Tensor to_device(const Tensor& x, Device& device) {
  if (&x.device() == &device) return x.detach();
  const Tensor from = dense(x);
  const size_t start = static_cast<size_t>(from.offset()) * size_of(from.dtype());
  Tensor out = empty(x.shape(), x.dtype(), device);
  if (device.kind() == Device::Kind::cpu) {
    from.device().read(out.storage()->data(), from.storage()->data() + start, from.bytes());
  } else {
    ensure<DeviceError>(from.device().kind() == Device::Kind::cpu, "copying from ",
                        from.device().name(), " to ", device.name(), ": go through the cpu");
    device.write(out.storage()->data(), from.storage()->data() + start, from.bytes());
  }
  return out;
}

void copy_into(const Tensor& to, const Tensor& from) {
  ensure<ShapeError>(to.shape() == from.shape(), "copy: from shape ", from.shape(), " to ",
                     to.shape());
  ensure<DeviceError>(&to.device() == &from.device(), "copy: from ", from.device().name(), " to ",
                      to.device().name());
  to.storage()->bump_version();
  if (to.count() == 0) return;
  launch(to.device(), CopyArgs{to.dtype(), from.dtype(), to.raw(), from.raw(), to.shape(),
                               to.strides(), from.strides()});
}

void fill(const Tensor& x, double value) {
  ensure<ShapeError>(x.is_dense(), "fill: wanted a dense tensor, got strides ", x.strides());
  x.storage()->bump_version();
  launch(x.device(), FillArgs{x.dtype(), x.raw(), x.count(), value});
}

void accumulate(const Tensor& sum, const Tensor& part_in) {
  ensure<ShapeError>(sum.shape() == part_in.shape() && sum.dtype() == part_in.dtype(),
                     "accumulate: ", part_in.dtype(), " ", part_in.shape(), " onto ", sum.dtype(),
                     " ", sum.shape());
  ensure<ShapeError>(sum.is_dense(), "accumulate: wanted a dense sum");
  ensure_together("accumulate", {&sum, &part_in});
  check_float(sum.dtype());
  sum.storage()->bump_version();
  const Tensor part = dense(part_in);
  launch(sum.device(), AccumulateArgs{sum.dtype(), sum.raw(), part.raw(), sum.count()});
}

void scale_in_place(const Tensor& x, double factor) {
  ensure<ShapeError>(x.is_dense(), "scale: wanted a dense tensor");
  check_float(x.dtype());
  x.storage()->bump_version();
  launch(x.device(), ScaleInPlaceArgs{x.dtype(), x.raw(), x.count(), factor});
}

void increment(const Tensor& count) {
  count.storage()->bump_version();
  launch(count.device(), IncrementArgs{count.data<int64_t>()});
}

double item(const Tensor& x) {
  ensure<ShapeError>(x.count() == 1, "item: shape ", x.shape(), ", wanted one element");
  return to_host<double>(x)[0];
}

std::unique_ptr<Arriving> read_later(const Tensor& x) {
  ensure<ShapeError>(x.dtype() == DType::f64 && x.is_dense(), "read_later: found ", x.dtype(), " ",
                     x.shape(), ", wanted dense f64");
  return x.device().read_later(static_cast<const std::byte*>(x.raw()), x.bytes());
}

std::vector<double> wait_for(Arriving& coming) {
  const std::span<const std::byte> bytes = coming.wait();
  std::vector<double> out(bytes.size() / sizeof(double));
  std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

}  // namespace jogak
