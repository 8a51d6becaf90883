// The steps of attention on one block of query rows and one tile of keys. Training and the paged
// cache share them, so that both give the same numbers.
#if defined(JOGAK_OPS_ATTENTION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef JOGAK_OPS_ATTENTION_INL_H_
#undef JOGAK_OPS_ATTENTION_INL_H_
#else
#define JOGAK_OPS_ATTENTION_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "ops/attention_kernel.h"
#include "ops/kernels/attention_copy-inl.h"
#include "ops/kernels/attention_rows-inl.h"
#include "ops/kernels/philox-inl.h"
#include "ops/kernels/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {

// The key bias of one head and tile, filled up with zeros.
template <class T>
struct TileBias {
  alignas(64) T values[kKeyTile];
  const T* data = nullptr;  // null: there is none

  TileBias(const KeyBias& bias, int64_t b, int64_t h, int64_t from) {
    if (!bias.data) return;
    const T* const row = static_cast<const T*>(bias.data) + b * bias.batch + h * bias.head;
    const int64_t count = std::min(kKeyTile, bias.keys - from);
    std::copy_n(row + from, count, values);
    std::fill(values + count, values + kKeyTile, T{0});
    data = values;
  }
};

// The bias by distance of one query and tile: keys from .. from + count - 1, filled up with zeros.
template <class T>
struct RowBias {
  alignas(64) T values[kKeyTile];

  const T* at(const DistanceBias& bias, int64_t h, int64_t place, int64_t from, int64_t count) {
    const T* const row = static_cast<const T*>(bias.data) + h * bias.head;
    const int64_t first = bias.zero + from - place, real = std::min(count, bias.columns - first);
    if (real > 0) std::copy_n(row + first, real, values);
    std::fill(values + std::max<int64_t>(real, 0), values + kKeyTile, T{0});
    return values;
  }
};

// Which keys a query at `place` sees: first .. end - 1, of `keys` in all.
struct SeenKeys {
  int64_t first = 0, end = 0;
  SeenKeys(int64_t place, int64_t keys, bool causal, int64_t window) : end(keys) {
    if (window > 0) {
      first = std::clamp<int64_t>(place - window + 1, 0, keys);
      end = std::clamp<int64_t>(place + window, 0, keys);
    }
    if (causal) end = std::clamp<int64_t>(place + 1, 0, end);
  }
};

// Queries first .. first + rows - 1 of one head: a block.
struct QueryRows {
  int64_t b, h, first, rows;
};

// Masks the scores of a block of rows against one tile of keys; each(r, top) is told the largest.
template <class T, class Each>
HWY_INLINE void MaskBlock(const AttentionArgs& g, const QueryRows& at, int64_t from, T* scores,
                          Each each) {
  const int64_t count = std::min(kKeyTile, g.keys - from);
  const TileBias<T> bias(g.bias, at.b, at.h, from);
  TileRule<T> rule{static_cast<T>(g.scale), static_cast<T>(g.cap), bias.data,
                   g.key_mask ? g.key_mask + at.b * g.keys + from : nullptr, TileSpan<T>(count)};
  RowBias<T> row_bias;
  for (int64_t r = 0; r < at.rows; ++r) {
    const int64_t place = at.first + r + g.keys - g.queries;
    const SeenKeys seen(place, g.keys, g.causal, g.window);
    if (g.distances.data) rule.bias = row_bias.at(g.distances, at.h, place, from, count);
    each(r, MaskRow(scores + r * kKeyTile, rule, std::clamp<int64_t>(seen.first - from, 0, count),
                    std::clamp<int64_t>(seen.end - from, 0, count)));
  }
}

// The tiles that rows first .. first + rows - 1 look at.
struct SeenTiles {
  int64_t begin, end;
  SeenTiles(const AttentionArgs& g, int64_t first, int64_t rows) {
    const int64_t past = g.keys - g.queries;
    begin = SeenKeys(first + past, g.keys, g.causal, g.window).first / kKeyTile;
    end = (SeenKeys(first + rows - 1 + past, g.keys, g.causal, g.window).end + kKeyTile - 1) /
          kKeyTile;
  }
};

// x * keep / (1 - rate), the kept elements chosen by the place of the weight among all weights:
// forward and backward, and any number of threads, choose the same.
template <class T>
void DropRow(const AttentionArgs& g, int64_t b, int64_t h, int64_t query, int64_t from, T* x) {
  const int64_t tiles = (g.keys + kKeyTile - 1) / kKeyTile;
  const int64_t row = (b * g.heads + h) * g.queries + query;
  Drop(drop_rule(g.dropout, g.seed, g.stream), static_cast<uint64_t>(row * tiles * kKeyTile + from),
       x, x, TileSpan<T>(std::min(kKeyTile, g.keys - from)));
}

}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
