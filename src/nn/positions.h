// Where a token stands, as numbers added to its vector.
#pragma once

#include "tensor/tensor.h"

namespace jogak {

// How the sines and cosines of one position are ordered.
enum class SinusoidLayout : uint8_t {
  interleaved,  // sin, cos, sin, cos, .. as the paper writes it
  halves,       // all sines, then all cosines: Hugging Face's `marian`
};

// [positions, width]: angles p / 10000^(2i / width), in f32 made from doubles.
Tensor sinusoids(int64_t positions, int64_t width, SinusoidLayout layout,
                 Device& device = cpu_device());

}  // namespace jogak
