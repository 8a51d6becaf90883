// Attention of new tokens over the cached pages of their sequences.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/paged_attention_cpu.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "ops/kernels/attention-inl.h"
#include "ops/kernels/workspace.h"
#include "ops/paged_attention_kernel.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {
namespace {

inline constexpr int64_t kRowTile = 16;  // new tokens of one sequence taken together

struct TableRun {  // a row of both tables
  int64_t first_row, rows, position, stride;
  const int64_t* pages;
  TableRun(const PagedAttentionArgs& g, int64_t i)
      : first_row(g.runs[4 * i]),
        rows(g.runs[4 * i + 1]),
        position(g.runs[4 * i + 2]),
        stride(g.runs[4 * i + 3]),
        pages(g.pages + i * g.most) {}
  const float* page(int64_t p) const { return reinterpret_cast<const float*>(pages[p]); }
};

// Rows of floats in memory that will be read soon.
struct Rows {
  const float* at = nullptr;
  int64_t rows = 0, stride = 0, width = 0;
};

// What comes after the keys that are read now: one row of it is asked for with every row that is
// read, so that memory is busy while sums are made, and the lines come long before they are needed.
struct Coming {
  Rows values, keys;  // of this page; of the next
  HWY_INLINE void ask() {
    Rows& next = values.rows > 0 ? values : keys;
    if (next.rows == 0) return;
    for (int64_t i = 0; i < next.width; i += 16) __builtin_prefetch(next.at + i, 0, 3);
    next.at += next.stride, --next.rows;
  }
};

// C += A B for one row of A, kV vectors: sums in the order of Tile.
template <int kV>
HWY_INLINE void OneRow(const TileArgs<float>& t, int64_t first, Coming& coming, bool asks) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = hn::Lanes(d);
  hn::Vec<decltype(d)> sum[kV];
#pragma GCC unroll 8
  for (int v = 0; v < kV; ++v)
    sum[v] = t.into == Into::go_on ? hn::LoadU(d, t.c + first + v * lanes) : hn::Zero(d);
  const float* b = t.b + first;
  for (int64_t k = 0; k < t.k; ++k, b += t.b_row) {
    if (asks) coming.ask();
    const auto left = hn::Set(d, t.a[k]);
#pragma GCC unroll 8
    for (int v = 0; v < kV; ++v) sum[v] = hn::MulAdd(left, hn::LoadU(d, b + v * lanes), sum[v]);
  }
#pragma GCC unroll 8
  for (int v = 0; v < kV; ++v) hn::StoreU(sum[v], d, t.c + first + v * lanes);
}

HWY_NOINLINE void OneRowBlock(const TileArgs<float>& t, int64_t cols, Coming& coming) {
  const int64_t lanes = hn::Lanes(hn::ScalableTag<float>());
  const int64_t vectors = (cols + lanes - 1) / lanes;
  int64_t v = 0;
  for (; v + 8 <= vectors; v += 8) OneRow<8>(t, v * lanes, coming, v == 0);
  for (; v + 4 <= vectors; v += 4) OneRow<4>(t, v * lanes, coming, v == 0);
  for (; v + 2 <= vectors; v += 2) OneRow<2>(t, v * lanes, coming, v == 0);
  for (; v < vectors; ++v) OneRow<1>(t, v * lanes, coming, v == 0);
}

// Numbers of a page as floats: `count` of them, a multiple of the vector.
void OpenBf16(const BFloat16* page, int64_t count, float* out) {
  const hn::ScalableTag<float> d;
  const hn::Rebind<hwy::bfloat16_t, decltype(d)> half;
  const auto* const from = reinterpret_cast<const hwy::bfloat16_t*>(page);
  for (int64_t i = 0; i < count; i += hn::Lanes(d))
    hn::StoreU(hn::PromoteTo(d, hn::LoadU(half, from + i)), d, out + i);
}

template <class D>
auto Codes(D d, const int8_t* from) {
  const hn::RebindToSigned<D> whole;
  const hn::Rebind<int8_t, D> small;
  return hn::ConvertTo(d, hn::PromoteTo(whole, hn::LoadU(small, from)));
}

