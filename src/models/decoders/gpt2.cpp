#include "models/decoders/gpt2.h"

#include <cmath>

#include "nn/layers.h"
#include "nn/positions.h"
#include "ops/add.h"

namespace jogak {
namespace {

AttentionShape attention_shape(const Gpt2Config& c, int64_t layer) {
  double scale = c.scale_attn ? 1 / std::sqrt(static_cast<double>(c.head_width())) : 1;
  if (c.scale_by_layer) scale /= static_cast<double>(layer + 1);
  return {c.width, c.heads, c.heads, scale, c.attn_drop, c.head_width()};
}

// Projections that end in the residual stream start smaller, by the number of their sums.
Init residual_init(const Gpt2Config& c) {
  return normal(c.init / std::sqrt(2.0 * static_cast<double>(c.layers)));
}

}  // namespace

Gpt2Block::Gpt2Block(Params p, const Gpt2Config& c, int64_t layer)
    : path(p.where()),
      ln_1(p / "ln_1", c.width, c.eps),
      attn(p / "attn" / "c_attn", p / "attn" / "c_proj", attention_shape(c, layer), normal(c.init),
           residual_init(c)),
      ln_2(p / "ln_2", c.width, c.eps),
      mlp(p / "mlp" / "c_fc", p / "mlp" / "c_proj", c.width, c.inner_width(), c.activation,
          residual_init(c)),
      dropout(c.resid_drop) {}

Tensor Gpt2Block::operator()(Tensor x, LayerRun run) const {
  const LayerRun at_attn = run.at("attn"), at_mlp = run.at("mlp");
  const AttentionMask mask{.causal = true, .keys = run->key_mask};
  const auto [kept, read] = keep_and_norm(x, ln_1, run);
  const Tensor seen = drop(attn(read, mask, at_attn), dropout, *run);
  const auto [sum, normed] = add_and_norm(kept, seen, ln_2, at_attn);
  return mlp.onto(sum, normed, dropout, at_mlp);
}

Gpt2::Gpt2(Params p, const Gpt2Config& c)
    : config(c),
      wte(p / "wte", c.vocab, c.width, normal(c.init)),
      wpe(p / "wpe", c.context, c.width, normal(c.init)),
      ln_f(p / "ln_f", c.width, c.eps) {
  for (int64_t i = 0; i < c.layers; ++i) h.emplace_back(p / "h" / std::to_string(i), c, i);
}

Tensor Gpt2::operator()(const Tensor& ids, Run& run) const {
  ensure<ShapeError>(run.cache || run.positions.defined() || ids.dim(1) <= config.context,
                     "gpt2: ", ids.dim(1), " tokens, but the model has positions for ",
                     config.context);
  const LayerRun outside(run);
  const Tensor places = token_places(ids, run);
  const Tensor position_vectors =
      outside.made(Part::positions, wpe.path, places, wpe(places));  // [T, C]
  Tensor sum = wte(ids, run) + position_vectors;                     // [B, T, C]
  if (run.token_types.defined()) sum = sum + wte(run.token_types);
  const Tensor x = drop(sum, config.embd_drop, run);
  return run_layers(h, outside.made(Part::other, "embeddings", ids, x), run,
                    [](const Gpt2Block& block, auto in, LayerRun at) { return block(in[0], at); });
}

}  // namespace jogak
