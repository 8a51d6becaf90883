#include "models/llama.h"

#include "ops/activation.h"
#include "ops/add.h"
#include "ops/add_norm.h"
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
  const Tensor turned = rope(qkv(x), turns, shape.heads + shape.kv_heads);
  return o_proj(self_attention(turned, shape, {.causal = true, .keys = run->key_mask}, run));
}

LlamaMlp::LlamaMlp(Params p, const LlamaConfig& c)
    : gate_up(p.join({{"gate_proj", c.inner}, {"up_proj", c.inner}}), c.width, 2 * c.inner,
              normal(c.init), c.mlp_bias),
      down_proj(p / "down_proj", c.inner, c.width, normal(c.init), c.mlp_bias),
      activation(c.activation) {}

Tensor LlamaMlp::operator()(const Tensor& x) const {
  const Tensor both = gate_up(x);  // [B, T, 2 inner]
  if (activation == Activation::silu) return down_proj(swiglu_packed(both));
  const int64_t inner = both.dim(2) / 2, sizes[] = {inner, inner};
  const auto parts = split(both, 2, sizes);
  return down_proj(activate(parts[0], activation) * parts[1]);
}

LlamaBlock::LlamaBlock(Params p, const LlamaConfig& c)
    : input_layernorm(p / "input_layernorm", c.width, c.eps),
      self_attn(p / "self_attn", c),
      post_attention_layernorm(p / "post_attention_layernorm", c.width, c.eps),
      mlp(p / "mlp", c) {}

Tensor LlamaBlock::operator()(const Tensor& x, const Tensor& turns, LayerRun run) const {
  const auto [sum, normed] =
      add_rms_norm(x, self_attn(input_layernorm(x), turns, run), post_attention_layernorm.weight,
                   post_attention_layernorm.eps);
  return sum + mlp(normed);
}

Llama::Llama(Params p, const LlamaConfig& c)
    : config(c),
      embed_tokens(p / "embed_tokens", c.vocab, c.width, normal(c.init)),
      rotary(c.rope, c.head, embed_tokens.weight.device()),
      norm(p / "norm", c.width, c.eps) {
  for (int64_t i = 0; i < c.layers; ++i) layers.emplace_back(p / "layers" / std::to_string(i), c);
  lm_head.dense = c.tied ? embed_tokens.weight
                         : (p / "lm_head").matrix("weight", {c.vocab, c.width}, normal(c.init));
}

Tensor Llama::hidden(const Tensor& ids, Run& run) const {
  Tensor x = look_up(embed_tokens.weight, ids, config.pad);  // [B, T, C]
  const Tensor turns = rotary.table(ids, run);               // [1, T, head]
  for (size_t i = 0; i < layers.size(); ++i) {
    run.see("hidden_states", static_cast<int64_t>(i), x);
    x = layers[i](x, turns, run.layer(static_cast<int64_t>(i)));
  }
  x = norm(wanted_rows(x, run));
  run.see("hidden_states", config.layers, x);
  return x;
}

Tensor Llama::operator()(const Tensor& ids, Run& run) const {
  return lm_head.apply(hidden(ids, run), {}, Activation::none);
}

CacheShape Llama::cache_shape() const {
  return {config.layers, config.kv_heads, config.head, config.head,
          config.rope.context(config.context)};
}

}  // namespace jogak
