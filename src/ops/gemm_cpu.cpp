#include "ops/gemm_cpu.h"

#include <oneapi/dnnl/dnnl.hpp>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <tuple>

#include "base/parallel.h"
#include "ops/isa.h"
#include "ops/workspace.h"
#include "tensor/strided.h"

namespace jogak::cpu {
namespace {

using dnnl::memory;

std::atomic<uint64_t> created{0};

struct Primitive {
  dnnl::matmul run;
  memory::desc a, b, c, scratch;
};

// What oneDNN's choice of kernel depends on.
using Key =
    std::tuple<int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, bool, int>;

dnnl::engine& engine() {
  static dnnl::engine* instance = new dnnl::engine(dnnl::engine::kind::cpu, 0);
  return *instance;
}

Primitive make_primitive(const Gemm& g, int64_t k, bool add) {
  const auto f32 = memory::data_type::f32;
  const memory::desc a({g.m, k}, f32, memory::dims{g.a_row, g.a_col});
  const memory::desc b({k, g.n}, f32, memory::dims{g.b_row, g.b_col});
  const memory::desc c({g.m, g.n}, f32, memory::dims{g.c_row, 1});
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  if (add) {
    dnnl::post_ops after;
    after.append_sum(1.0f);
    attributes.set_post_ops(after);
  }
  const dnnl::matmul::primitive_desc plan(dnnl::matmul::desc(a, b, c), attributes, engine());
  ++created;
  return {dnnl::matmul(plan), a, b, c, plan.scratchpad_desc()};
}

// Making a primitive costs a tenth of a millisecond and more, so each shape's is kept. Shapes
// that come once (prompts of every length) must not pile up: the cache starts over when full.
Primitive cached_primitive(const Gemm& g, int64_t k, bool add) {
  static std::mutex mutex;
  static auto* cache = new std::map<Key, Primitive>;
  const Key key(g.m, g.n, k, g.a_row, g.a_col, g.b_row, g.b_col, g.c_row, add, thread_count());
  const std::scoped_lock lock(mutex);
  const auto found = cache->find(key);
  if (found != cache->end()) return found->second;
  if (cache->size() >= 1024) cache->clear();
  return cache->emplace(key, make_primitive(g, k, add)).first->second;
}

void onednn_piece(const Gemm& g, int64_t k0, int64_t k, bool add) {
  const Primitive p = cached_primitive(g, k, add);
  const auto at = [](const void* base, int64_t offset) {
    return const_cast<float*>(static_cast<const float*>(base) + offset);
  };
  const Workspace scratch(p.scratch.get_size() + 1);
  dnnl::stream stream(engine());
  p.run.execute(stream,
                {{DNNL_ARG_SRC, memory(p.a, engine(), at(g.a, k0 * g.a_col))},
                 {DNNL_ARG_WEIGHTS, memory(p.b, engine(), at(g.b, k0 * g.b_row))},
                 {DNNL_ARG_DST, memory(p.c, engine(), g.c)},
                 {DNNL_ARG_SCRATCHPAD, memory(p.scratch, engine(), scratch.as<std::byte>())}});
  stream.wait();
}

// oneDNN's AVX-512 kernels keep a fixed order for packed operands; with other strides, and on
// AVX2, it takes kernels that split k over threads and treat few rows apart: there we use our
// own. A turned A is handed over in slabs of k, which must lie packed in B as well.
bool onednn_keeps_order(const Gemm& g) {
  static const bool avx512 = std::strcmp(isa_name(), "avx512") == 0;
  const bool a_plain = g.a_col == 1 && g.a_row == g.k, a_turned = g.a_row == 1 && g.a_col == g.m;
  const bool b_plain = g.b_col == 1 && g.b_row == g.n, b_turned = g.b_row == 1 && g.b_col == g.k;
  return avx512 && g.c_row == g.n && (a_plain || (a_turned && (b_plain || g.k <= 512))) &&
         (b_plain || b_turned);
}

void gemm_f32(const Gemm& g) {
  if (!onednn_keeps_order(g)) return gemm_blocked(g);
  const int64_t piece = g.a_col == 1 ? g.k : onednn_chunk(g);
  for (int64_t k0 = 0; k0 < g.k; k0 += piece)
    onednn_piece(g, k0, std::min(piece, g.k - k0), g.accumulate || k0 > 0);
}

template <class T>
void widen(const void* from, int64_t row, int64_t col, int64_t rows, int64_t cols, float* to) {
  copy_strided(to, row_major({rows, cols}), static_cast<const T*>(from), Strides{row, col},
               Shape{rows, cols});
}

// 16-bit operands are widened, multiplied with f32 sums, and rounded once at the end.
template <class T>
void gemm_half(const Gemm& g) {
  const Workspace a(sizeof(float) * static_cast<size_t>(g.m * g.k));
  const Workspace b(sizeof(float) * static_cast<size_t>(g.k * g.n));
  const Workspace c(sizeof(float) * static_cast<size_t>(g.m * g.n));
  widen<T>(g.a, g.a_row, g.a_col, g.m, g.k, a.as<float>());
  widen<T>(g.b, g.b_row, g.b_col, g.k, g.n, b.as<float>());
  if (g.accumulate) widen<T>(g.c, g.c_row, 1, g.m, g.n, c.as<float>());
  Gemm wide = g;
  wide.dtype = DType::f32;
  wide.a = a.as<float>(), wide.a_row = g.k, wide.a_col = 1;
  wide.b = b.as<float>(), wide.b_row = g.n, wide.b_col = 1;
  wide.c = c.as<float>(), wide.c_row = g.n;
  gemm_f32(wide);
  copy_strided(static_cast<T*>(g.c), Strides{g.c_row, 1}, c.as<float>(), row_major({g.m, g.n}),
               Shape{g.m, g.n});
}

// A backward pass reads weights in bf16 across their rows: widened, it is a product like others.
void gemm_weights(const Gemm& g) {
  if (g.a_col == 1 && g.b_row == 1 && g.b_col == g.k && !g.accumulate) return gemm_bf16(g);
  const Workspace b(sizeof(float) * static_cast<size_t>(g.k * g.n));
  widen<BFloat16>(g.b, g.b_row, g.b_col, g.k, g.n, b.as<float>());
  Gemm wide = g;
  wide.b_bf16 = false, wide.b = b.as<float>(), wide.b_row = g.n, wide.b_col = 1;
  gemm_f32(wide);
}

void clear(const Gemm& g) {  // an empty sum is zero
  if (g.accumulate) return;
  const size_t size = size_of(g.dtype);
  for (int64_t i = 0; i < g.m; ++i)
    std::memset(static_cast<std::byte*>(g.c) + static_cast<size_t>(i * g.c_row) * size, 0,
                static_cast<size_t>(g.n) * size);
}

}  // namespace

void gemm(const Gemm& g) {
  if (g.m == 0 || g.n == 0) return;
  if (g.k == 0) return clear(g);
  if (g.b_bf16) return gemm_weights(g);
  switch (g.dtype) {
    case DType::f32: return gemm_f32(g);
    case DType::f64: return gemm_blocked(g);
    case DType::bf16: return gemm_half<BFloat16>(g);
    case DType::f16: return gemm_half<Float16>(g);
    default: fail<ShapeError>("gemm: found dtype ", g.dtype, ", wanted a float type");
  }
}

void gemm_batch(const Gemm& first, int64_t count, int64_t a_step, int64_t b_step, int64_t c_step) {
  const auto size = static_cast<int64_t>(size_of(first.dtype));
  const auto one = [&](int64_t i, bool blocked) {
    Gemm g = first;
    g.a = static_cast<const std::byte*>(first.a) + i * a_step * size;
    g.b = static_cast<const std::byte*>(first.b) + i * b_step * size;
    g.c = static_cast<std::byte*>(first.c) + i * c_step * size;
    blocked ? gemm_blocked(g) : gemm(g);
  };
  const bool plain = first.dtype == DType::f32 || first.dtype == DType::f64;
  const bool empty = first.m == 0 || first.n == 0 || first.k == 0;
  if (plain && !empty && count > 1)  // whole products over threads, each by our own kernel
    return parallel_for(count, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) one(i, true);
    });
  for (int64_t i = 0; i < count; ++i) one(i, false);
}

uint64_t gemm_primitives_created() { return created; }

}  // namespace jogak::cpu
