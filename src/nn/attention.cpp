#include "nn/attention.h"

#include <algorithm>
#include <cmath>

#include "autograd/autograd.h"
#include "nn/cache.h"
#include "ops/attention.h"
#include "ops/attention_kernel.h"
#include "ops/reshape.h"
#include "ops/slice.h"

namespace jogak {
namespace {

// Rows of keys and of values, heads side by side.
struct KvRows {
  const float *keys, *values;
  int64_t stride, heads, width;
};

// Keys go to column position % 64 of their page (which is transposed), values to that row.
void append(const KvCache& cache, int64_t layer, int sequence, int64_t position, const KvRows& from,
            int64_t row) {
  const int64_t page = position / kPageTokens, slot = position % kPageTokens;
  float* const keys = cache.key_page(layer, sequence, page) + slot;
  float* const values = cache.value_page(layer, sequence, page) + slot * from.width;
  const float *k = from.keys + row * from.stride, *v = from.values + row * from.stride;
  for (int64_t h = 0; h < from.heads; ++h)
    for (int64_t c = 0; c < from.width; ++c) {
      keys[(h * from.width + c) * kPageTokens] = k[h * from.width + c];
      values[h * kPageTokens * from.width + c] = v[h * from.width + c];
    }
}

// Runs of rows and the pages of the sequence each looks at.
struct PagedRuns {
  std::vector<cpu::PagedRun> runs;
  std::vector<int> sequences;  // of the cache, one a run

