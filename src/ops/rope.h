#pragma once

#include "tensor/tensor.h"

namespace jogak {

// Rotary positions: the first `heads` heads of every row are rotated by the angles of the row's
// place.
//   x [B, T, N], heads side by side, each D wide, heads * D <= N; what follows stays as it is:
//   the queries and keys of packed [q | k | v] rows in one pass.
//   table [B or 1, T, D], a constant: D/2 cosines, then D/2 sines, of each row.
// Element i of a head rotates together with element i + D/2 (halves, as Hugging Face has it):
//   y[i] = x[i] cos[i] - x[i + D/2] sin[i],  y[i + D/2] = x[i + D/2] cos[i] + x[i] sin[i]
// Computed in float (double for f64). x is given up: where nobody else holds its memory, it is
// rotated in place, and its gradient too.
// A head may be wider than D (`head`; 0: D): then its first D elements rotate, the others stay.
Tensor rope(Tensor x, const Tensor& table, int64_t heads, int64_t head = 0);

// The table of rope: factor * cos and factor * sin of position * frequency.
//   positions i64 [B or 1, T], frequencies [D/2] or [rows, D/2] (one row a position) -> f32 [.., D]
// An angle is rounded to f32, as transformers rounds it; its cosine and sine are exact to f32.
Tensor rope_table(const Tensor& positions, const Tensor& frequencies, double factor = 1);

}  // namespace jogak