// The keys of a head in a page, [key_width, 64] f32: of as many tokens as whole vectors need.
const float* Keys(const PageLayout& l, const float* page, int64_t kv, int64_t span,
                  float* scratch) {
  const float* const layer = page + l.first;
  if (l.type == CacheType::f32) return layer + kv * l.key_width * kKeyTile;
  if (l.type == CacheType::bf16) {
    OpenBf16(reinterpret_cast<const BFloat16*>(layer) + kv * l.key_width * kKeyTile,
             l.key_width * kKeyTile, scratch);
    return scratch;
  }
  const hn::ScalableTag<float> d;
  const auto* const codes = reinterpret_cast<const int8_t*>(layer) + kv * l.key_width * kKeyTile;
  const float* const scales = layer + l.scales_at(l.key_width) + kv * kKeyTile;
  for (int64_t c = 0; c < l.key_width; ++c)
    for (int64_t t = 0; t < span; t += hn::Lanes(d))
      hn::StoreU(hn::Mul(Codes(d, codes + c * kKeyTile + t), hn::LoadU(d, scales + t)), d,
                 scratch + c * kKeyTile + t);
  return scratch;
}

// The values of a head in a page, `used` rows of `width`: the layout's, filled up with zeros.
const float* ValueRows(const PageLayout& l, const float* page, int64_t kv, int64_t used,
                       int64_t width, float* scratch) {
  const float* const layer = page + l.first + l.key_size();
  const int64_t first = kv * kKeyTile * l.value_width;
  const hn::ScalableTag<float> d;
  if (l.type == CacheType::f32) {
    if (width == l.value_width) return layer + first;
    CopyPadded(RowsOf<const float>{layer + first, l.value_width}, used, l.value_width, width,
               scratch);
    return scratch;
  }
  std::fill(scratch, scratch + used * width, 0.0f);
  const int64_t whole = l.value_width / hn::Lanes(d) * hn::Lanes(d);
  const auto* const halves = reinterpret_cast<const BFloat16*>(layer) + first;
  const auto* const codes = reinterpret_cast<const int8_t*>(layer) + first;
  const float* const scales = layer + l.scales_at(l.value_width) + kv * kKeyTile;
  for (int64_t t = 0; t < used; ++t) {
    const int64_t row = t * l.value_width;
    float* const out = scratch + t * width;
    if (l.type == CacheType::bf16) {
      OpenBf16(halves + row, whole, out);
      for (int64_t c = whole; c < l.value_width; ++c) out[c] = static_cast<float>(halves[row + c]);
      continue;
    }
    for (int64_t c = 0; c < whole; c += hn::Lanes(d))
      hn::StoreU(hn::Mul(Codes(d, codes + row + c), hn::Set(d, scales[t])), d, out + c);
    for (int64_t c = whole; c < l.value_width; ++c)
      out[c] = scales[t] * static_cast<float>(codes[row + c]);
  }
  return scratch;
}

// Rows first .. first + count - 1 of a run, one head.
struct Block {
  TableRun run;
  int64_t h, first, count;

  int64_t reach() const { return run.position + (first + count - 1) * run.stride + 1; }
  SeenKeys seen_by(const PagedAttentionArgs& g, int64_t row) const {
    return SeenKeys(run.position + row * run.stride, reach(), true, g.window);
  }
  int64_t first_page(const PagedAttentionArgs& g) const {
    return seen_by(g, first).first / kKeyTile;
  }
  int64_t used(int64_t page) const { return std::min(kKeyTile, reach() - page * kKeyTile); }
};

// What a block reads of a page in f32.
Rows KeyLines(const PagedAttentionArgs& g, const Block& block, int64_t page) {
  const PageLayout& l = g.layout;
  const int64_t kv = block.h / (g.heads / l.kv_heads);
  return {block.run.page(page) + l.first + kv * l.key_width * kKeyTile, l.key_width, kKeyTile,
          block.used(page)};
}
Rows ValueLines(const PagedAttentionArgs& g, const Block& block, int64_t page) {
  const PageLayout& l = g.layout;
  const int64_t kv = block.h / (g.heads / l.kv_heads);
  return {block.run.page(page) + l.first + l.key_size() + kv * kKeyTile * l.value_width,
          block.used(page), l.value_width, l.value_width};
}

