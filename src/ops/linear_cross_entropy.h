#pragma once

#include "ops/cross_entropy.h"

namespace jogak {

// cross_entropy(linear(x, weight), targets) without ever holding all logits: x [.., C], weight
// [V, C], targets i64 [..]. Logits live for chunk_rows rows at a time (0: as many as make 64 MiB
// of f32, at least 64, by V alone); where a gradient can be asked for, it is made in the same
// sweep and kept, [.., C] and [V, C], instead of the [.., V] that backward would need otherwise.
//
// Logits and gradients are made in f32 (f64 for f64) and rounded once; losses of rows are those
// of cross_entropy. On a GPU chunks are larger, and logits of 16-bit values and their gradients
// are 16-bit. The reduction is mean or sum.
Tensor linear_cross_entropy(const Tensor& x, const Tensor& weight, const Tensor& targets,
                            const CrossEntropyOptions& options = {}, int64_t chunk_rows = 0);

}  // namespace jogak
