// Where a token stands, as numbers added to its vector.
#pragma once

#include "nn/run.h"

namespace jogak {

// Positions of the tokens: the run's [B, T], where the cache says they stand [1, N], or 0, 1, 2 ..
// in each row [T].
Tensor token_places(const Tensor& ids, const Run& run);

// The same so many further.
Tensor places_from(int64_t first, const Tensor& places);

// Tokens of ids [B, T] count from pad + 1 in each row, padding stands at pad: as RoBERTa.
Tensor places_after(int64_t pad, const Tensor& ids);
// The same of a step over the cache, whose texts have no padding before it.
Tensor cached_places_after(int64_t pad, const Tensor& ids, const Run& run);

// How the sines and cosines of one position are ordered.
enum class SinusoidLayout : uint8_t {
  interleaved,  // sin, cos, sin, cos, .. as the paper writes it
  halves,       // all sines, then all cosines: Hugging Face's `marian`
};

// [positions, width]: angles p / 10000^(2i / width), in f32 made from doubles.
Tensor sinusoids(int64_t positions, int64_t width, SinusoidLayout layout,
                 Device& device = cpu_device());

// All sines, then all cosines, of angles p / 10000^(i / (waves - 1)), in f32 throughout; an odd
// width ends with 0. The row `nowhere` is 0: as Hugging Face's `m2m_100` has them.
Tensor stretched_sinusoids(int64_t positions, int64_t width, int64_t nowhere,
                           Device& device = cpu_device());

// Those of the paper, interleaved, less their mean and divided by ten times their deviation (that
// of a sample): as Hugging Face's `patchtst` has them.
Tensor centred_sinusoids(int64_t positions, int64_t width, Device& device = cpu_device());

// The matrix [to_height * to_width, height * width] that spreads a table of positions over a grid
// of another size, as PyTorch's bicubic interpolation with align_corners=False does: cubic
// convolution with a = -0.75, the border repeated. 16 numbers of a row are not 0.
Tensor bicubic(int64_t height, int64_t width, int64_t to_height, int64_t to_width,
               Device& device = cpu_device());

}  // namespace jogak