// Asks memory for what several rows meet of a page, where it is so little that its keys are a line
// here and a line there, which nothing else asks for beforehand. Of f32.
void FetchShort(const PagedAttentionArgs& g, const Block& block, int64_t page) {
  constexpr int64_t kLine = 16;
  const PageLayout& l = g.layout;
  const int64_t used = block.used(page);
  if (used > kKeyTile / 2 || l.type != CacheType::f32) return;
  const Rows keys = KeyLines(g, block, page);
  for (int64_t t = 0; t < used; t += kLine)
    for (int64_t c = 0; c < keys.rows; ++c) __builtin_prefetch(keys.at + c * keys.stride + t);
  const Rows values = ValueLines(g, block, page);
  for (int64_t i = 0; i < used * l.value_width; i += kLine) __builtin_prefetch(values.at + i);
}

// The same steps as ForwardBlock, on pages. `after`: the block that comes next, or null.
void PagedBlock(const PagedAttentionArgs& g, const Block& block, const Block* after, float* sums) {
  alignas(64) float scores[kRowTile * kKeyTile] = {};
  RowState<float> rows[kRowTile];
  const PageLayout& l = g.layout;
  const TableRun& run = block.run;
  const int64_t h = block.h, first = block.first, count = block.count;
  const int64_t width = Padded<float>(l.value_width), kv = h / (g.heads / l.kv_heads);
  const bool alone = count == 1 && l.type == CacheType::f32;
  float *const values = sums + kRowTile * width, *const opened = values + kKeyTile * width;
  const float* const q =
      static_cast<const float*>(g.q) + (run.first_row + first) * g.q_row + h * g.q_head;
  std::fill(sums, sums + count * width, 0.0f);
  const int64_t reach = block.reach();
  Coming coming;
  const auto multiply = [&](const TileArgs<float>& t, int64_t cols) {
    alone ? OneRowBlock(t, cols, coming) : TileBlock(t, count, cols);
  };
  for (int64_t page = block.first_page(g); page * kKeyTile < reach; ++page) {
    const int64_t used = block.used(page), span = TileSpan<float>(used);
    const bool last = (page + 1) * kKeyTile >= reach;
    const Block* const next = last ? after : &block;
    const int64_t next_page = last && after ? after->first_page(g) : page + 1;
    if (alone)
      coming = {ValueLines(g, block, page), next ? KeyLines(g, *next, next_page) : Rows()};
    else if (next)
      FetchShort(g, *next, next_page);
    const float* const keys = Keys(l, run.page(page), kv, span, opened);
    multiply({l.key_width, q, g.q_row, 1, keys, kKeyTile, scores, kKeyTile, Into::overwrite}, used);
    const TileBias<float> bias(g.bias, 0, h, page * kKeyTile);
    TileRule<float> rule{static_cast<float>(g.scale), static_cast<float>(g.cap), bias.data, nullptr,
                         span};
    RowBias<float> row_bias;
    for (int64_t r = 0; r < count; ++r) {
      const SeenKeys seen = block.seen_by(g, first + r);
      if (g.distances.data)
        rule.bias = row_bias.at(g.distances, h, run.position + (first + r) * run.stride,
                                page * kKeyTile, used);
      float* const row = scores + r * kKeyTile;
      const float top =
          MaskRow(row, rule, std::clamp<int64_t>(seen.first - page * kKeyTile, 0, used),
                  std::clamp<int64_t>(seen.end - page * kKeyTile, 0, used));
      TakeTile(row, span, top, rows[r], sums + r * width, width);
    }
    const float* const tile = ValueRows(l, run.page(page), kv, used, width, values);
    multiply({used, scores, kKeyTile, 1, tile, width, sums, width, Into::go_on}, width);
  }
  for (int64_t r = 0; r < count; ++r) {
    float* const out =
        static_cast<float*>(g.out) + ((run.first_row + first + r) * g.heads + h) * l.value_width;
    const float scale = 1.0f / rows[r].sum;  // a token sees at least itself
    for (int64_t j = 0; j < l.value_width; ++j) out[j] = sums[r * width + j] * scale;
  }
}

}  // namespace

