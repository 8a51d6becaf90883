#include "models/decoders/starcoder2.h"

#include "nn/cache.h"
#include "nn/layers.h"
#include "ops/rope.h"

namespace jogak {

Starcoder2Block::Starcoder2Block(Params p, const Starcoder2Config& c)
    : path(p.where()),
      input_layernorm(p / "input_layernorm", c.width, c.eps),
      post_attention_layernorm(p / "post_attention_layernorm", c.width, c.eps),
      qkv((p / "self_attn")
              .join({{"q_proj", c.heads * c.head},
                     {"k_proj", c.kv_heads * c.head},
                     {"v_proj", c.kv_heads * c.head}}),
          c.width, (c.heads + 2 * c.kv_heads) * c.head, normal(c.init), c.bias),
      o_proj(p / "self_attn" / "o_proj", c.heads * c.head, c.width, normal(c.init), c.bias),
      c_fc(p / "mlp" / "c_fc", c.width, c.inner, normal(c.init), c.bias),
      c_proj(p / "mlp" / "c_proj", c.inner, c.width, normal(c.init), c.bias),
      shape{c.width, c.heads, c.kv_heads, 0, c.attn_drop, c.head},
      window(c.window),
      activation(c.activation),
      resid_drop(c.resid_drop) {}

Tensor Starcoder2Block::attention(const Tensor& x, const Tensor& turns, LayerRun run) const {
  const Tensor all = rope(qkv(x, run), turns, shape.heads + shape.kv_heads, shape.head);
  // A text that fits into the window is seen whole.
  const int64_t reach = run->cache ? run->cache_step->runs.reach : x.dim(1);
  const AttentionMask mask{
      .causal = true, .keys = run->key_mask, .window = reach > window ? window : 0};
  return run.pass(Part::attention, {}, x, o_proj(self_attention(all, shape, mask, run), run));
}

Tensor Starcoder2Block::operator()(const Tensor& x, const Tensor& turns, LayerRun run) const {
  const LayerRun at_attn = run.at("self_attn"), at_mlp = run.at("mlp");
  const auto [kept, first] = keep_and_norm(x, input_layernorm, run);
  const Tensor seen = drop(attention(first, turns, at_attn), resid_drop, *run);
  const auto [sum, read] = add_and_norm(kept, seen, post_attention_layernorm, at_attn);
  return add_made(Part::ffn, sum, c_proj, c_fc(read, at_mlp, activation), read, resid_drop, at_mlp);
}

Starcoder2::Starcoder2(Params p, const Starcoder2Config& c)
    : config(c),
      embed_tokens(p / "embed_tokens", c.vocab, c.width, normal(c.init)),
      rotary(c.rope, c.head, embed_tokens.weight.device()),
      norm(p / "norm", c.width, c.eps) {
  for (int64_t i = 0; i < c.layers; ++i) layers.emplace_back(p / "layers" / std::to_string(i), c);
}

Tensor Starcoder2::operator()(const Tensor& ids, Run& run) const {
  const LayerRun outside(run);
  const Tensor words = look_up(embed_tokens.weight, ids, embed_tokens.values, config.pad);
  const Tensor x =
      outside.made(Part::other, embed_tokens.path, ids, drop(words, config.embd_drop, run));
  const Tensor turns = outside.made(Part::positions, "rotary", ids, rotary.table(ids, run));
  return run_layers(layers, x, run, [turns](const Starcoder2Block& block, auto in, LayerRun at) {
    return block(in[0], turns, at);
  });
}

}  // namespace jogak
