// One launch over many tensors: which tensor a block works on is found in a table that travels with
// the launch, or lies beside it where the launch is recorded.
#pragma once

#include <optional>
#include <vector>

#include "tensor/cuda.cuh"

namespace jogak::cuda {

template <class Piece>
struct ListedTensor {
  Piece piece;
  int64_t first_block;
};

template <class Piece>
struct TensorTable {
  const ListedTensor<Piece>* rows;
  int64_t count;

  // The tensor of a block: the last one that begins at it or before.
  __device__ const ListedTensor<Piece>& of(int64_t block) const {
    int64_t low = 0, high = count - 1;
    while (low < high) {
      const int64_t middle = (low + high + 1) / 2;
      if (rows[middle].first_block <= block)
        low = middle;
      else
        high = middle - 1;
    }
    return rows[low];
  }
};

// body(table, blocks): the table on the device, with `size` elements to a block. Tensors without
// elements are left out.
template <class Piece, class Body>
void with_table(OnCuda on, const std::vector<Piece>& tensors, int64_t size, Body&& body) {
  std::vector<ListedTensor<Piece>> rows;
  int64_t blocks = 0;
  for (const Piece& piece : tensors) {
    if (piece.count == 0) continue;
    rows.push_back({piece, blocks});
    blocks += (piece.count + size - 1) / size;
  }
  if (rows.empty()) return;
  const size_t bytes = rows.size() * sizeof(rows[0]);
  std::byte* table = device_of(on).keep(rows.data(), bytes);
  std::optional<Workspace> memory;
  if (!table) {
    table = memory.emplace(on, bytes).as<std::byte>();
    on.device.write(table, rows.data(), bytes);
  }
  body(TensorTable<Piece>{reinterpret_cast<ListedTensor<Piece>*>(table),
                          static_cast<int64_t>(rows.size())},
       blocks);
}

}  // namespace jogak::cuda
