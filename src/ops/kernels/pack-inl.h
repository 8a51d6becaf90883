// Operands of a matrix product brought into panels that are read front to back: for each step of
// k, the numbers of one tile side by side.
#if defined(JOGAK_OPS_PACK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef JOGAK_OPS_PACK_INL_H_
#undef JOGAK_OPS_PACK_INL_H_
#else
#define JOGAK_OPS_PACK_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "ops/kernels/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {

// Four lines whose numbers lie side by side -> four steps of k, `width` apart, four numbers each.
template <class T>
HWY_INLINE void TurnFour(const T* x, int64_t line, T* out, int64_t width) {
#if HWY_TARGET != HWY_SCALAR
  if constexpr (std::is_same_v<T, float>) {
    const hn::Full128<float> d;
    const hn::Full128<double> pairs;
    const auto a = hn::LoadU(d, x), b = hn::LoadU(d, x + line);
    const auto c = hn::LoadU(d, x + 2 * line), e = hn::LoadU(d, x + 3 * line);
    const auto join = [=](auto first, auto second, float* to) {
      const auto u = hn::BitCast(pairs, first), v = hn::BitCast(pairs, second);
      hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, u, v)), d, to);
      hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, u, v)), d, to + width);
    };
    join(hn::InterleaveLower(d, a, b), hn::InterleaveLower(d, c, e), out);
    join(hn::InterleaveUpper(d, a, b), hn::InterleaveUpper(d, c, e), out + 2 * width);
    return;
  }
#endif
  for (int64_t p = 0; p < 4; ++p)
    for (int64_t j = 0; j < 4; ++j) out[p * width + j] = x[j * line + p];
}

// The same for numbers of one step that lie side by side already: `kCount` of them at a time.
template <int64_t kCount, int64_t kTimes, class T>
HWY_INLINE void CopySteps(const T* x, int64_t step, int64_t k, int64_t width, T* out) {
  const hn::CappedTag<T, kCount> d;
  for (int64_t p = 0; p < k; ++p)
#pragma GCC unroll 8
    for (int64_t i = 0; i < kCount * kTimes; i += static_cast<int64_t>(hn::Lanes(d)))
      hn::StoreU(hn::LoadU(d, x + p * step + i), d, out + p * width + i);
}

template <class T>
void CopyPanel(const T* x, int64_t step, int64_t lines, int64_t k, int64_t width, T* out) {
  int64_t i = 0;
  if (lines == 48) return CopySteps<16, 3>(x, step, k, width, out);
  for (; i + 16 <= lines; i += 16) CopySteps<16, 1>(x + i, step, k, width, out + i);
  for (; i + 8 <= lines; i += 8) CopySteps<8, 1>(x + i, step, k, width, out + i);
  for (; i + 4 <= lines; i += 4) CopySteps<4, 1>(x + i, step, k, width, out + i);
  for (; i < width; ++i)
    for (int64_t p = 0; p < k; ++p) out[p * width + i] = i < lines ? x[p * step + i] : T{0};
}

// `lines` of a matrix (rows of A, columns of B), `k` numbers each: out[p * width + i] is number p
// of line i, and zero for lines behind the last.
template <class T>
void PackPanel(const T* x, int64_t line, int64_t step, int64_t lines, int64_t k, int64_t width,
               T* out) {
  if (line == 1) return CopyPanel(x, step, lines, k, width, out);
  int64_t whole_lines = 0, whole_k = 0;
  if (step == 1) {
    whole_lines = lines / 4 * 4, whole_k = k / 4 * 4;
    for (int64_t i = 0; i < whole_lines; i += 4)
      for (int64_t p = 0; p < whole_k; p += 4)
        TurnFour(x + i * line + p, line, out + p * width + i, width);
  }
  for (int64_t i = 0; i < width; ++i)
    for (int64_t p = i < whole_lines ? whole_k : 0; p < k; ++p)
      out[p * width + i] = i < lines ? x[i * line + p * step] : T{0};
}

// Panels of `unit` lines, one behind the other; the last may have fewer, a multiple of `round`.
template <class T>
void PackPanels(const T* x, int64_t line, int64_t step, int64_t lines, int64_t k, int64_t unit,
                int64_t round, T* out) {
  // Lines that lie across memory are read a few steps at a time, so that whole stretches are used.
  const int64_t steps = line == 1 ? 16 : k;
  for (int64_t p = 0; p < k; p += steps)
    for (int64_t i = 0; i < lines; i += unit) {
      const int64_t count = std::min(unit, lines - i), width = (count + round - 1) / round * round;
      PackPanel(x + i * line + p * step, line, step, count, std::min(steps, k - p), width,
                out + i * k + p * width);
    }
}

// Numbers that the next piece will be packed from: fetched little by little while tiles are
// computed, for memory is slower than a core that has to wait for it.
class Ahead {
 public:
  Ahead() = default;
  template <class T>
  Ahead(const T* x, int64_t line, int64_t step, int64_t lines, int64_t k, int64_t tiles)
      : at_(reinterpret_cast<const char*>(x)) {
    const bool along_k = step == 1;
    bytes_ = static_cast<int64_t>(sizeof(T)) * (along_k ? k : lines);
    stride_ = static_cast<int64_t>(sizeof(T)) * (along_k ? line : step);
    rows_ = along_k ? lines : k;
    each_ = rows_ * ((bytes_ + 63) / 64) / std::max<int64_t>(tiles, 1) + 1;
  }
  HWY_INLINE void fetch() {
    for (int64_t i = 0; i < each_ && rows_ > 0; ++i) {
      __builtin_prefetch(at_ + column_, 0, 2);
      column_ += 64;
      if (column_ < bytes_) continue;
      column_ = 0, at_ += stride_, --rows_;
    }
  }

 private:
  const char* at_ = nullptr;
  int64_t bytes_ = 0, stride_ = 0, rows_ = 0, each_ = 0, column_ = 0;
};

// Numbers that lie side by side and are needed next: one line is asked for with every step of k.
template <class T>
struct Lines {
  static constexpr int64_t kOne = static_cast<int64_t>(64 / sizeof(T));
  const T* first = nullptr;
  int64_t count = 0;  // of numbers

  // Where the turn of so many steps begins; null when everything was asked for.
  const T* some(int64_t turn, int64_t steps) const {
    return turn * steps * kOne < count ? first + turn * steps * kOne : nullptr;
  }
};

}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
