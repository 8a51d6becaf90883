#include "nn/attention.h"

#include <cmath>

#include "autograd/autograd.h"
#include "nn/cache.h"
#include "ops/attention.h"
#include "ops/reshape.h"
#include "ops/slice.h"

namespace jogak {
namespace {

// Columns first .. first + count - 1 of the rows of a dense x.
Tensor columns_of(const Tensor& x, int64_t first, int64_t count) {
  return x.view({x.rows(), count}, {x.dim(-1), 1}, x.offset() + first);
}

// Queries that stand first in the rows of x, as the op reads them: [rows, heads, head_width].
Tensor queries_of(const Tensor& x, const AttentionShape& shape) {
  const int64_t width = shape.head_width();
  return x.view({x.rows(), shape.heads, width}, {x.dim(-1), width, 1}, x.offset());
}

Tensor cached_attention(const Tensor& qkv, const AttentionShape& shape, const AttentionMask& mask,
                        LayerRun run) {
  const Tensor x = dense(qkv);
  const CacheStep& step = *run->cache_step;
  const PageLayout layout = run->cache->layout(run.layer);
  cache_rows(columns_of(x, shape.inner(), shape.kv_inner()), step.slots, layout);
  const Tensor out = paged_attention(queries_of(x, shape), step.runs, layout,
                                     {.scale = shape.scale,
                                      .window = mask.window,
                                      .cap = shape.cap,
                                      .key_bias = mask.bias,
                                      .distance_bias = mask.distances});
  return record_constant("cached_attention",
                         cast(reshape(out, {1, x.dim(1), shape.outer()}), qkv.dtype()), {qkv});
}

AttentionOptions options_of(const AttentionShape& shape, const AttentionMask& mask, LayerRun run) {
  AttentionOptions o{.causal = mask.causal,
                     .scale = shape.scale,
                     .window = mask.window,
                     .cap = shape.cap,
                     .key_mask = mask.keys};
  o.key_bias = mask.bias, o.distance_bias = mask.distances;
  if (run->training && shape.dropout > 0) {
    o.dropout = shape.dropout;
    o.seed = run->seed;
    o.stream = run->next_stream();
  }
  return o;
}

// `count` heads, each `width` wide, from column `first` of rows on: [B, T, count, width].
Tensor heads_of(const Tensor& x, int64_t first, int64_t count, int64_t width) {
  return x.view({x.dim(0), x.dim(1), count, width}, {x.strides()[0], x.strides()[1], width, 1},
                x.offset() + first);
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

// Keys beside values that may be of another width, [B, T, kv_inner]: the two apart, by heads.
std::pair<Tensor, Tensor> keys_and_values(const Tensor& kv, const AttentionShape& shape) {
  const int64_t B = kv.dim(0), T = kv.dim(1), G = shape.kv_heads;
  const int64_t D = shape.head_width(), E = shape.value_width();
  if (D == E) {
    const int64_t sizes[] = {G, G};
    const auto parts = split(reshape(kv, {B, T, 2 * G, D}), 2, sizes);
    return {parts[0], parts[1]};
  }
  const int64_t sizes[] = {G * D, G * E};
  const auto parts = split(kv, 2, sizes);
  return {reshape(parts[0], {B, T, G, D}), reshape(parts[1], {B, T, G, E})};
}

// In one piece where queries, keys and values are equally wide.
Tensor attention_of(const Tensor& qkv, const AttentionShape& shape, const AttentionOptions& o) {
  if (shape.head_width() == shape.value_width())
    return attention_packed(qkv, shape.heads, shape.kv_heads, o);
  const int64_t B = qkv.dim(0), T = qkv.dim(1), sizes[] = {shape.inner(), shape.kv_inner()};
  const auto parts = split(qkv, 2, sizes);
  const auto [k, v] = keys_and_values(parts[1], shape);
  const Tensor q = reshape(parts[0], {B, T, shape.heads, shape.head_width()});
  return reshape(attention(q, k, v, o), {B, T, shape.outer()});
}

// A probe sees the heads apart: [B, T, heads, value_width].
Tensor show_heads(Tensor side_by_side, const AttentionShape& shape, LayerRun run, Part part) {
  if (!run.watched()) return side_by_side;
  const Shape packed = side_by_side.shape();
  const Tensor apart =
      reshape(side_by_side, {packed[0], packed[1], shape.heads, shape.value_width()});
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
  if (run->cache) return cached_attention(qkv, shape, mask, run);
  AttentionOptions o = options_of(shape, mask, run);
  if (run.watched()) {
    const Tensor x = dense(qkv).detach();
    const int64_t H = shape.heads, G = shape.kv_heads, D = shape.head_width();
    show_inputs(heads_of(x, 0, H, D), heads_of(x, H * D, G, D),
                heads_of(x, (H + G) * D, G, shape.value_width()), o, run, name);
  }
  return show_heads(attention_of(qkv, shape, o), shape, run, Part::heads);
}

Tensor first_of_attention(const Tensor& qkv, const AttentionShape& shape, int64_t count,
                          LayerRun run) {
  const Tensor x = dense(qkv);
  const int64_t H = shape.heads, G = shape.kv_heads, D = shape.head_width();
  const Tensor q = slice(heads_of(x, 0, H, D), 1, 0, count);
  const Tensor out =
      attention(q, heads_of(x, H * D, G, D), heads_of(x, (H + G) * D, G, shape.value_width()),
                options_of(shape, {}, run));
  return reshape(out, {x.dim(0), count, shape.outer()});
}

Tensor cross_attention(const Tensor& q, const Tensor& kv, const AttentionShape& shape,
                       const AttentionMask& mask, LayerRun run, const char* name) {
  AttentionOptions o = options_of(shape, mask, run);
  const int64_t B = q.dim(0), Tq = q.dim(1);
  const Tensor queries = reshape(q, {B, Tq, shape.heads, shape.head_width()});
  const auto [keys, values] = keys_and_values(kv, shape);
  if (run.watched()) show_inputs(queries.detach(), keys.detach(), values.detach(), o, run, name);
  const Tensor heads = reshape(attention(queries, keys, values, o), {B, Tq, shape.outer()});
  return show_heads(heads, shape, run, Part::cross_heads);
}

Tensor cached_cross_attention(const Tensor& q, const AttentionShape& shape, LayerRun run) {
  const Tensor x = dense(q);
  const Tensor out = paged_attention(queries_of(x, shape), run->cache_step->sources,
                                     run->sources->layout(run.layer), {.scale = shape.scale});
  return record_constant("cached_cross_attention",
                         reshape(out, {x.dim(0), x.dim(1), shape.outer()}), {q});
}

void remember(KvCache& cache, int64_t layer, const Tensor& kv, const std::vector<int>& sources) {
  const Tensor x = dense(kv);
  cache_rows(columns_of(x, 0, x.dim(-1)), cache.all_of(sources, x.dim(1)), cache.layout(layer));
}

SelfAttention::SelfAttention(Params qkv_path, Params out_path, AttentionShape s, Init qkv_init,
                             Init out_init)
    : qkv(qkv_path.sections({s.inner(), s.kv_heads * s.head_width(), s.kv_heads * s.value_width()}),
          s.width, s.inner() + s.kv_inner(), qkv_init),
      out(out_path, s.outer(), s.width, out_init),
      shape(s) {}

CrossAttention::CrossAttention(Params q_path, Params kv_path, Params out_path, AttentionShape s,
                               Init init, Init out_init)
    : q(q_path, s.width, s.inner(), init),
      kv(kv_path, s.width, s.kv_inner(), init),
      out(out_path, s.outer(), s.width, out_init),
      shape(s) {}

}  // namespace jogak
