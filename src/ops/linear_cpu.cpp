#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/linear_cpu.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "base/parallel.h"
#include "ops/kernels/activation-inl.h"
#include "ops/kernels/gemm_cpu.h"
#include "ops/kernels/simd-inl.h"
#include "ops/kernels/workspace.h"
#include "ops/linear_kernel.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {
namespace {

// One row of a part: everything a layer does after its product, in one pass.
template <class T, class Kind>
HWY_INLINE void FinishRow(Kind kind, const LayerPart& part, int64_t r) {
  const Tag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t at = (part.row + r) * part.step + part.col;
  const T* const sums = static_cast<const T*>(part.sums) + r * part.sums_step;
  const T* const bias = part.bias ? static_cast<const T*>(part.bias) + part.col : nullptr;
  const T* const onto = part.onto ? static_cast<const T*>(part.onto) + at : nullptr;
  T *const z = static_cast<T*>(part.z) + at, *const y = part.y ? static_cast<T*>(part.y) + at : z;
  const auto times = static_cast<SumType<T>>(part.times);
  const auto step = [=](int64_t i, auto load, auto store) {
    auto v = load(sums + i);
    if (bias) v = Kept<T>(d, hn::Add(v, load(bias + i)));
    if (onto) v = Kept<T>(d, hn::Add(v, load(onto + i)));
    if (y != z) store(v, z + i);
    store(hn::Mul(Act(d, v, kind), hn::Set(d, times)), y + i);
  };
  int64_t i = 0;
  for (; i + lanes <= part.cols; i += lanes)
    step(
        i, [=](const T* p) { return LoadAs(d, p); }, [=](auto v, T* p) { StoreAs(v, d, p); });
  if (const auto left = static_cast<size_t>(part.cols - i); left > 0)
    step(
        i, [=](const T* p) { return LoadTail(d, p, left); },
        [=](auto v, T* p) { StoreTail(v, d, p, left); });
}

// The same of a part whose activation is all that is left: one loop over all of its rows, which may
// be a few vectors long. Rows that lie one behind the other are one.
template <class T, class F>
void ActivatePart(const LayerPart& part, F f) {
  const Tag<T> d;
  const bool one = part.cols == part.step && part.cols == part.sums_step;
  const int64_t rows = one ? 1 : part.rows, cols = one ? part.rows * part.cols : part.cols;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d)), vectors = cols / lanes;
  const T* sums = static_cast<const T*>(part.sums);
  T* y = static_cast<T*>(part.y) + part.row * part.step + part.col;
  for (int64_t left = rows * vectors, v = 0; left > 0; --left) {
    StoreAs(f(d, LoadAs(d, sums + v * lanes)), d, y + v * lanes);
    if (++v == vectors) sums += part.sums_step, y += part.step, v = 0;
  }
  if (const int64_t done = vectors * lanes; done < cols) {
    sums = static_cast<const T*>(part.sums) + done;
    y = static_cast<T*>(part.y) + part.row * part.step + part.col + done;
    for (int64_t r = 0; r < rows; ++r)
      Map(sums + r * part.sums_step, y + r * part.step, cols - done, f);
  }
}

template <class T, class Kind>
void ActivatePart(Kind kind, const LayerPart& part) {
  const auto act = [=](auto d, auto v) { return Act(d, v, kind); };
  if (part.times == 1) return ActivatePart<T>(part, act);
  const auto times = static_cast<SumType<T>>(part.times);
  ActivatePart<T>(part, [=](auto d, auto v) { return hn::Mul(act(d, v), hn::Set(d, times)); });
}

inline constexpr int64_t kBlockRows = 128;  // rows whose column sums are made together
inline constexpr int64_t kStripe = 512;     // columns of a block that one thread takes

// `cols` columns of the rows of one block, which lie `row` apart, top to bottom: dz, and the
// block's column sums.
template <class T, class Kind>
void BackwardRows(Kind kind, const T* z, const T* dy, T* dz, SumType<T>* sums, int64_t rows,
                  int64_t cols, int64_t row) {
  const Tag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  // z and dz are null without an activation: their places are made only where they are used.
  const auto step = [=](int64_t at, auto sum, auto load, auto store) {
    auto g = load(dy + at);
    if constexpr (Kind::value != Activation::none) {
      g = hn::Mul(g, ActGrad(d, load(z + at), kind));
      store(g, dz + at);
    }
    return hn::Add(sum, g);
  };
  std::fill(sums, sums + cols, SumType<T>{0});
  for (int64_t r = 0; r < rows; ++r) {
    int64_t i = 0;
    for (; i + lanes <= cols; i += lanes) {
      const auto load = [=](const T* p) { return LoadAs(d, p); };
      const auto store = [=](auto v, T* p) { StoreAs(v, d, p); };
      hn::StoreU(step(r * row + i, hn::LoadU(d, sums + i), load, store), d, sums + i);
    }
    if (const auto left = static_cast<size_t>(cols - i); left > 0) {
      const auto load = [=](const T* p) { return LoadTail(d, p, left); };
      const auto store = [=](auto v, T* p) { StoreTail(v, d, p, left); };
      StoreTail(step(r * row + i, LoadTail(d, sums + i, left), load, store), d, sums + i, left);
    }
  }
}