  void attend(const KvCache& cache, int64_t layer, const cpu::PagedRows& g) {
    std::vector<std::vector<const float*>> pages(2 * runs.size());
    for (size_t i = 0; i < runs.size(); ++i) {
      const int64_t last = (runs[i].position + (runs[i].rows - 1) * runs[i].stride) / kPageTokens;
      for (int64_t p = 0; p <= last; ++p) {
        pages[2 * i].push_back(cache.key_page(layer, sequences[i], p));
        pages[2 * i + 1].push_back(cache.value_page(layer, sequences[i], p));
      }
      runs[i].key_pages = pages[2 * i].data(), runs[i].value_pages = pages[2 * i + 1].data();
    }
    cpu::paged_attention(g, runs.data(), static_cast<int64_t>(runs.size()));
  }
};

PagedRuns own_runs(const CacheStep& step) {
  PagedRuns out;
  for (int64_t r = 0; r < step.rows(); ++r) {
    if (!out.runs.empty() && step.sequences[r] == out.sequences.back()) {
      ++out.runs.back().rows;
      continue;
    }
    out.runs.push_back({.first_row = r, .rows = 1, .position = step.positions[r]});
    out.sequences.push_back(step.sequences[r]);
  }
  return out;
}

// Rows over the same source stand together; all of them see the whole of it.
PagedRuns source_runs(const CacheStep& step, const KvCache& sources) {
  PagedRuns out;
  for (int64_t r = 0; r < step.rows(); ++r) {
    if (!out.runs.empty() && step.sources[r] == out.sequences.back()) {
      ++out.runs.back().rows;
      continue;
    }
    out.runs.push_back(
        {.first_row = r, .rows = 1, .position = sources.length(step.sources[r]) - 1, .stride = 0});
    out.sequences.push_back(step.sources[r]);
  }
  return out;
}

cpu::PagedRows rows_over(const Tensor& q, const Tensor& out, const AttentionShape& shape) {
  const int64_t width = shape.head_width();
  cpu::PagedRows g{
      .heads = shape.heads, .kv_heads = shape.kv_heads, .width = width, .value_width = width};
  g.scale = shape.scale != 0 ? shape.scale : 1 / std::sqrt(static_cast<double>(width));
  g.q = q.data<float>(), g.q_row = q.dim(-1), g.q_head = width;
  g.out = out.data<float>();
  return g;
}

// Keys of every position the step reaches; the table may be longer.
cpu::KeyBias bias_over(const Tensor& bias, const AttentionShape& shape, const CacheStep& step) {
  if (!bias.defined() || step.positions.empty()) return {};
  const int64_t last = *std::max_element(step.positions.begin(), step.positions.end());
  ensure<ShapeError>(bias.rank() == 3 && bias.dim(0) == 1 && bias.dim(1) == shape.heads &&
                         bias.dim(2) > last && bias.strides()[2] == 1 && bias.dtype() == DType::f32,
                     "attention: the key bias is ", bias.dtype(), " ", bias.shape(),
                     ", wanted [1, ", shape.heads, ", ", last + 1, " or more]");
  return {bias.raw(), 0, bias.strides()[1], bias.dim(2)};
}

Tensor cached_attention(const Tensor& qkv, const AttentionShape& shape, const Tensor& bias,
                        LayerRun run) {
  const int64_t width = shape.head_width();
  const Tensor x = dense(cast(qkv, DType::f32));
  const Tensor out = empty({1, x.dim(1), shape.inner()}, DType::f32, x.device());
  cpu::PagedRows g = rows_over(x, out, shape);
  g.bias = bias_over(bias, shape, *run->cache_step);
  const float* const keys = g.q + shape.heads * width;
  const KvRows rows{keys, keys + shape.kv_heads * width, x.dim(-1), shape.kv_heads, width};
  launch(x.device(), [&, keep = out] {
    const CacheStep& step = *run->cache_step;
    for (int64_t r = 0; r < step.rows(); ++r)
      append(*run->cache, run.layer, step.sequences[r], step.positions[r], rows, r);
    own_runs(step).attend(*run->cache, run.layer, g);
  });
  return record_constant("cached_attention", cast(out, qkv.dtype()), {qkv});
}

AttentionOptions options_of(const AttentionShape& shape, const AttentionMask& mask, LayerRun run) {
  AttentionOptions o{.causal = mask.causal, .scale = shape.scale, .key_mask = mask.keys};
  o.key_bias = mask.bias;
  if (run->training && shape.dropout > 0) {
    o.dropout = shape.dropout;
    o.seed = run->seed;
    o.stream = run->next_stream();
  }
  return o;
}

// Heads first .. first + count - 1 of a row that holds several side by side: [B, T, count, width].
Tensor heads_of(const Tensor& x, int64_t first, int64_t count, int64_t width) {
  return x.view({x.dim(0), x.dim(1), count, width}, {x.strides()[0], x.strides()[1], width, 1},
                x.offset() + first * width);
}

// What a probe sees and changes before the op runs: queries, keys, values, mask, scale, weights.
void show_inputs(const Tensor& q, const Tensor& k, const Tensor& v, AttentionOptions& o,
                 LayerRun run, const char* name) {
  const NoGrad quiet;
  run.pass(Part::other, "q", q, q);
  run.pass(Part::other, "k", k, k);
  run.pass(Part::other, "v", v, v);
  if (o.scale == 0) o.scale = 1 / std::sqrt(static_cast<double>(q.dim(3)));
  run->probe->attend(run.step(Part::heads, name), o);
  if (!run->probe->wants_attention()) return;
  const Tensor weights = attention_weights(q, k, o);
  run->see(name, run.layer, weights);
  run.pass(Part::other, "weights", q, weights);
}

// A probe sees the heads apart: [B, T, heads, head_width].
Tensor show_heads(Tensor side_by_side, const AttentionShape& shape, LayerRun run, Part part) {
  if (!run.watched()) return side_by_side;
  const Shape packed = side_by_side.shape();
  const Tensor apart =
      reshape(side_by_side, {packed[0], packed[1], shape.heads, shape.head_width()});
  return reshape(run.pass(part, "heads", apart, apart), packed);
}

}  // namespace

void AttentionShape::check(const char* what) const {
  ensure<ShapeError>(heads > 0 && width > 0 && (head > 0 || width % heads == 0), what, ": width ",
                     width, " is not a multiple of ", heads, " heads");
  ensure<ShapeError>(kv_heads > 0 && heads % kv_heads == 0, what, ": ", heads,
                     " heads are not a multiple of ", kv_heads, " key heads");
}

Tensor self_attention(const Tensor& qkv, const AttentionShape& shape, const AttentionMask& mask,
                      LayerRun run, const char* name) {
  if (run->cache) return cached_attention(qkv, shape, mask.bias, run);
  AttentionOptions o = options_of(shape, mask, run);
  if (run.watched()) {
    const Tensor x = dense(qkv).detach();
    const int64_t H = shape.heads, G = shape.kv_heads, D = shape.head_width();
    show_inputs(heads_of(x, 0, H, D), heads_of(x, H, G, D), heads_of(x, H + G, G, D), o, run, name);
  }
  return show_heads(attention_packed(qkv, shape.heads, shape.kv_heads, o), shape, run, Part::heads);
}

Tensor cross_attention(const Tensor& q, const Tensor& kv, const AttentionShape& shape,
                       const AttentionMask& mask, LayerRun run, const char* name) {
  AttentionOptions o = options_of(shape, mask, run);
  const int64_t B = q.dim(0), Tq = q.dim(1), Tk = kv.dim(1), G = shape.kv_heads;
  const Tensor queries = reshape(q, {B, Tq, shape.heads, shape.head_width()});
  const int64_t sizes[] = {G, G};
  const auto parts = split(reshape(kv, {B, Tk, 2 * G, shape.head_width()}), 2, sizes);
  if (run.watched())
    show_inputs(queries.detach(), parts[0].detach(), parts[1].detach(), o, run, name);
  const Tensor heads = reshape(attention(queries, parts[0], parts[1], o), {B, Tq, shape.inner()});
  return show_heads(heads, shape, run, Part::cross_heads);
}

Tensor cached_cross_attention(const Tensor& q, const AttentionShape& shape, LayerRun run) {
  const Tensor x = dense(cast(q, DType::f32));
  const Tensor out = empty(x.shape(), DType::f32, x.device());
  launch(x.device(), [&, keep = out] {
    source_runs(*run->cache_step, *run->sources)
        .attend(*run->sources, run.layer, rows_over(x, out, shape));
  });
  return record_constant("cached_cross_attention", cast(out, q.dtype()), {q});
}

void remember(KvCache& cache, int64_t layer, const Tensor& kv, const std::vector<int>& sources) {
  const Tensor x = dense(cast(kv, DType::f32));
  const CacheShape& shape = cache.shape();
  const float* const keys = x.data<float>();
  const KvRows rows{keys, keys + shape.kv_heads * shape.key_width, x.dim(-1), shape.kv_heads,
                    shape.key_width};
  launch(x.device(), [&, keep = x] {
    for (int64_t b = 0; b < x.dim(0); ++b) {
      const int source = sources[static_cast<size_t>(b)];
      for (int64_t t = 0; t < cache.length(source); ++t)
        append(cache, layer, source, t, rows, b * x.dim(1) + t);
    }
  });
}

SelfAttention::SelfAttention(Params qkv_path, Params out_path, AttentionShape s, Init qkv_init,
                             Init out_init)
    : qkv(qkv_path, s.width, (s.heads + 2 * s.kv_heads) * s.head_width(), qkv_init),
      out(out_path, s.inner(), s.width, out_init),
      shape(s) {}

CrossAttention::CrossAttention(Params q_path, Params kv_path, Params out_path, AttentionShape s,
                               Init init, Init out_init)
    : q(q_path, s.width, s.inner(), init),
      kv(kv_path, s.width, 2 * s.kv_heads * s.head_width(), init),
      out(out_path, s.inner(), s.width, out_init),
      shape(s) {}

}  // namespace jogak
