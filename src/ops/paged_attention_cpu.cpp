// Attention of new tokens over the cached pages of their sequences.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/paged_attention_cpu.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include <hwy/highway.h>

#include "base/parallel.h"
#include "ops/attention_kernel.h"
#include "ops/kernels/attention-inl.h"
#include "ops/kernels/workspace.h"

HWY_BEFORE_NAMESPACE();
namespace jogak::HWY_NAMESPACE {
namespace {

inline constexpr int64_t kRowTile = 16;  // new tokens of one sequence taken together

// Rows first .. first+count-1 of a run, one head: the same steps as ForwardBlock, on pages.
void PagedBlock(const cpu::PagedRows& g, const cpu::PagedRun& run, int64_t h, int64_t first,
                int64_t count, float* sums, float* values) {
  alignas(64) float scores[kRowTile * kKeyTile] = {};
  RowState<float> rows[kRowTile];
  const int64_t width = Padded<float>(g.value_width), kv = h / (g.heads / g.kv_heads);
  const float* const q = g.q + (run.first_row + first) * g.q_row + h * g.q_head;
  std::fill(sums, sums + count * width, 0.0f);
  const int64_t reach = run.position + (first + count - 1) * run.stride + 1;
  for (int64_t page = 0; page * kKeyTile < reach; ++page) {
    const float* const keys = run.key_pages[page] + kv * g.width * kKeyTile;
    const int64_t used = std::min(kKeyTile, reach - page * kKeyTile), span = TileSpan<float>(used);
    TileBlock(
        TileArgs<float>{g.width, q, g.q_row, 1, keys, kKeyTile, scores, kKeyTile, Into::overwrite},
        count, used);
    const TileBias<float> bias(g.bias, 0, h, page * kKeyTile);
    for (int64_t r = 0; r < count; ++r) {
      const int64_t seen = run.position + (first + r) * run.stride + 1 - page * kKeyTile;
      MaskRow(scores + r * kKeyTile, static_cast<float>(g.scale), bias.data,
              std::clamp<int64_t>(seen, 0, used), nullptr, span);
      TakeTile(scores + r * kKeyTile, span, rows[r], sums + r * width, width);
    }
    const float* tile = run.value_pages[page] + kv * kKeyTile * g.value_width;
    if (width != g.value_width) {
      CopyPadded(tile, g.value_width, used, g.value_width, width, values);
      tile = values;
    }
    TileBlock(TileArgs<float>{used, scores, kKeyTile, 1, tile, width, sums, width, Into::go_on},
              count, width);
  }
  for (int64_t r = 0; r < count; ++r) {
    float* const out = g.out + ((run.first_row + first + r) * g.heads + h) * g.value_width;
    const float scale = 1.0f / rows[r].sum;  // a token sees at least itself
    for (int64_t j = 0; j < g.value_width; ++j) out[j] = sums[r * width + j] * scale;
  }
}

}  // namespace

void PagedAttention(const cpu::PagedRows& g, const cpu::PagedRun* runs, int64_t run_count) {
  // Work items: every (run, block of rows, head), found by counting through the runs.
  int64_t items = 0;
  for (int64_t i = 0; i < run_count; ++i)
    items += (runs[i].rows + kRowTile - 1) / kRowTile * g.heads;
  const int64_t width = Padded<float>(g.value_width);
  const cpu::ThreadWorkspace scratch(sizeof(float) *
                                     static_cast<size_t>((kRowTile + kKeyTile) * width));
  parallel_for(items, 1, [&](int64_t begin, int64_t end) {
    float* const mine = scratch.mine<float>();
    for (int64_t item = begin; item < end; ++item) {
      int64_t rest = item, i = 0;
      for (;; ++i) {
        const int64_t here = (runs[i].rows + kRowTile - 1) / kRowTile * g.heads;
        if (rest < here) break;
        rest -= here;
      }
      const int64_t first = rest / g.heads * kRowTile, h = rest % g.heads;
      PagedBlock(g, runs[i], h, first, std::min(kRowTile, runs[i].rows - first), mine,
                 mine + kRowTile * width);
    }
  });
}

}  // namespace jogak::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace jogak::cpu {

HWY_EXPORT(PagedAttention);

void paged_attention(const PagedRows& rows, const PagedRun* runs, int64_t run_count) {
  HWY_DYNAMIC_DISPATCH(PagedAttention)(rows, runs, run_count);
}

}  // namespace jogak::cpu
#endif
