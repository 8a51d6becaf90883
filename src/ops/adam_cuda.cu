#include "ops/adam_kernel.h"
#include "ops/kernels/tensor_list.cuh"

namespace jogak::cuda {
namespace {

constexpr int64_t kBlock = 4096;  // elements of a block

// Four neighbours at a time, so that many loads are on their way; fewer where a tensor ends.
constexpr int kAtOnce = 4;

struct AdamRates {
  double beta1, beta2, eps;
};

template <class T, class G>
__device__ __forceinline__ void adam(const AdamRates& r, const UpdateNumbers& n, const AdamPiece& p,
                                     int64_t begin, int64_t end) {
  T *const w = static_cast<T*>(p.weight), *const m = static_cast<T*>(p.m),
           *const v = static_cast<T*>(p.v);
  const G* const grad = static_cast<const G*>(p.grad);
  auto* const copy = static_cast<__nv_bfloat16*>(p.copy);
  const T scale = static_cast<T>(n.scale), pull = static_cast<T>(p.pull);
  const T beta1 = static_cast<T>(r.beta1), rest1 = static_cast<T>(1 - r.beta1);
  const T beta2 = static_cast<T>(r.beta2), rest2 = static_cast<T>(1 - r.beta2);
  const T root = static_cast<T>(n.v_root), eps = static_cast<T>(r.eps);
  const T keep = static_cast<T>(1 - __dmul_rn(n.rate, p.shrink));  // rounded as on the host
  const T rate = static_cast<T>(n.m_rate);
  const auto one = [&](T& weight, T& m1, T& v1, G slope) {
    const T g = fma(pull, weight, static_cast<T>(wide(slope)) * scale);
    m1 = fma(beta1, m1, rest1 * g);
    v1 = fma(beta2, v1, rest2 * (g * g));
    weight = weight * keep - rate * m1 / fma(sqrt(v1), root, eps);
  };
  using P = Pack<T, kAtOnce>;
  const bool even = begin % kAtOnce == 0 && reinterpret_cast<uintptr_t>(grad) % sizeof(P) == 0;
  const int64_t packs = even ? (end - begin) / kAtOnce : 0;
  for (int64_t i = begin / kAtOnce + threadIdx.x; i < begin / kAtOnce + packs; i += blockDim.x) {
    P weight = reinterpret_cast<P*>(w)[i], m1 = reinterpret_cast<P*>(m)[i],
      v1 = reinterpret_cast<P*>(v)[i];
    const auto slope = reinterpret_cast<const Pack<G, kAtOnce>*>(grad)[i];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) one(weight.at[k], m1.at[k], v1.at[k], slope.at[k]);
    reinterpret_cast<P*>(w)[i] = weight;
    reinterpret_cast<P*>(m)[i] = m1;
    reinterpret_cast<P*>(v)[i] = v1;
    if (!copy) continue;
    Pack<__nv_bfloat16, kAtOnce> rounded;
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k)
      rounded.at[k] = __float2bfloat16_rn(static_cast<float>(weight.at[k]));
    reinterpret_cast<Pack<__nv_bfloat16, kAtOnce>*>(copy)[i] = rounded;
  }
  for (int64_t i = begin + packs * kAtOnce + threadIdx.x; i < end; i += blockDim.x) {
    one(w[i], m[i], v[i], grad[i]);
    if (copy) copy[i] = __float2bfloat16_rn(static_cast<float>(w[i]));
  }
}

__global__ void adam_kernel(AdamRates rates, UpdateNumbers numbers, const UpdateNumbers* there,
                            TensorTable<AdamPiece> table) {
  if (there) numbers = *there;
  if (numbers.allowed == 0) return;
  const ListedTensor<AdamPiece>& t = table.of(blockIdx.x);
  const AdamPiece p = t.piece;
  const int64_t begin = (blockIdx.x - t.first_block) * kBlock;
  const int64_t end = begin + kBlock < p.count ? begin + kBlock : p.count;
  if (p.dtype == DType::f64)
    adam<double, double>(rates, numbers, p, begin, end);
  else if (p.short_grad)
    adam<float, __nv_bfloat16>(rates, numbers, p, begin, end);
  else
    adam<float, float>(rates, numbers, p, begin, end);
}

}  // namespace

void run(OnCuda on, const AdamArgs& a) {
  const AdamRates rates{a.beta1, a.beta2, a.eps};
  with_table(on, a.tensors, kBlock, [&](const TensorTable<AdamPiece>& table, int64_t blocks) {
    start(on, {.blocks = blocks}, adam_kernel, rates, a.numbers, a.there, table);
  });
}

}  // namespace jogak::cuda
