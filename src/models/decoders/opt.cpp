#include "models/decoders/opt.h"

#include "nn/layers.h"
#include "nn/positions.h"
#include "ops/add.h"
#include "ops/embedding.h"
#include "ops/slice.h"

namespace jogak {
namespace {

constexpr int64_t kFirstPlace = 2;  // rows before it are for padding
constexpr double kOptEps = 1e-5;

Linear opt_linear(Params p, int64_t in, int64_t out, const OptConfig& c) {
  return {p, in, out, normal(c.init), c.bias};
}

// Real tokens are counted; padding stands one before the first.
Tensor counted_places(const Tensor& mask, Device& device) {
  const auto real = to_host<uint8_t>(cast(mask, DType::u8));
  std::vector<int64_t> places(real.size());
  int64_t seen = 0;
  for (size_t i = 0; i < real.size(); ++i) {
    if (static_cast<int64_t>(i) % mask.dim(1) == 0) seen = 0;
    places[i] = kFirstPlace - 1 + (real[i] ? ++seen : 0);
  }
  return from_values(places, mask.shape(), device);
}

}  // namespace

OptBlock::OptBlock(Params p, const OptConfig& c)
    : path(p.where()),
      qkv(opt_linear((p / "self_attn")
                         .join({{"q_proj", c.inner_heads()},
                                {"k_proj", c.inner_heads()},
                                {"v_proj", c.inner_heads()}}),
                     c.width, 3 * c.inner_heads(), c)),
      out_proj(opt_linear(p / "self_attn" / "out_proj", c.inner_heads(), c.width, c)),
      self_attn_layer_norm(p / "self_attn_layer_norm", c.width, kOptEps),
      fc1(opt_linear(p / "fc1", c.width, c.inner, c)),
      fc2(opt_linear(p / "fc2", c.inner, c.width, c)),
      final_layer_norm(p / "final_layer_norm", c.width, kOptEps),
      shape{c.width, c.heads, c.heads, 0, c.attn_drop, c.head_width()},
      config(c) {}

Tensor OptBlock::attention(const Tensor& x, LayerRun run) const {
  const AttentionMask mask{.causal = true, .keys = run->key_mask};
  const Tensor seen = out_proj(self_attention(qkv(x, run), shape, mask, run), run);
  return drop(run.pass(Part::attention, {}, x, seen), config.dropout, *run);
}

Tensor OptBlock::mlp(const Tensor& x, LayerRun run) const {
  const Tensor made = fc2(fc1(x, run, config.activation), run);
  return drop(run.pass(Part::ffn, {}, x, made), config.dropout, *run);
}

Tensor OptBlock::operator()(const Tensor& x, LayerRun run) const {
  const LayerRun at_attn = run.at("self_attn"), at_mlp = run.at("mlp");
  if (config.norm_before) {
    const Tensor seen = attention(self_attn_layer_norm(x, run), at_attn);
    const auto [sum, read] = add_and_norm(x, seen, final_layer_norm, at_attn);
    return add_skip(sum, mlp(read, at_mlp), at_mlp);
  }
  const Tensor y = add_and_norm(x, attention(x, at_attn), self_attn_layer_norm, at_attn).second;
  return add_and_norm(y, mlp(y, at_mlp), final_layer_norm, at_mlp).second;
}

Tensor OptEnd::operator()(const Tensor& x, LayerRun run) const {
  const Tensor y = final_layer_norm ? (*final_layer_norm)(x, run) : x;
  return project_out ? (*project_out)(y, run) : y;
}

Opt::Opt(Params whole, const OptConfig& c)
    : config(c),
      embed_tokens(whole / "decoder" / "embed_tokens", c.vocab, c.word_width, normal(c.init)),
      embed_positions((whole / "decoder" / "embed_positions")
                          .get("weight", {c.context + kFirstPlace, c.width}, normal(c.init))) {
  const Params p = whole / "decoder";
  if (c.word_width != c.width) {
    project_in.emplace(p / "project_in", c.word_width, c.width, normal(c.init), false);
    end.project_out.emplace(p / "project_out", c.width, c.word_width, normal(c.init), false);
  }
  if (c.norm_before && c.final_norm)
    end.final_layer_norm.emplace(p / "final_layer_norm", c.width, kOptEps);
  for (int64_t i = 0; i < c.layers; ++i) layers.emplace_back(p / "layers" / std::to_string(i), c);
}

Tensor Opt::operator()(const Tensor& ids, Run& run) const {
  const LayerRun outside(run);
  ensure<ShapeError>(run.positions.defined() || run.cache || ids.dim(1) <= config.context,
                     "opt: ", ids.dim(1), " tokens, but the model has positions for ",
                     config.context);
  Tensor x = outside.made(
      Part::other, embed_tokens.path, ids,
      look_up(embed_tokens.weight, ids, embed_tokens.values, config.pad));  // [B, T, words' width]
  if (project_in) x = (*project_in)(x, run);                                // [B, T, C]
  const bool counted = run.key_mask.defined() && !run.positions.defined() && !run.cache;
  const Tensor places =
      counted ? counted_places(run.key_mask, ids.device()) : token_places(ids, run);
  const Tensor rows = counted
                          ? embed_positions
                          : slice(embed_positions, 0, kFirstPlace, kFirstPlace + config.context);
  x = x + outside.made(Part::positions, "decoder.embed_positions", ids, embedding(rows, places));
  return run_layers(layers, x, run,
                    [](const OptBlock& block, auto in, LayerRun at) { return block(in[0], at); },
                    {.left_out = config.layer_drop});
}

}  // namespace jogak
