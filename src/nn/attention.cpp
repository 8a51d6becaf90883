#include "nn/attention.h"

#include <algorithm>
#include <cmath>

#include "autograd/autograd.h"
#include "nn/cache.h"
#include "ops/attention.h"
#include "ops/attention_kernel.h"

namespace jogak {
namespace {

struct Heads {  // where queries, keys and values of a row begin
  int64_t heads, kv_heads, width;
  int64_t row() const { return (heads + 2 * kv_heads) * width; }
};

// Row r's keys go to column position % 64 of their page (which is turned), values to that row.
void append(const KvCache& cache, const CacheStep& step, int64_t layer, const float* qkv, Heads n) {
  for (int64_t r = 0; r < step.rows(); ++r) {
    const int64_t page = step.positions[r] / kPageTokens, slot = step.positions[r] % kPageTokens;
    float* const keys = cache.key_page(layer, step.sequences[r], page) + slot;
    float* const values = cache.value_page(layer, step.sequences[r], page) + slot * n.width;
    const float* const k = qkv + r * n.row() + n.heads * n.width;
    const float* const v = k + n.kv_heads * n.width;
    for (int64_t h = 0; h < n.kv_heads; ++h)
      for (int64_t c = 0; c < n.width; ++c) {
        keys[(h * n.width + c) * kPageTokens] = k[h * n.width + c];
        values[h * kPageTokens * n.width + c] = v[h * n.width + c];
      }
  }
}

void attend(const KvCache& cache, const CacheStep& step, int64_t layer, const cpu::PagedRows& g) {
  std::vector<cpu::PagedRun> runs;
  for (int64_t r = 0; r < step.rows(); ++r) {
    if (!runs.empty() && step.sequences[r] == step.sequences[runs.back().first_row])
      ++runs.back().rows;
    else
      runs.push_back({.first_row = r, .rows = 1, .position = step.positions[r]});
  }
  std::vector<std::vector<const float*>> pages(2 * runs.size());
  for (size_t i = 0; i < runs.size(); ++i) {
    const int sequence = step.sequences[runs[i].first_row];
    const int64_t last = (runs[i].position + runs[i].rows - 1) / kPageTokens;
    for (int64_t p = 0; p <= last; ++p) {
      pages[2 * i].push_back(cache.key_page(layer, sequence, p));
      pages[2 * i + 1].push_back(cache.value_page(layer, sequence, p));
    }
    runs[i].key_pages = pages[2 * i].data(), runs[i].value_pages = pages[2 * i + 1].data();
  }
  cpu::paged_attention(g, runs.data(), static_cast<int64_t>(runs.size()));
}

Tensor cached_attention(const Tensor& qkv, const AttentionShape& shape, LayerRun run) {
  const Heads n{shape.heads, shape.kv_heads, shape.head_width()};
  const Tensor x = dense(cast(qkv, DType::f32));
  const Tensor out = empty({1, x.dim(1), shape.width}, DType::f32, x.device());
  cpu::PagedRows g{
      .heads = n.heads, .kv_heads = n.kv_heads, .width = n.width, .value_width = n.width};
  g.scale = shape.scale != 0 ? shape.scale : 1 / std::sqrt(static_cast<double>(n.width));
  g.q = x.data<float>(), g.q_row = n.row(), g.q_head = n.width;
  g.out = out.data<float>();
  launch(x.device(), [&, keep = out] {
    append(*run->cache, *run->cache_step, run.layer, g.q, n);
    attend(*run->cache, *run->cache_step, run.layer, g);
  });
  return record_constant("cached_attention", cast(out, qkv.dtype()), {qkv});
}

void show_weights(const Tensor& qkv, const AttentionShape& shape, const AttentionOptions& o,
                  LayerRun run) {
  const int64_t width = shape.head_width();
  const Tensor x = dense(qkv);
  const auto part = [&](int64_t first, int64_t count) {
    return x.view({x.dim(0), x.dim(1), count, width}, {x.strides()[0], x.strides()[1], width, 1},
                  x.offset() + first * width);
  };
  const NoGrad quiet;
  run->see("attentions", run.layer,
           attention_weights(part(0, shape.heads), part(shape.heads, shape.kv_heads), o));
}

}  // namespace

void AttentionShape::check(const char* what) const {
  ensure<ShapeError>(heads > 0 && width > 0 && width % heads == 0, what, ": width ", width,
                     " is not a multiple of ", heads, " heads");
  ensure<ShapeError>(kv_heads > 0 && heads % kv_heads == 0, what, ": ", heads,
                     " heads are not a multiple of ", kv_heads, " key heads");
}

Tensor causal_self_attention(const Tensor& qkv, const AttentionShape& shape, LayerRun run) {
  if (run->cache) return cached_attention(qkv, shape, run);
  AttentionOptions o{.causal = true, .scale = shape.scale, .key_mask = run->key_mask};
  if (run->training && shape.dropout > 0) {
    o.dropout = shape.dropout;
    o.seed = run->seed;
    o.stream = run->next_stream();
  }
  if (run->probe && run->probe->wants_attention()) show_weights(qkv, shape, o, run);
  return attention_packed(qkv, shape.heads, shape.kv_heads, o);
}

MultiHeadAttention::MultiHeadAttention(Params qkv_path, Params out_path, AttentionShape s,
                                       Init out_init)
    : qkv(qkv_path, s.width, (s.heads + 2 * s.kv_heads) * s.head_width()),
      out(out_path, s.width, s.width, out_init),
      shape(s) {}

}  // namespace jogak
