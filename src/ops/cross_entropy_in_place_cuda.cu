#include "ops/kernels/cross_entropy.cuh"
#include "ops/kernels/mma.cuh"

namespace jogak::cuda {
namespace {

// Loss and gradient of a row that waits in shared memory.
template <class T>
__device__ void finish_held(const CrossEntropyInPlaceArgs& args, int64_t row, const T* held, T* dx,
                            Carried<T>& mine, CudaFault* fault) {
  const CrossEntropyRows& a = args.forward.rows;
  if (!counts(args.forward, row, fault)) {
    no_loss<T>(args.forward, row);
    return write_zeros(a, dx, 0);
  }
  const Sum<T> lse = finish_row(args.forward, row, mine, held[a.targets[row]]);
  write_slopes(a, held, dx, RowSlope<T>(args.backward, row, lse));
}

// A block a row: logits are read once and written once.
template <class T>
__global__ void __launch_bounds__(1024)
    cross_entropy_in_place_kernel(CrossEntropyInPlaceArgs args, CudaFault* fault) {
  const CrossEntropyRows& a = args.forward.rows;
  const int64_t row = blockIdx.x, first = row_begin(a, row);
  const T* const x = static_cast<const T*>(a.logits) + first;
  T* const dx = static_cast<T*>(args.backward.dlogits) + first;
  T* const held = dynamic_shared<T>();
  using P = Pack<T, kPackWide<T>>;
  const int64_t packs = packs_of(x, a.classes);
  Carried<T> mine{.smooth = a.smoothing != 0};
  constexpr int kAtOnce = 4;  // loads on their way
  for (int64_t first_pack = threadIdx.x; first_pack < packs; first_pack += kAtOnce * blockDim.x) {
    P pack[kAtOnce];
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i)
      if (const int64_t p = first_pack + i * blockDim.x; p < packs)
        pack[i] = reinterpret_cast<const P*>(x)[p];
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i)
      if (const int64_t p = first_pack + i * blockDim.x; p < packs) {
        reinterpret_cast<P*>(held)[p] = pack[i];
        mine.take(pack[i].at);
      }
  }
  for (int64_t j = packs * kPackWide<T> + threadIdx.x; j < a.classes; j += blockDim.x) {
    const T one[] = {held[j] = x[j]};
    mine.take(one);
  }
  __syncthreads();
  finish_held(args, row, held, dx, mine, fault);
}

// A block a multiprocessor, rows in turn: while one is computed and written, the next is on its
// way. Rows are of 16-bit numbers and begin where 16 bytes do.
template <class T>
__global__ void __launch_bounds__(1024)
    cross_entropy_in_turn_kernel(CrossEntropyInPlaceArgs args, CudaFault* fault) {
  constexpr int kWide = kPackWide<T>;
  using P = Pack<T, kWide>;
  const CrossEntropyRows& a = args.forward.rows;
  const int packs = static_cast<int>((a.classes + kWide - 1) / kWide);  // padding makes them whole
  const auto place = [&](int which) { return dynamic_shared<T>() + which * packs * kWide; };
  const auto fetch_row = [&](int64_t row, T* to) {
    const T* const from = static_cast<const T*>(a.logits) + row_begin(a, row);
    for (int p = static_cast<int>(threadIdx.x); p < packs; p += static_cast<int>(blockDim.x))
      fetch_16(to + p * kWide, from + p * kWide, true);
  };
  fetch_row(blockIdx.x, place(0));
  fetched();
  int which = 0;
  for (int64_t row = blockIdx.x; row < a.rows; row += gridDim.x, which ^= 1) {
    if (row + gridDim.x < a.rows) fetch_row(row + gridDim.x, place(which ^ 1));
    fetched();
    await_fetches<1>();
    __syncthreads();
    const T* const held = place(which);
    Carried<T> mine{.smooth = a.smoothing != 0};
    const int whole = static_cast<int>(a.classes / kWide);
    for (int p = static_cast<int>(threadIdx.x); p < whole; p += static_cast<int>(blockDim.x)) {
      const P pack = reinterpret_cast<const P*>(held)[p];
      mine.take(pack.at);
    }
    if (const int64_t j = whole * kWide + threadIdx.x; j < a.classes) {
      const T one[] = {held[j]};
      mine.take(one);
    }
    finish_held(args, row, held, static_cast<T*>(args.backward.dlogits) + row_begin(a, row), mine,
                fault);
    __syncthreads();  // before the row after the next comes here
  }
}

}  // namespace

void run(OnCuda on, const CrossEntropyInPlaceArgs& a) {
  const CrossEntropyRows& rows = a.forward.rows;
  const size_t room = device_of(on).shared_memory() - 2048;  // some is taken by the sums
  for_float(rows.dtype, [&]<class T>() {
    const Grid one{.blocks = rows.rows,
                   .threads = threads_for_row(rows.classes),
                   .shared = static_cast<size_t>(rows.classes) * sizeof(T)};
    if constexpr (sizeof(T) == 2) {
      constexpr int64_t kWide = kPackWide<T>, kFewest = 4096;  // classes
      const size_t two = 2 * static_cast<size_t>((rows.classes + kWide - 1) / kWide) * 16;
      const bool whole = (rows.classes + rows.padding) % kWide == 0 &&
                         reinterpret_cast<uintptr_t>(rows.logits) % 16 == 0;
      if (whole && two <= room && rows.classes >= kFewest)
        return start(on,
                     {.blocks = std::min<int64_t>(rows.rows, device_of(on).multiprocessors()),
                      .threads = one.threads,
                      .shared = two},
                     cross_entropy_in_turn_kernel<T>, a, device_of(on).fault());
    }
    if (one.shared <= room)
      return start(on, one, cross_entropy_in_place_kernel<T>, a, device_of(on).fault());
    run(on, a.forward);
    run(on, a.backward);
  });
}

}  // namespace jogak::cuda
