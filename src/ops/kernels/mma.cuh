// Products of 16-bit tiles by tensor cores, and how tiles get there: the instructions as functions.
// A tile lies in shared memory, rows of `kWidth` numbers in pieces of 16 bytes; piece p of row r is
// at place p ^ (r % 8), so that eight rows of one column of pieces meet all banks once. Where eight
// pieces are several rows, those share a number.
#pragma once

#include <cstdint>

#include "tensor/cuda.cuh"

namespace jogak::cuda {

// Four 8 x 8 matrices: lane 8 i + r gives where row r of matrix i begins. A lane holds two
// neighbours of row lane / 4 of each.
__device__ __forceinline__ void load_matrices(uint32_t (&to)[4], const void* row) {
  const auto at = static_cast<uint32_t>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(at));
}

// The same, each matrix transposed.
__device__ __forceinline__ void load_transposed(uint32_t (&to)[4], const void* row) {
  const auto at = static_cast<uint32_t>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(at));
}

// c [16, 8] += a [16, 16] b [16, 8]. Lane l holds c of rows l / 4 and l / 4 + 8, columns
// 2 (l % 4) and the next.
template <class T>
__device__ __forceinline__ void multiply_add(float (&c)[4], const uint32_t (&a)[4], uint32_t b0,
                                             uint32_t b1) {
  if constexpr (std::is_same_v<T, __nv_bfloat16>)
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  else
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// 16 bytes on their way from global to shared memory; zeros where there is nothing.
__device__ __forceinline__ void fetch_16(void* to, const void* from, bool there) {
  const auto at = static_cast<uint32_t>(__cvta_generic_to_shared(to));
  const int bytes = there ? 16 : 0;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(from), "r"(bytes));
}
__device__ __forceinline__ void fetched() { asm volatile("cp.async.commit_group;"); }
template <int kLeft>
__device__ __forceinline__ void await_fetches() {  // until all but the last kLeft groups are here
  asm volatile("cp.async.wait_group %0;" ::"n"(kLeft));
}

// Two numbers narrowed by one instruction.
template <class T>
__device__ __forceinline__ uint32_t packed(float low, float high) {
  uint32_t out;
  if constexpr (std::is_same_v<T, __nv_bfloat16>) {
    const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
    memcpy(&out, &pair, 4);
  } else {
    const __half2 pair = __floats2half2_rn(low, high);
    memcpy(&out, &pair, 4);
  }
  return out;
}

// Where pieces of a tile are.
template <class T, int kWidth>
struct Tile {
  static constexpr int kPieces = kWidth / 8;  // of a row
  static constexpr int kAlike = kPieces < 8 ? 8 / kPieces : 1;
  T* data;

  __device__ __forceinline__ T* piece(int row, int p) const {
    return data + (row * kPieces + (p ^ (row % 8 / kAlike))) * 8;
  }

  // Rows row .. row + 15, columns 16 k .. 16 k + 15, as the first operand.
  __device__ __forceinline__ void load_a(uint32_t (&a)[4], int row, int k) const {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    load_matrices(a, piece(row + lane % 16, 2 * k + lane / 16));
  }
  // The same rows, transposed, as the second operand [16 columns, 16 rows]: b[0..1] of the first
  // eight rows, b[2..3] of the others.
  __device__ __forceinline__ void load_b(uint32_t (&b)[4], int row, int k) const {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    load_matrices(b, piece(row + lane / 16 * 8 + lane % 8, 2 * k + lane / 8 % 2));
  }
  // Rows row .. row + 15 as they lie, as the second operand [16 rows, 16 columns]: b[0..1] of the
  // first eight columns from 16 n on, b[2..3] of the others.
  __device__ __forceinline__ void load_b_rows(uint32_t (&b)[4], int row, int n) const {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    load_transposed(b, piece(row + lane % 16, 2 * n + lane / 16));
  }

  // Rows first .. first + rows - 1 of a matrix whose rows lie `step` apart; zeros behind `count`
  // of them, and behind `width` of their numbers.
  __device__ __forceinline__ void fetch(const T* from, int64_t step, int64_t first, int64_t count,
                                        int rows, int64_t width) const {
    for (int i = static_cast<int>(threadIdx.x); i < rows * kPieces; i += blockDim.x) {
      const int r = i / kPieces, p = i % kPieces;
      const bool there = first + r < count && p * 8 < width;
      fetch_16(piece(r, p), from + (there ? (first + r) * step + p * 8 : 0), there);
    }
  }
};

}  // namespace jogak::cuda
