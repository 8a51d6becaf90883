#include "models/decoders/falcon.h"

#include <algorithm>
#include <cmath>

#include "nn/cache.h"
#include "nn/layers.h"
#include "ops/add.h"
#include "ops/alibi.h"
#include "ops/rope.h"
#include "ops/slice.h"

namespace jogak {
namespace {

using Block = FalconConfig::Block;

// Only ALiBi's attention drops weights: that is how Falcon was made.
AttentionShape shape_of(const FalconConfig& c) {
  return {c.width, c.heads, c.kv_heads, 0, c.alibi ? c.attn_drop : 0, c.head_width()};
}

// Slope, place and product were rounded to bf16 when Falcon was trained, and lines are scaled with
// the scores they are added to.
AlibiOptions line_options(const FalconConfig& c, const Tensor& key_mask) {
  const auto head = static_cast<double>(c.head_width());
  return {.key_mask = key_mask, .divisor = std::sqrt(head), .in_bf16 = true};
}

constexpr int64_t kLines = 4096;  // places whose lines are made once

LayerNorm first_norm(Params p, const FalconConfig& c) {
  return {p / (c.block == Block::parallel_two_norms ? "ln_attn" : "input_layernorm"), c.width,
          c.eps};
}

std::optional<LayerNorm> second_norm(Params p, const FalconConfig& c) {
  if (c.block == Block::parallel) return {};
  const char* name = c.block == Block::sequential ? "post_attention_layernorm" : "ln_mlp";
  return LayerNorm(p / name, c.width, c.eps);
}

}  // namespace

RowBlocks falcon_heads(const FalconConfig& c) {
  const int64_t group = c.heads / c.kv_heads;
  RowBlocks out{.rows = c.head_width()};
  for (int64_t q = 0; q < c.heads; ++q) out.order.push_back(q / group * (group + 2) + q % group);
  for (const int64_t part : {group, group + 1})  // keys, then values
    for (int64_t kv = 0; kv < c.kv_heads; ++kv) out.order.push_back(kv * (group + 2) + part);
  return out;
}

FalconAttention::FalconAttention(Params p, const FalconConfig& c)
    : query_key_value((p / "query_key_value").reorder(falcon_heads(c)), c.width,
                      (c.heads + 2 * c.kv_heads) * c.head_width(), normal(c.init), c.bias),
      dense(p / "dense", c.heads * c.head_width(), c.width, normal(c.init), c.bias),
      shape(shape_of(c)) {}

Tensor FalconAttention::operator()(const Tensor& x, const FalconPlaces& places,
                                   LayerRun run) const {
  Tensor qkv = query_key_value(x, run);  // [B, T, (heads + 2 kv_heads) head]
  if (places.turns.defined())
    qkv = rope(std::move(qkv), places.turns, shape.heads + shape.kv_heads, shape.head_width());
  const AttentionMask mask{.causal = true, .keys = run->key_mask, .bias = places.lines};
  return run.pass(Part::attention, {}, x, dense(self_attention(qkv, shape, mask, run), run));
}

FalconBlock::FalconBlock(Params p, const FalconConfig& c)
    : path(p.where()),
      self_attention(p / "self_attention", c),
      dense_h_to_4h(p / "mlp" / "dense_h_to_4h", c.width, c.inner_width(), normal(c.init), c.bias),
      dense_4h_to_h(p / "mlp" / "dense_4h_to_h", c.inner_width(), c.width, normal(c.init), c.bias),
      norm(first_norm(p, c)),
      mlp_norm(second_norm(p, c)),
      kind(c.block),
      activation(c.activation),
      attn_drop(c.attn_drop),
      hidden_drop(c.hidden_drop) {}

Tensor FalconBlock::mlp(const Tensor& x, LayerRun run) const {
  return run.pass(Part::ffn, {}, x, dense_4h_to_h(dense_h_to_4h(x, run, activation), run));
}

Tensor FalconBlock::operator()(const Tensor& x, const FalconPlaces& places, LayerRun run) const {
  const LayerRun at_attn = run.at("self_attention"), at_mlp = run.at("mlp");
  const Tensor read = norm(x, run), seen = self_attention(read, places, at_attn);
  if (kind == Block::sequential) {
    const Tensor sum = add_skip(x, drop(seen, attn_drop, *run), at_attn);
    return add_skip(sum, drop(mlp((*mlp_norm)(sum, run), at_mlp), hidden_drop, *run), at_mlp);
  }
  const Tensor both = mlp(mlp_norm ? (*mlp_norm)(x, run) : read, at_mlp) + seen;
  return add_skip(x, drop(both, hidden_drop, *run), run);
}

Falcon::Falcon(Params p, const FalconConfig& c)
    : config(c),
      word_embeddings(p / "word_embeddings", c.vocab, c.width, normal(c.init)),
      ln_f(p / "ln_f", c.width, c.eps) {
  Device& device = word_embeddings.weight.device();
  if (c.alibi) {
    slopes = from_values(alibi_slopes(c.heads), {c.heads}, device);
    lines = alibi(slopes, std::min(c.context, kLines), line_options(c, {}));
  } else {
    rotary.emplace(c.rope, c.head_width(), device);
  }
  for (int64_t i = 0; i < c.layers; ++i) h.emplace_back(p / "h" / std::to_string(i), c);
}

FalconPlaces Falcon::places(const Tensor& ids, Run& run) const {
  const LayerRun outside(run);
  if (rotary) return {outside.made(Part::positions, "rotary", ids, rotary->table(ids, run)), {}};
  const int64_t T = run.cache ? run.cache_step->runs.reach : ids.dim(1);
  const bool own = run.key_mask.defined() || T > lines.dim(2);
  Tensor rise = own ? alibi(slopes, T, line_options(config, run.key_mask)) : slice(lines, 2, 0, T);
  return {{}, outside.made(Part::positions, "alibi", ids, std::move(rise))};
}

Tensor Falcon::operator()(const Tensor& ids, Run& run) const {
  const Tensor x = word_embeddings(ids, run);  // [B, T, C]
  return run_layers(h, x, run,
                    [where = places(ids, run)](const FalconBlock& block, auto in, LayerRun at) {
                      return block(in[0], where, at);
                    });
}

}  // namespace jogak
