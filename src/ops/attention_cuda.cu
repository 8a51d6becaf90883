#include <string>

#include "ops/kernels/attention_cudnn.h"
#include "ops/kernels/attention_fast.cuh"

namespace jogak::cuda {
namespace {

// A block takes kQueryRows queries of one head over all keys they see, tile by tile: the softmax is
// carried along, and the [queries, keys] weights are never held.
template <class T>
__global__ void attention_kernel(AttentionArgs g, DropOnDevice drop) {
  const DropRule rule = drop.now();
  using S = Sum<T>;
  const int D = static_cast<int>(g.width), E = static_cast<int>(g.value_width);
  const int64_t b = blockIdx.z, h = blockIdx.y, kv = h / (g.heads / g.kv_heads);
  const int64_t first = static_cast<int64_t>(blockIdx.x) * kQueryRows;
  S* const q = dynamic_shared<S>();           // [kQueryRows, D]
  S* const k = q + kQueryRows * D;            // [kKeyRows, D + 1]
  S* const v = k + kKeyRows * (D + 1);        // [kKeyRows, E]
  S* const w = v + kKeyRows * E;              // [kQueryRows, kKeyRows]
  S* const sums = w + kQueryRows * kKeyRows;  // [kQueryRows, E]
  S* const top = sums + kQueryRows * E;
  S *const total = top + kQueryRows, *const fade = total + kQueryRows;
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
  load_rows<T>(g.q, b, h, first, g.queries, kQueryRows, D, D, q);
  for (int i = thread; i < kQueryRows * E; i += kAttentionThreads) sums[i] = 0;
  if (thread < kQueryRows) top[thread] = lowest<S>(), total[thread] = 0;
  const int64_t reach = reach_of(g, first + kQueryRows - 1);
  for (int64_t from = begin_of(g, first) / kKeyRows * kKeyRows; from < reach; from += kKeyRows) {
    __syncthreads();
    load_rows<T>(g.k, b, kv, from, g.keys, kKeyRows, D, D + 1, k);
    load_rows<T>(g.v, b, kv, from, g.keys, kKeyRows, E, E, v);
    __syncthreads();
    for (int r = warp; r < kQueryRows; r += kAttentionThreads / 32) {
      const int64_t query = first + r, key = from + lane;
      const S score = masked(g, b, h, query, key, dot(q + r * D, k + lane * (D + 1), D));
      const S old = top[r], here = Larger()(old, over_warp(score, Larger()));
      const bool none = here == lowest<S>();
      S weight = none ? S{0} : exp(score - here);
      const S part = over_warp(weight, Plus());
      if (g.dropout > 0 && query < g.queries && key < g.keys)
        weight *= dropped<S>(g, rule, b, h, query, key);
      w[r * kKeyRows + lane] = weight;
      __syncwarp();  // all have read top[r]
      if (lane == 0) {
        fade[r] = none || old == here ? S{1} : exp(old - here);
        total[r] = total[r] * fade[r] + part;
        top[r] = here;
      }
    }
    __syncthreads();
    for (int i = thread; i < kQueryRows * E; i += kAttentionThreads) {
      const int r = i / E, c = i - r * E;
      S sum = sums[i] * fade[r];
      for (int j = 0; j < kKeyRows; ++j) sum += w[r * kKeyRows + j] * v[j * E + c];
      sums[i] = sum;
    }
  }
  __syncthreads();
  for (int i = thread; i < kQueryRows * E; i += kAttentionThreads) {
    const int r = i / E, c = i - r * E;
    if (first + r >= g.queries) continue;
    const S scale = total[r] > S{0} || total[r] != total[r] ? S{1} / total[r] : S{0};
    at<T>(g.out, b, first + r, h)[c] = narrow<T>(sums[i] * scale);
  }
  if (g.lse && thread < kQueryRows && first + thread < g.queries)
    static_cast<S*>(g.lse)[(b * g.heads + h) * g.queries + first + thread] =
        total[thread] > S{0} ? top[thread] + log(total[thread]) : top[thread];
}

// A block a query: its scores, then their softmax in place.
template <class T>
__global__ void weights_kernel(AttentionArgs g) {
  using S = Sum<T>;
  const int64_t b = blockIdx.z, h = blockIdx.y, query = blockIdx.x;
  const int64_t kv = h / (g.heads / g.kv_heads);
  S* const out = static_cast<S*>(g.weights) + ((b * g.heads + h) * g.queries + query) * g.keys;
  const T* const q = at<T>(g.q, b, query, h);
  const auto score = [&](int64_t key) {
    const T* const k = at<T>(g.k, b, key, kv);
    S sum = 0;
    for (int64_t c = 0; c < g.width; ++c) sum += wide(q[c]) * wide(k[c]);
    return masked(g, b, h, query, key, sum);
  };
  S top = lowest<S>();
  for (int64_t key = threadIdx.x; key < g.keys; key += blockDim.x) top = Larger()(top, score(key));
  top = over_block(top, Larger(), lowest<S>());
  S sum = 0;
  if (top != lowest<S>())
    for (int64_t key = threadIdx.x; key < g.keys; key += blockDim.x) sum += exp(score(key) - top);
  sum = sum_over_block(sum);
  for (int64_t key = threadIdx.x; key < g.keys; key += blockDim.x)
    out[key] = narrow<T>(top == lowest<S>() ? S{0} : exp(score(key) - top) / sum);
}

}  // namespace

std::string attention_kernels() {
  if constexpr (kWithCudnn) {
    if (found_cudnn()) return "attention of long rows by cuDNN";
    return "attention by jogak's kernels: cuDNN (libcudnn.so.9) was not found; name its folder in "
           "JOGAK_CUDA_LIBS";
  }
  return "attention by jogak's kernels: built without cuDNN's frontend";
}

void run(OnCuda on, const AttentionArgs& g) {
  if constexpr (kWithCudnn)
    if (cudnn_attention(on, g)) return;
  if (!g.weights && takes_fast(g)) return fast_attention(on, g);
  const DropOnDevice rule(on, drop_rule(g.dropout, g.seed, g.stream));
  for_float(g.dtype, [&]<class T>() {
    using S = Sum<T>;
    const size_t D = static_cast<size_t>(g.width), E = static_cast<size_t>(g.value_width);
    const size_t numbers = kQueryRows * (D + E + kKeyRows + 3) + kKeyRows * (D + 1 + E);
    check_shared<S>(on, numbers);
    start(on,
          {.blocks = (g.queries + kQueryRows - 1) / kQueryRows,
           .threads = kAttentionThreads,
           .shared = numbers * sizeof(S),
           .y = g.heads,
           .z = g.batches},
          attention_kernel<T>, g, rule);
    if (g.weights)
      start(on, {.blocks = g.queries, .threads = 128, .y = g.heads, .z = g.batches},
            weights_kernel<T>, g);
  });
}

}  // namespace jogak::cuda
