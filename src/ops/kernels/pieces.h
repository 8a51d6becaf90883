// Tensors of many sizes cut into parts of at most so many elements, which threads share: by size
// alone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tensor/dtype.h"

namespace jogak::cpu {

// Element i of an array of `dtype`; null stays null.
template <class Void>
Void* element(Void* array, DType dtype, int64_t i) {
  using Byte = std::conditional_t<std::is_const_v<Void>, const std::byte, std::byte>;
  return array ? static_cast<Byte*>(array) + i * static_cast<int64_t>(size_of(dtype)) : nullptr;
}

// part(tensor, first, count) makes a part.
template <class Piece, class Part>
std::vector<Piece> cut(const std::vector<Piece>& tensors, int64_t most, Part part) {
  std::vector<Piece> out;
  for (const Piece& x : tensors)
    for (int64_t i = 0; i < x.count; i += most)
      out.push_back(part(x, i, std::min(most, x.count - i)));
  return out;
}

}  // namespace jogak::cpu
