#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/linear_cpu.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include <hwy/highway.h>

#include <algorithm>

#include "base/parallel.h"
#include "ops/kernels/activation-inl.h"
#include "ops/kernels/gemm_cpu.h"
#include "ops/kernels/simd-inl.h"
#include "ops/kernels/workspace.h"
#include "ops/linear_kernel.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {
namespace {

template <class T>
void AddRow(T* z, const T* more, int64_t cols) {
  Map(z, more, z, cols, [](auto, auto a, auto b) { return hn::Add(a, b); });
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

void BiasActivate(DType dtype, Activation act, const LayerPart& part) {
  for_float_type(dtype, [&]<class T>() {
    ForActivation(act, [&](auto kind) {
      for (int64_t r = 0; r < part.rows; ++r) {
        const int64_t at = (part.row + r) * part.step + part.col;
        T* const z = static_cast<T*>(part.z) + at;
        if (part.bias) AddRow(z, static_cast<const T*>(part.bias) + part.col, part.cols);
        if (part.onto) AddRow(z, static_cast<const T*>(part.onto) + at, part.cols);
        if (part.y)
          Map(z, static_cast<T*>(part.y) + at, part.cols,
              [kind](auto d, auto v) { return Act(d, v, kind); });
      }
    });
  });
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

HWY_EXPORT(BiasActivate);
HWY_EXPORT(BiasActivateBackward);

void run(OnCpu, const LinearArgs& a) {
  const Gemm& g = a.product;
  if (!a.bias && !a.onto && !a.after) {
    cpu::gemm(g);
    return;
  }
  const auto finish = [](const void* with, int64_t row, int64_t rows, int64_t col, int64_t cols) {
    const auto& layer = *static_cast<const LinearArgs*>(with);
    const Gemm& product = layer.product;
    HWY_DYNAMIC_DISPATCH(BiasActivate)
    (product.dtype, layer.activation,
     {product.c, layer.bias, layer.onto, layer.after, row, rows, col, cols, product.n});
  };
  const cpu::PartDone done{&a, finish};
  if (cpu::gemm(g, &done)) return;
  parallel_for(g.m, (1 << 14) / (g.n + 1) + 1,
               [&](int64_t begin, int64_t end) { finish(&a, begin, end - begin, 0, g.n); });
}

void run(OnCpu, const LinearBackwardArgs& a) {
  HWY_DYNAMIC_DISPATCH(BiasActivateBackward)
  (a.dtype, a.activation, a.z, a.dy, a.dz, a.dbias, a.rows, a.cols);
}

}  // namespace jogak
#endif
