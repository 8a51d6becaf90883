#include "models/decoders/gpt_neox.h"

#include "nn/layers.h"
#include "ops/add.h"
#include "ops/rope.h"

namespace jogak {

// The file has for each head its query, key and value rows; here come all queries, keys, values.
static RowBlocks neox_heads(const GptNeoxConfig& c) {
  RowBlocks out{.rows = c.head_width()};
  for (int64_t part = 0; part < 3; ++part)
    for (int64_t h = 0; h < c.heads; ++h) out.order.push_back(3 * h + part);
  return out;
}

GptNeoxAttention::GptNeoxAttention(Params p, const GptNeoxConfig& c)
    : query_key_value((p / "query_key_value").reorder(neox_heads(c)), c.width,
                      3 * c.heads * c.head_width(), normal(c.init), c.attention_bias),
      dense(p / "dense", c.heads * c.head_width(), c.width, normal(c.init), c.attention_bias),
      shape{c.width, c.heads, c.heads, 0, c.attn_drop, c.head_width()} {}

Tensor GptNeoxAttention::operator()(const Tensor& x, const Tensor& turns, LayerRun run) const {
  const Tensor rotated =
      rope(query_key_value(x, run), turns, 2 * shape.heads, shape.head_width());  // [B, T, 3 C]
  const AttentionMask mask{.causal = true, .keys = run->key_mask};
  return run.pass(Part::attention, {}, x, dense(self_attention(rotated, shape, mask, run), run));
}

GptNeoxBlock::GptNeoxBlock(Params p, const GptNeoxConfig& c)
    : path(p.where()),
      input_layernorm(p / "input_layernorm", c.width, c.eps),
      post_attention_layernorm(p / "post_attention_layernorm", c.width, c.eps),
      attention(p / "attention", c),
      mlp(p / "mlp" / "dense_h_to_4h", p / "mlp" / "dense_4h_to_h", c.width, c.inner, c.activation,
          normal(c.init), normal(c.init)),
      parallel(c.parallel),
      hidden_drop(c.hidden_drop) {}

Tensor GptNeoxBlock::operator()(const Tensor& x, const Tensor& turns, LayerRun run) const {
  const LayerRun at_attn = run.at("attention"), at_mlp = run.at("mlp");
  const Tensor seen = drop(attention(input_layernorm(x, run), turns, at_attn), hidden_drop, *run);
  if (!parallel) {
    const auto [sum, read] = add_and_norm(x, seen, post_attention_layernorm, at_attn);
    return mlp.onto(sum, read, hidden_drop, at_mlp);
  }
  const Tensor made = mlp(post_attention_layernorm(x, run), at_mlp);
  return add_skip(x, drop(made, hidden_drop, *run) + seen, run);
}

GptNeox::GptNeox(Params p, const GptNeoxConfig& c)
    : config(c),
      embed_in(p / "embed_in", c.vocab, c.width, normal(c.init)),
      rotary(c.rope, c.head_width(), embed_in.weight.device()),
      final_layer_norm(p / "final_layer_norm", c.width, c.eps) {
  for (int64_t i = 0; i < c.layers; ++i) layers.emplace_back(p / "layers" / std::to_string(i), c);
}

Tensor GptNeox::operator()(const Tensor& ids, Run& run) const {
  const Tensor x = drop(embed_in(ids, run), config.hidden_drop, run);  // [B, T, C]
  const Tensor turns = LayerRun(run).made(Part::positions, "rotary", ids, rotary.table(ids, run));
  return run_layers(layers, x, run, [turns](const GptNeoxBlock& block, auto in, LayerRun at) {
    return block(in[0], turns, at);
  });
}

}  // namespace jogak
