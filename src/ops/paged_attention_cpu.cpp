// Attention of new tokens over the cached pages of their sequences.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/paged_attention_cpu.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include <hwy/highway.h>

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

// Rows first .. first+count-1 of a run, one head: the same steps as ForwardBlock, on pages.
void PagedBlock(const PagedAttentionArgs& g, const TableRun& run, int64_t h, int64_t first,
                int64_t count, float* sums, float* values) {
  alignas(64) float scores[kRowTile * kKeyTile] = {};
  RowState<float> rows[kRowTile];
  const PageLayout& l = g.layout;
  const int64_t width = Padded<float>(l.value_width), kv = h / (g.heads / l.kv_heads);
  const float* const q =
      static_cast<const float*>(g.q) + (run.first_row + first) * g.q_row + h * g.q_head;
  std::fill(sums, sums + count * width, 0.0f);
  const int64_t reach = run.position + (first + count - 1) * run.stride + 1;
  const auto seen_by = [&](int64_t row) {
    return SeenKeys(run.position + row * run.stride, reach, true, g.window);
  };
  for (int64_t page = seen_by(first).first / kKeyTile; page * kKeyTile < reach; ++page) {
    const float* const keys = run.page(page) + l.first + kv * l.key_width * kKeyTile;
    const int64_t used = std::min(kKeyTile, reach - page * kKeyTile), span = TileSpan<float>(used);
    TileBlock(TileArgs<float>{l.key_width, q, g.q_row, 1, keys, kKeyTile, scores, kKeyTile,
                              Into::overwrite},
              count, used);
    const TileBias<float> bias(g.bias, 0, h, page * kKeyTile);
    TileRule<float> rule{static_cast<float>(g.scale), static_cast<float>(g.cap), bias.data, nullptr,
                         span};
    RowBias<float> row_bias;
    for (int64_t r = 0; r < count; ++r) {
      const SeenKeys seen = seen_by(first + r);
      if (g.distances.data)
        rule.bias = row_bias.at(g.distances, h, run.position + (first + r) * run.stride,
                                page * kKeyTile, used);
      MaskRow(scores + r * kKeyTile, rule,
              std::clamp<int64_t>(seen.first - page * kKeyTile, 0, used),
              std::clamp<int64_t>(seen.end - page * kKeyTile, 0, used));
      TakeTile(scores + r * kKeyTile, span, rows[r], sums + r * width, width);
    }
    const float* tile = run.page(page) + l.first + l.key_size() + kv * kKeyTile * l.value_width;
    if (width != l.value_width) {
      CopyPadded(tile, l.value_width, used, l.value_width, width, values);
      tile = values;
    }
    TileBlock(TileArgs<float>{used, scores, kKeyTile, 1, tile, width, sums, width, Into::go_on},
              count, width);
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
  const cpu::ThreadWorkspace scratch(sizeof(float) *
                                     static_cast<size_t>((kRowTile + kKeyTile) * width));
  parallel_for(items, 1, [&](int64_t begin, int64_t end) {
    float* const mine = scratch.mine<float>();
    for (int64_t item = begin; item < end; ++item) {
      int64_t rest = item, i = 0;
      for (;; ++i) {
        const int64_t here = items_of(TableRun(g, i));
        if (rest < here) break;
        rest -= here;
      }
      const TableRun run(g, i);
      const int64_t first = rest / g.heads * kRowTile, h = rest % g.heads;
      PagedBlock(g, run, h, first, std::min(kRowTile, run.rows - first), mine,
                 mine + kRowTile * width);
    }
  });
}

}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace jogak {

HWY_EXPORT(PagedAttention);

// Keys go to a column of their page (which is transposed), values to that row.
void run(OnCpu, const CacheRowsArgs& a) {
  const PageLayout& l = a.layout;
  for (int64_t r = 0; r < a.count; ++r) {
    float* const page = reinterpret_cast<float*>(a.slots[2 * r]);
    if (!page) continue;
    const int64_t slot = a.slots[2 * r + 1];
    float* const keys = page + l.first + slot;
    float* const values = page + l.first + l.key_size() + slot * l.value_width;
    const float* const k = static_cast<const float*>(a.rows) + r * a.row;
    const float* const v = k + l.kv_heads * l.key_width;
    for (int64_t i = 0; i < l.kv_heads * l.key_width; ++i) keys[i * kPageTokens] = k[i];
    for (int64_t h = 0; h < l.kv_heads; ++h)
      for (int64_t c = 0; c < l.value_width; ++c)
        values[h * kPageTokens * l.value_width + c] = v[h * l.value_width + c];
  }
}

void run(OnCpu, const PagedAttentionArgs& a) { HWY_DYNAMIC_DISPATCH(PagedAttention)(a); }

}  // namespace jogak
#endif
