// Tensor: a small value that points into shared storage. Copying it copies the handle.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "base/random.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"
#include "tensor/storage.h"

namespace jogak {

struct GradNode;  // autograd's; a tensor only carries the pointer

class Tensor {
 public:
  Tensor() = default;  // undefined: no storage
  Tensor(std::shared_ptr<Storage> storage, Shape shape, Strides strides, int64_t offset,
         DType dtype)
      : storage_(std::move(storage)),
        shape_(shape),
        strides_(strides),
        offset_(offset),
        dtype_(dtype) {}

  bool defined() const { return storage_ != nullptr; }
  const Shape& shape() const { return shape_; }
  const Strides& strides() const { return strides_; }
  int64_t offset() const { return offset_; }
  int rank() const { return shape_.rank(); }
  int64_t dim(int axis) const { return shape_.dim(axis); }
  int64_t count() const { return shape_.count(); }
  int64_t rows() const { return rank() ? shape_.without(-1).count() : 1; }  // of the last axis
  DType dtype() const { return dtype_; }
  Device& device() const { return storage_->device(); }
  bool on_cuda() const { return device().kind() == Device::Kind::cuda; }
  bool is_dense() const { return strides_ == row_major(shape_); }
  size_t bytes() const { return static_cast<size_t>(count()) * size_of(dtype_); }
  const std::shared_ptr<Storage>& storage() const { return storage_; }

  // First element. Only kernels may follow the pointer: on another device it is not host memory.
  template <class T>
  T* data() const {
    ensure<ShapeError>(kDType<T> == dtype_, "found a tensor of ", dtype_, ", wanted ", kDType<T>);
    return reinterpret_cast<T*>(storage_->data()) + offset_;
  }

  void* raw() const {  // the same, for kernels that are told the dtype
    return storage_->data() + offset_ * static_cast<int64_t>(size_of(dtype_));
  }

  // Another view of the same storage; values only, no history. Ops record views (ops/reshape.h).
  Tensor view(Shape shape, Strides strides, int64_t offset) const {
    return Tensor(storage_, shape, strides, offset, dtype_);
  }
  Tensor detach() const { return view(shape_, strides_, offset_); }

  // Set by autograd alone.
  const std::shared_ptr<GradNode>& history() const { return history_; }
  int history_slot() const { return history_slot_; }
  void set_history(std::shared_ptr<GradNode> node, int slot) {
    history_ = std::move(node);
    history_slot_ = slot;
  }

 private:
  std::shared_ptr<Storage> storage_;
  Shape shape_;
  Strides strides_;
  int64_t offset_ = 0;
  DType dtype_ = DType::f32;
  int history_slot_ = 0;
  std::shared_ptr<GradNode> history_;
};

// DeviceError that names the op, unless all that are defined lie on one device.
void ensure_together(const char* op, std::initializer_list<const Tensor*> tensors);

// --- making tensors; values are undefined after empty() ---
Tensor empty(const Shape& shape, DType dtype = DType::f32, Device& device = cpu_device());
Tensor empty_like(const Tensor& x);  // same shape, dtype and device, dense
Tensor zeros(const Shape& shape, DType dtype = DType::f32, Device& device = cpu_device());
Tensor full(const Shape& shape, double value, DType dtype = DType::f32,
            Device& device = cpu_device());
Tensor scalar(double value, DType dtype = DType::f32, Device& device = cpu_device());  // shape []
Tensor arange(int64_t begin, int64_t end, Device& device = cpu_device());              // i64
Tensor randn(const Shape& shape, Rng rng, DType dtype = DType::f32, Device& device = cpu_device());

template <class T>
Tensor from_values(std::span<const T> values, const Shape& shape, Device& device = cpu_device()) {
  ensure<ShapeError>(static_cast<int64_t>(values.size()) == shape.count(), "found ", values.size(),
                     " values for shape ", shape);
  Tensor out = empty(shape, kDType<T>, device);
  device.write(out.storage()->data(), values.data(), values.size_bytes());
  return out;
}
template <class T>
Tensor from_values(const std::vector<T>& values, const Shape& shape,
                   Device& device = cpu_device()) {
  return from_values(std::span<const T>(values), shape, device);
}

// --- values in and out; none of these keeps history ---
Tensor dense(const Tensor& x);              // itself when row-major, else a packed copy
Tensor cast(const Tensor& x, DType dtype);  // dense; itself when nothing changes
Tensor to_device(const Tensor& x, Device& device);
Tensor clone(const Tensor& x);                         // always a fresh dense copy
void copy_into(const Tensor& to, const Tensor& from);  // same shape; converts the dtype
void fill(const Tensor& x, double value);
void accumulate(const Tensor& sum, const Tensor& part);  // sum += part, same shape and dtype
void scale_in_place(const Tensor& x, double factor);
void increment(const Tensor& count);  // an i64 by one

template <class T>
std::vector<T> to_host(const Tensor& x) {  // converts; waits for the device
  const Tensor flat = to_device(cast(x, kDType<T>), cpu_device());
  return std::vector<T>(flat.data<T>(), flat.data<T>() + flat.count());
}
double item(const Tensor& x);  // the only element; waits for the device
// Doubles as they are now, while the device goes on: to be waited for later. x is dense f64.
std::unique_ptr<Arriving> read_later(const Tensor& x);
std::vector<double> wait_for(Arriving& coming);

}  // namespace jogak
