#include <cub/device/device_radix_sort.cuh>

#include "ops/embedding_kernel.h"
#include "tensor/cuda.cuh"

namespace jogak::cuda {
namespace {

// A block a place; rows move in the widest words both sides allow.
template <class Word>
__global__ void embedding_kernel(EmbeddingArgs a, CudaFault* fault) {
  const int64_t place = blockIdx.x, id = a.ids[place];
  if (id < 0 || id >= a.vocab) {
    if (threadIdx.x == 0 && atomicCAS(&fault->kind, 0, int{CudaFault::id}) == 0)
      fault->value = id, fault->place = place, fault->limit = a.vocab;
    return;
  }
  const int64_t words = static_cast<int64_t>(a.row_bytes / sizeof(Word));
  const Word* const from = static_cast<const Word*>(a.weight) + id * words;
  Word* const to = static_cast<Word*>(a.y) + place * words;
  for (int64_t i = threadIdx.x; i < words; i += blockDim.x) to[i] = from[i];
}

template <class Word>
bool fits(const EmbeddingArgs& a) {
  return a.row_bytes % sizeof(Word) == 0 &&
         (reinterpret_cast<uintptr_t>(a.weight) | reinterpret_cast<uintptr_t>(a.y)) %
                 sizeof(Word) ==
             0;
}

// Where the places of id v begin among the sorted ones; first[vocab] is their number.
struct FirstAt {
  const int64_t* sorted;
  int64_t n;
  int64_t* first;
  __device__ void operator()(int64_t v) const {
    int64_t low = 0, high = n;
    while (low < high) {
      const int64_t middle = (low + high) / 2;
      if (sorted[middle] < v)
        low = middle + 1;
      else
        high = middle;
    }
    first[v] = low;
  }
};

// A block an id, and 128 columns of it: its places in order.
template <class T>
__global__ void embedding_backward_kernel(EmbeddingBackwardArgs a) {
  const int64_t v = blockIdx.x, col = static_cast<int64_t>(blockIdx.y) * blockDim.x + threadIdx.x;
  if (col >= a.cols) return;
  T* const out = static_cast<T*>(a.dw) + v * a.cols + col;
  const int64_t begin = a.first[v], end = a.first[v + 1];
  if (begin == end || v == a.constant) {
    if (!a.add) *out = narrow<T>(Sum<T>{0});
    return;
  }
  const T* const dy = static_cast<const T*>(a.dy) + col;
  Sum<T> sum = 0;
#pragma unroll 8
  for (int64_t p = begin; p < end; ++p) sum += wide(dy[a.places[p] * a.cols]);
  // A gradient of its own would be rounded to T before it is added to another.
  *out = a.add ? narrow<T>(wide(*out) + wide(narrow<T>(sum))) : narrow<T>(sum);
}

struct Iota {
  int64_t* out;
  __device__ void operator()(int64_t i) const { out[i] = i; }
};

// places and first of the arguments: a stable sort by id.
void sort_places(OnCuda on, const EmbeddingBackwardArgs& a) {
  const size_t n = static_cast<size_t>(a.n);
  const Workspace sorted(on, n * sizeof(int64_t)), places(on, n * sizeof(int64_t));
  each(on, a.n, Iota{places.as<int64_t>()});
  int bits = 1;
  while (bits < 63 && (int64_t{1} << bits) < a.vocab) ++bits;
  const auto sort = [&](void* memory, size_t& bytes) {
    check(cub::DeviceRadixSort::SortPairs(memory, bytes, a.ids, sorted.as<int64_t>(),
                                          places.as<int64_t>(), a.places, a.n, 0, bits,
                                          device_of(on).stream()),
          "sort");
  };
  size_t bytes = 0;
  sort(nullptr, bytes);
  const Workspace memory(on, bytes);
  sort(memory.as<std::byte>(), bytes);
  each(on, a.vocab + 1, FirstAt{sorted.as<int64_t>(), a.n, a.first});
}

}  // namespace

void run(OnCuda on, const EmbeddingArgs& a) {
  const Grid grid{.blocks = a.count, .threads = 128};
  CudaFault* const fault = device_of(on).fault();
  if (fits<uint4>(a)) return start(on, grid, embedding_kernel<uint4>, a, fault);
  if (fits<uint32_t>(a)) return start(on, grid, embedding_kernel<uint32_t>, a, fault);
  start(on, grid, embedding_kernel<uint16_t>, a, fault);
}

void run(OnCuda on, const EmbeddingBackwardArgs& a) {
  if (a.n > 0)
    sort_places(on, a);
  else
    check(cudaMemsetAsync(a.first, 0, static_cast<size_t>(a.vocab + 1) * sizeof(int64_t),
                          device_of(on).stream()),
          "zeros");
  constexpr int kThreads = 128;
  for_float(a.dtype, [&]<class T>() {
    start(on, {.blocks = a.vocab, .threads = kThreads, .y = (a.cols + kThreads - 1) / kThreads},
          embedding_backward_kernel<T>, a);
  });
}

}  // namespace jogak::cuda
