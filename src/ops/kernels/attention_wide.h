// Heads in bf16 or f16 as f32, for the host's attention, which computes in f32.
#pragma once

#include "ops/attention_kernel.h"
#include "ops/kernels/workspace.h"
#include "tensor/tensor_kernel.h"

namespace jogak::cpu {

inline bool is_short(DType dtype) { return dtype == DType::bf16 || dtype == DType::f16; }

class WideHeads {
 public:
  WideHeads(DType dtype, const HeadsView& given, const Shape& shape)
      : dtype_(dtype),
        given_(given),
        shape_(shape),
        memory_(sizeof(float) * static_cast<size_t>(shape.count())) {}

  HeadsView view() const {
    const Strides s = row_major(shape_);
    return {memory_.as<float>(), s[0], s[1], s[2]};
  }
  HeadsView read() const {
    copy(DType::f32, memory_.as<float>(), row_major(shape_), dtype_, given_.data, strides());
    return view();
  }
  void write() const {
    copy(dtype_, given_.data, strides(), DType::f32, memory_.as<float>(), row_major(shape_));
  }

 private:
  Strides strides() const { return {given_.batch, given_.time, given_.head, 1}; }
  void copy(DType to_dtype, void* to, const Strides& to_strides, DType from_dtype, const void* from,
            const Strides& from_strides) const {
    if (shape_.count() > 0)
      run(OnCpu{}, CopyArgs{to_dtype, from_dtype, to, from, shape_, to_strides, from_strides});
  }

  DType dtype_;
  HeadsView given_;
  Shape shape_;  // [batches, time, heads, width]
  Workspace memory_;
};

}  // namespace jogak::cpu