void PagedAttention(const PagedAttentionArgs& g) {
  // Work items: every (run, block of rows, head), found by counting through the runs.
  const auto items_of = [&](const TableRun& run) {
    return (run.rows + kRowTile - 1) / kRowTile * g.heads;
  };
  int64_t items = 0;
  for (int64_t i = 0; i < g.run_count; ++i) items += items_of(TableRun(g, i));
  const int64_t width = Padded<float>(g.layout.value_width);
  const int64_t opened = g.layout.type == CacheType::f32 ? 0 : kKeyTile * g.layout.key_width;
  const cpu::ThreadWorkspace scratch(sizeof(float) *
                                     static_cast<size_t>((kRowTile + kKeyTile) * width + opened));
  const auto block_of = [&](int64_t i, int64_t item) {
    const TableRun run(g, i);
    const int64_t first = item / g.heads * kRowTile;
    return Block{run, item % g.heads, first, std::min(kRowTile, run.rows - first)};
  };
  // Some at a time where there are many: of those the next is known.
  const int64_t grain = std::clamp<int64_t>(items / (16 * thread_count()), 1, 8);
  parallel_for(items, grain, [&](int64_t begin, int64_t end) {
    float* const mine = scratch.mine<float>();
    int64_t i = 0, own = begin;  // a run, and which of its items
    for (; own >= items_of(TableRun(g, i)); ++i) own -= items_of(TableRun(g, i));
    Block block = block_of(i, own);
    for (int64_t item = begin; item < end; ++item) {
      const bool more = item + 1 < end;
      if (more && ++own == items_of(block.run)) ++i, own = 0;
      const Block after = more ? block_of(i, own) : block;
      PagedBlock(g, block, more ? &after : nullptr, mine);
      block = after;
    }
  });
}

}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace jogak {

HWY_EXPORT(PagedAttention);

namespace {

// The numbers of one token and head, `step` elements apart in the page, rounded as it keeps them.
struct HeadPlace {
  CacheType type;
  float* numbers;  // where those of all heads begin
  int64_t at, step;
  float* scale;  // of q8

  void put(const float* x, int64_t width) const {
    if (type == CacheType::f32)
      for (int64_t c = 0; c < width; ++c) numbers[at + c * step] = x[c];
    else if (type == CacheType::bf16)
      for (int64_t c = 0; c < width; ++c)
        reinterpret_cast<BFloat16*>(numbers)[at + c * step] = BFloat16(x[c]);
    else
      put_codes(x, width);
  }
  void put_codes(const float* x, int64_t width) const {
    float most = 0;
    for (int64_t c = 0; c < width && !std::isnan(most); ++c)
      if (!(std::fabs(x[c]) <= most)) most = std::fabs(x[c]);  // NaN, too, which stays
    *scale = most / 127;
    const float steps = std::isfinite(most) && most > 0 ? 127 / most : 0;
    for (int64_t c = 0; c < width; ++c)
      reinterpret_cast<int8_t*>(numbers)[at + c * step] =
          static_cast<int8_t>(steps > 0 ? std::nearbyint(x[c] * steps) : 0);
  }
};

}  // namespace

// Keys go to a column of their page (which is transposed), values to that row. Heads apart: tokens
// share lines of memory.
void run(OnCpu, const CacheRowsArgs& a) {
  const PageLayout& l = a.layout;
  const auto put = [&](int64_t r, int64_t h) {
    float* const page = reinterpret_cast<float*>(a.slots[2 * r]);
    if (!page) return;
    const int64_t slot = a.slots[2 * r + 1], own = h * kPageTokens + slot;
    float *const keys = page + l.first, *const values = keys + l.key_size();
    const float* const k = static_cast<const float*>(a.rows) + r * a.row;
    const float* const v = k + l.kv_heads * l.key_width;
    HeadPlace{l.type, keys, h * l.key_width * kPageTokens + slot, kPageTokens,
              keys + l.scales_at(l.key_width) + own}
        .put(k + h * l.key_width, l.key_width);
    HeadPlace{l.type, values, own * l.value_width, 1, values + l.scales_at(l.value_width) + own}
        .put(v + h * l.value_width, l.value_width);
  };
  const int64_t numbers = a.count * (l.key_width + l.value_width);  // of a head
  parallel_for(l.kv_heads, (1 << 14) / (numbers + 1) + 1, [&](int64_t begin, int64_t end) {
    for (int64_t h = begin; h < end; ++h)
      for (int64_t r = 0; r < a.count; ++r) put(r, h);
  });
}

void run(OnCpu, const PagedAttentionArgs& a) { HWY_DYNAMIC_DISPATCH(PagedAttention)(a); }

}  // namespace jogak
#endif
