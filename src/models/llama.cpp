#include "models/llama.h"

#include "nn/layers.h"
#include "ops/activation.h"
#include "ops/mul.h"
#include "ops/rope.h"
#include "ops/slice.h"
#include "ops/swiglu.h"

namespace jogak {

LlamaAttention::LlamaAttention(Params p, const LlamaConfig& c)
    : qkv(p.join({{"q_proj", c.heads * c.head},
                  {"k_proj", c.kv_heads * c.head},
                  {"v_proj", c.kv_heads * c.head}}),
          c.width, (c.heads + 2 * c.kv_heads) * c.head, normal(c.init), c.attention_bias),
      o_proj(p / "o_proj", c.heads * c.head, c.width, normal(c.init), c.attention_bias),
      shape{c.width, c.heads, c.kv_heads, 0, c.attn_drop, c.head} {}

Tensor LlamaAttention::operator()(const Tensor& x, const Tensor& turns, LayerRun run) const {
  const Tensor turned = rope(qkv(x, run), turns, shape.heads + shape.kv_heads);
  const AttentionMask mask{.causal = true, .keys = run->key_mask};
  return run.pass(Part::attention, {}, x, o_proj(self_attention(turned, shape, mask, run), run));
}

LlamaMlp::LlamaMlp(Params p, const LlamaConfig& c)
    : gate_up(p.join({{"gate_proj", c.inner}, {"up_proj", c.inner}}), c.width, 2 * c.inner,
              normal(c.init), c.mlp_bias),
      down_proj(p / "down_proj", c.inner, c.width, normal(c.init), c.mlp_bias),
      activation(c.activation) {}

// [B, T, 2 inner] -> [B, T, inner]
static Tensor gated(const Tensor& both, Activation activation) {
  if (activation == Activation::silu) return swiglu_packed(both);
  const int64_t inner = both.dim(2) / 2, sizes[] = {inner, inner};
  const auto parts = split(both, 2, sizes);
  return activate(parts[0], activation) * parts[1];
}

Tensor LlamaMlp::operator()(const Tensor& x, LayerRun run) const {
  const Tensor both = gate_up(x, run);  // [B, T, 2 inner]
  const Tensor inside = run.pass(Part::other, "gated", both, gated(both, activation));
  return run.pass(Part::ffn, {}, x, down_proj(inside, run));
}

LlamaBlock::LlamaBlock(Params p, const LlamaConfig& c)
    : path(p.where()),
      input_layernorm(p / "input_layernorm", c.width, c.eps),
      self_attn(p / "self_attn", c),
      post_attention_layernorm(p / "post_attention_layernorm", c.width, c.eps),
      mlp(p / "mlp", c) {}

Tensor LlamaBlock::operator()(const Tensor& x, const Tensor& turns, LayerRun run) const {
  const LayerRun at_attn = run.at("self_attn"), at_mlp = run.at("mlp");
  const Tensor seen = self_attn(input_layernorm(x, run), turns, at_attn);
  const auto [sum, normed] = add_and_norm(x, seen, post_attention_layernorm, at_attn);
  return add_skip(sum, mlp(normed, at_mlp), at_mlp);
}

Llama::Llama(Params p, const LlamaConfig& c)
    : config(c),
      embed_tokens(p / "embed_tokens", c.vocab, c.width, normal(c.init)),
      rotary(c.rope, c.head, embed_tokens.weight.device()),
      norm(p / "norm", c.width, c.eps) {
  for (int64_t i = 0; i < c.layers; ++i) layers.emplace_back(p / "layers" / std::to_string(i), c);
}

Tensor Llama::operator()(const Tensor& ids, Run& run) const {
  const LayerRun outside(run);
  const Tensor x = outside.made(Part::other, embed_tokens.path, ids,
                                look_up(embed_tokens.weight, ids, config.pad));  // [B, T, C]
  const Tensor turns =
      outside.made(Part::positions, "rotary", ids, rotary.table(ids, run));  // [1, T, head]
  return run_layers(layers, x, run, [turns](const LlamaBlock& block, auto in, LayerRun at) {
    return block(in[0], turns, at);
  });
}

}  // namespace jogak