// The blocks' sums, added in their order.
template <class T>
void AddBlocks(const SumType<T>* sums, int64_t blocks, int64_t cols, T* out) {
  parallel_for(cols, (1 << 15) / (blocks + 1) + 1, [=](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c) {
      SumType<T> total = 0;
      for (int64_t b = 0; b < blocks; ++b) total += sums[b * cols + c];
      out[c] = convert<T>(total);
    }
  });
}

}  // namespace

using FinishPart = void (*)(const LinearArgs& layer, const void* sums, int64_t step,
                            const cpu::Part& at);

FinishPart FinishOf(DType dtype, Activation act) {
  FinishPart out = nullptr;
  for_float_type(dtype, [&]<class T>() {
    ForActivation(act, [&](auto kind) {
      out = [](const LinearArgs& a, const void* sums, int64_t step, const cpu::Part& at) {
        const LayerPart part{sums,   step,    a.product.c, a.bias,  a.onto,          a.after,
                             at.row, at.rows, at.col,      at.cols, a.product.c_row, a.times};
        if (!part.bias && !part.onto && part.y == part.z)
          return ActivatePart<T>(decltype(kind)(), part);
        for (int64_t r = 0; r < part.rows; ++r) FinishRow<T>(decltype(kind)(), part, r);
      };
    });
  });
  return out;
}

void BiasActivateBackward(DType dtype, Activation act, const void* z_any, const void* dy_any,
                          void* dz_any, void* dbias_any, int64_t rows, int64_t cols) {
  for_float_type(dtype, [=]<class T>() {
    const T *z = static_cast<const T*>(z_any), *dy = static_cast<const T*>(dy_any);
    T *dz = static_cast<T*>(dz_any), *dbias = static_cast<T*>(dbias_any);
    const int64_t blocks = (rows + kBlockRows - 1) / kBlockRows;
    const cpu::Workspace all(sizeof(SumType<T>) * static_cast<size_t>(blocks * cols) + 1);
    auto* const sums = all.as<SumType<T>>();
    ForActivation(act, [=](auto kind) {
      const int64_t stripes = (cols + kStripe - 1) / kStripe;
      parallel_for(blocks * stripes, 1, [=](int64_t begin, int64_t end) {
        for (int64_t task = begin; task < end; ++task) {
          const int64_t first = task / stripes * kBlockRows, left = task % stripes * kStripe;
          const int64_t at = first * cols + left;
          BackwardRows(kind, z ? z + at : z, dy + at, dz ? dz + at : dz,
                       sums + task / stripes * cols + left, std::min(kBlockRows, rows - first),
                       std::min(kStripe, cols - left), cols);
        }
      });
    });
    if (dbias) AddBlocks(sums, blocks, cols, dbias);
  });
}

}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace jogak {

HWY_EXPORT(FinishOf);
HWY_EXPORT(BiasActivateBackward);

namespace {

// What is done to a part of a product, with all that it needs.
struct Finish {
  const LinearArgs& layer;
  void (*call)(const LinearArgs& layer, const void* sums, int64_t step, const cpu::Part& at);
};

}  // namespace

void run(OnCpu, const LinearArgs& a) {
  LinearArgs rest = a;  // what the product leaves to do
  Gemm g = a.product;
  if (cpu::adds_bias(g)) g.bias = std::exchange(rest.bias, nullptr);
  if (!rest.bias && !rest.onto && !rest.after) {
    cpu::gemm(g);
    return;
  }
  const Finish finish{rest, HWY_DYNAMIC_DISPATCH(FinishOf)(g.dtype, a.activation)};
  const cpu::PartDone done{
      &finish, [](const void* with, const void* sums, int64_t step, const cpu::Part& at) {
        const Finish& self = *static_cast<const Finish*>(with);
        self.call(self.layer, sums, step, at);
      }};
  if (cpu::gemm(g, &done)) return;
  parallel_for(g.m, (1 << 14) / (g.n + 1) + 1, [&](int64_t begin, int64_t end) {
    const auto at = static_cast<size_t>(begin * g.c_row) * size_of(g.dtype);
    finish.call(rest, static_cast<const std::byte*>(g.c) + at, g.c_row,
                {begin, end - begin, 0, g.n});
  });
}

void run(OnCpu, const LinearBackwardArgs& a) {
  HWY_DYNAMIC_DISPATCH(BiasActivateBackward)
  (a.dtype, a.activation, a.z, a.dy, a.dz, a.dbias, a.rows, a.cols);
}

}  // namespace jogak
#endif
