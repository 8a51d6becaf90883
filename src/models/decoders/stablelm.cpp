#include "models/decoders/stablelm.h"

#include <tuple>

#include "nn/layers.h"

namespace jogak {

StableLmBlock::StableLmBlock(Params p, const StableLmConfig& c, int64_t layer)
    : path(p.where()),
      input_layernorm(p / "input_layernorm", c.width, c.eps),
      self_attn(p / "self_attn", c, layer),
      mlp(p / "mlp", c),
      drop_rate(c.resid_drop) {
  if (!c.parallel) post_attention_layernorm.emplace(p / "post_attention_layernorm", c.width, c.eps);
}

Tensor StableLmBlock::operator()(const Tensor& x, const Tensor& turns, LayerRun run) const {
  const LayerRun at_attn = run.at("self_attn"), at_mlp = run.at("mlp");
  const auto [kept, first] = keep_and_norm(x, input_layernorm, run);
  const Tensor seen = self_attn(first, turns, at_attn);
  Tensor sum, read = first;
  if (post_attention_layernorm)
    std::tie(sum, read) = add_and_norm(kept, seen, *post_attention_layernorm, at_attn);
  else
    sum = add_skip(kept, seen, at_attn);
  return add_made(Part::ffn, sum, mlp.down_proj, mlp.inside(read, at_mlp), read, drop_rate, at_mlp);
}

StableLm::StableLm(Params p, const StableLmConfig& c)
    : config(c),
      embed_tokens(p / "embed_tokens", c.vocab, c.width, normal(c.init)),
      rotary(c.rope, c.head, embed_tokens.weight.device()),
      norm(p / "norm", c.width, c.eps) {
  for (int64_t i = 0; i < c.layers; ++i)
    layers.emplace_back(p / "layers" / std::to_string(i), c, i);
}

Tensor StableLm::operator()(const Tensor& ids, Run& run) const {
  const LayerRun outside(run);
  const Tensor x = outside.made(Part::other, embed_tokens.path, ids,
                                look_up(embed_tokens.weight, ids, embed_tokens.values, config.pad));
  const Tensor turns = outside.made(Part::positions, "rotary", ids, rotary.table(ids, run));
  return run_layers(layers, x, run, [turns](const StableLmBlock& block, auto in, LayerRun at) {
    return block(in[0], turns, at);
  });
}

}  // namespace jogak
