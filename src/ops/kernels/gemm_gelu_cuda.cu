// A product whose tiles pass the exact GELU on their way out, for Hopper: cuBLASLt has that of tanh
// alone. Two groups of warps take turns, so that one computes its GELU while the other multiplies.
#include <cutlass/cutlass.h>
#include <cutlass/gemm/device/gemm_universal_adapter.h>
#include <cutlass/epilogue/collective/collective_builder.hpp>
#include <cutlass/epilogue/fusion/operations.hpp>
#include <cutlass/gemm/collective/collective_builder.hpp>
#include <cutlass/gemm/kernel/gemm_universal.hpp>

#include <algorithm>
#include <cstdint>

#include "ops/kernels/gemm_gelu.h"
#include "tensor/cuda.cuh"

namespace jogak::cuda {
namespace {

// x times the share of the normal distribution below it. What lies beyond t = |x| is 2^p(t); p, of
// degree 5, was fitted to its logarithm up to 5.5 and is off by 2.5e-4 of the tail at most, an
// eighth of what rounding to bf16 is. Beyond that it falls faster than the tail, below 1e-8.
__device__ __forceinline__ float gelu_of_tail(float x) {
  const float t = fminf(fabsf(x), 16.0f);
  float p = fmaf(t, -2.3325107e-4f, 4.8697714e-3f);
  p = fmaf(t, p, -4.4599005e-2f);
  p = fmaf(t, p, -4.6968108e-1f);
  p = fmaf(t, p, -1.1462609f);
  p = fmaf(t, p, -1.0003591f);
  float tail;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(tail) : "f"(p));
  return fmaf(0.5f, x + fabsf(x), -t * tail);
}

template <class T>
struct ExactGelu {
  static const bool kIsHeavy = true;  // CUTLASS computes such on whole fragments
  CUTLASS_HOST_DEVICE T operator()(const T& x) const {
#ifdef __CUDA_ARCH__
    return T(gelu_of_tail(float(x)));
#else
    return x;
#endif
  }
};
template <class T, int kCount>
struct ExactGelu<cutlass::Array<T, kCount>> {
  static const bool kIsHeavy = true;
  CUTLASS_HOST_DEVICE cutlass::Array<T, kCount> operator()(
      const cutlass::Array<T, kCount>& x) const {
    cutlass::Array<T, kCount> out;
    CUTLASS_PRAGMA_UNROLL
    for (int i = 0; i < kCount; ++i) out[i] = ExactGelu<T>()(x[i]);
    return out;
  }
};

using Number = cutlass::bfloat16_t;
using Tile = cute::Shape<cute::_128, cute::_128, cute::_64>;
using Cluster = cute::Shape<cute::_2, cute::_1, cute::_1>;
using Row = cutlass::layout::RowMajor;
using Column = cutlass::layout::ColumnMajor;
constexpr int kLie = 8;  // numbers of 16 bytes

using Out = typename cutlass::epilogue::collective::CollectiveBuilder<
    cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, Tile, Cluster,
    cutlass::epilogue::collective::EpilogueTileAuto, float, float, void, Row, kLie, Number, Row,
    kLie, cutlass::epilogue::TmaWarpSpecialized,
    cutlass::epilogue::fusion::LinCombPerColBiasEltAct<ExactGelu, Number, float, Number,
                                                       Number>>::CollectiveOp;
using Main = typename cutlass::gemm::collective::CollectiveBuilder<
    cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, Number, Row, kLie, Number, Column, kLie,
    float, Tile, Cluster,
    cutlass::gemm::collective::StageCountAutoCarveout<static_cast<int>(
        sizeof(typename Out::SharedStorage))>,
    cutlass::gemm::KernelTmaWarpSpecializedPingpong>::CollectiveOp;
using Kernel = cutlass::gemm::kernel::GemmUniversal<cute::Shape<int, int, int, int>, Main, Out,
                                                    cutlass::gemm::PersistentScheduler>;
using Product = cutlass::gemm::device::GemmUniversalAdapter<Kernel>;

bool is_hopper(OnCuda on) {
  static const bool found = [&] {
    int major = 0, device = 0;
    device_of(on).stream();  // this thread's GPU
    check(cudaGetDevice(&device), "device");
    check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "device");
    return major == 9;
  }();
  return found;
}

bool fits(const LinearArgs& a) {
  const Gemm& g = a.product;
  const auto lies = [](const void* p) { return reinterpret_cast<uintptr_t>(p) % 16 == 0; };
  constexpr double kWorth = 4e9;  // operations, below which tiles are too few to take turns
  return a.activation == Activation::gelu && a.bias && !a.onto && a.after == g.c &&
         g.dtype == DType::bf16 && !g.accumulate && !g.c_f32 && !g.b_bf16 && g.a_col == 1 &&
         g.b_row == 1 && g.a_row % kLie == 0 && g.b_col % kLie == 0 && g.c_row % kLie == 0 &&
         g.k % kLie == 0 && g.n % kLie == 0 && lies(g.a) && lies(g.b) && lies(g.c) &&
         lies(a.bias) && std::max({g.m, g.n, g.k}) < INT32_MAX &&
         2.0 * static_cast<double>(g.m) * static_cast<double>(g.n) * static_cast<double>(g.k) >=
             kWorth;
}

}  // namespace

bool gelu_product(OnCuda on, const LinearArgs& a) {
  if (!fits(a) || !is_hopper(on)) return false;
  const Gemm& g = a.product;
  const auto numbers = [](const void* p) { return static_cast<Number*>(const_cast<void*>(p)); };
  const auto m = static_cast<int>(g.m), n = static_cast<int>(g.n), k = static_cast<int>(g.k);
  typename Product::Arguments args{cutlass::gemm::GemmUniversalMode::kGemm,
                                   {m, n, k, 1},
                                   {numbers(g.a), {g.a_row, {}, 0}, numbers(g.b), {g.b_col, {}, 0}},
                                   {{}, nullptr, {g.c_row, {}, 0}, numbers(g.c), {g.c_row, {}, 0}}};
  args.epilogue.thread.bias_ptr = numbers(a.bias);
  args.hw_info.sm_count = device_of(on).multiprocessors();
  using Order = cutlass::gemm::kernel::detail::PersistentTileSchedulerSm90::RasterOrderOptions;
  args.scheduler.raster_order = Order::AlongN;  // rows of values are read again while they are near
  Product product;
  const auto stream = device_of(on).stream();
  return product.initialize(args, nullptr, stream) == cutlass::Status::kSuccess &&
         product.run(stream) == cutlass::Status::kSuccess;
}

}  // namespace jogak::cuda
