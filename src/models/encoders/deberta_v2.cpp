#include "models/encoders/deberta_v2.h"

#include <algorithm>
#include <array>

#include "nn/layers.h"
#include "ops/activation.h"
#include "ops/add.h"
#include "ops/cast.h"
#include "ops/concat.h"
#include "ops/embedding.h"
#include "ops/matmul.h"
#include "ops/mul.h"
#include "ops/reshape.h"
#include "ops/slice.h"
#include "ops/transpose.h"
#include "ops/unfold.h"

namespace jogak {
namespace {

DisentangledConfig attention_of(const DebertaV2Config& c) {
  return {.shape = {c.width, c.heads, c.heads, 0, c.attention_drop},
          .from_tokens = c.c2p,
          .from_distances = c.p2c,
          .shared = c.shared,
          .places = c.places(),
          .init = c.init};
}

Tensor table_if(bool wanted, Params p, const Shape& shape, double deviation) {
  return wanted ? p.get("weight", shape, normal(deviation)) : Tensor();
}

}  // namespace

RelativePlaces DebertaV2Config::places() const {
  if (!relative) return {};
  return {std::max<int64_t>(buckets, 0), max_distance < 1 ? context : max_distance};
}

DebertaV2Embeddings::DebertaV2Embeddings(Params p, const DebertaV2Config& c)
    : path(p.where()),
      word_embeddings(
          (p / "word_embeddings").table("weight", {c.vocab, c.table_width()}, normal(c.init))),
      position_embeddings(table_if(c.places_in_input, p / "position_embeddings",
                                   {c.context, c.table_width()}, c.init)),
      token_type_embeddings(
          table_if(c.types > 0, p / "token_type_embeddings", {c.types, c.table_width()}, c.init)),
      norm(p / "LayerNorm", c.width, c.eps) {
  if (c.table_width() != c.width)
    embed_proj.emplace(p / "embed_proj", c.table_width(), c.width, normal(c.init), false);
}

Tensor DebertaV2Embeddings::operator()(const EncoderInput& in, const DebertaV2Config& c,
                                       Run& run) const {
  const Tensor& ids = in.values;
  ensure<ShapeError>(ids.rank() == 2 && ids.dim(1) >= 1, "deberta-v2: ids ", ids.shape(),
                     ", wanted [texts, tokens]");
  const LayerRun here(run, -1, path, false);
  Tensor x =
      here.at("word_embeddings")
          .pass(Part::other, {}, ids, look_up(word_embeddings, ids, norm.weight.dtype(), c.pad));
  if (position_embeddings.defined()) {
    ensure<ShapeError>(in.positions.defined() || ids.dim(1) <= c.context,
                       "deberta-v2: ", ids.dim(1), " tokens, but the model has positions for ",
                       c.context);
    x = x + here.at("position_embeddings")
                .pass(Part::positions, {}, ids,
                      in.positions.defined() ? embedding(position_embeddings, in.positions)
                                             : slice(position_embeddings, 0, 0, ids.dim(1)));
  }
  if (token_type_embeddings.defined())
    x = x + (in.token_types.defined() ? embedding(token_type_embeddings, in.token_types)
                                      : slice(token_type_embeddings, 0, 0, 1));
  if (embed_proj) x = (*embed_proj)(x, run);
  x = norm(x, run);
  if (!in.mask.defined()) return x;
  return x * reshape(cast(in.mask, x.dtype()), {ids.dim(0), ids.dim(1), 1});
}

DebertaV2Layer::DebertaV2Layer(Params p, const DebertaV2Config& c)
    : path(p.where()),
      attention(p / "attention" / "self", p / "attention" / "output" / "dense", attention_of(c)),
      attention_norm(p / "attention" / "output" / "LayerNorm", c.width, c.eps),
      mlp(p / "intermediate" / "dense", p / "output" / "dense", c.width, c.inner, c.activation,
          normal(c.init), normal(c.init)),
      output_norm(p / "output" / "LayerNorm", c.width, c.eps),
      dropout(c.dropout) {}

DebertaV2Conv::DebertaV2Conv(Params p, const DebertaV2Config& c)
    : weight((p / "conv")
                 .get("weight", {c.width, c.width / c.conv_groups, c.conv_kernel}, normal(c.init))),
      bias((p / "conv").get("bias", {c.width}, constant(0))),
      norm(p / "LayerNorm", c.width, c.eps),
      groups(c.conv_groups),
      activation(c.conv_activation),
      dropout(c.dropout) {}

Tensor DebertaV2Conv::operator()(const Tensor& x, const Tensor& made, const Tensor& mask,
                                 LayerRun run) const {
  const int64_t B = x.dim(0), T = x.dim(1), C = x.dim(2), kernel = weight.dim(2);
  const int64_t in = C / groups * kernel;
  const Tensor none = zeros({B, kernel / 2, C}, x.dtype(), x.device());
  const Tensor around = unfold(concat(std::array{none, x, none}, 1), 1, kernel, 1);  // [B, T, C, k]
  const Tensor rows = transpose(reshape(around, {B * T, groups, in}), 0, 1);  // [groups, B T, in]
  const Tensor each = transpose(reshape(weight, {groups, C / groups, in}), 1, 2);
  Tensor y = reshape(transpose(matmul(rows, each), 0, 1), {B, T, C}) + bias;
  const Tensor real = mask.defined() ? reshape(cast(mask, x.dtype()), {B, T, 1}) : Tensor();
  if (mask.defined()) y = y * real;
  y = norm(made + activate(drop(y, dropout, *run), activation), run);
  return mask.defined() ? y * real : y;
}

Tensor DebertaV2Layer::operator()(Tensor x, const Tensor& distances, const Tensor& mask,
                                  LayerRun run) const {
  const Tensor before = x;
  const LayerRun at_attn = run.at("attention"), at_mlp = run.at("mlp");
  const Tensor known = distances.defined() ? drop(distances, dropout, *run) : distances;
  const Tensor seen = drop(attention(x, known, mask, at_attn), dropout, *run);
  x = add_and_norm(x, seen, attention_norm, at_attn).second;
  x = add_and_norm(x, drop(mlp(x, at_mlp), dropout, *run), output_norm, at_mlp).second;
  return conv ? (*conv)(before, x, mask, run.at("conv")) : x;
}

DebertaV2Trunk::DebertaV2Trunk(Params p, const DebertaV2Config& c)
    : embeddings(p / "embeddings", c) {
  const Params encoder = p / "encoder";
  for (int64_t i = 0; i < c.layers; ++i)
    layer.emplace_back(encoder / "layer" / std::to_string(i), c);
  if (c.conv_kernel > 0) layer[0].conv.emplace(encoder / "conv", c);
  if (!c.relative) return;
  rel_embeddings = table_if(true, encoder / "rel_embeddings", {c.places().rows(), c.width}, c.init);
  if (c.norm_distances) rel_norm.emplace(encoder / "LayerNorm", c.width, c.eps);
}

Tensor DebertaV2::hidden(const EncoderInput& input, Run& run) const {
  Tensor x = drop(embeddings(input, config, run), config.dropout, run);
  LayerOptions options;
  if (rel_embeddings.defined()) {
    const Tensor table = rel_norm ? (*rel_norm)(rel_embeddings, run) : rel_embeddings;
    options.beside = {
        LayerRun(run).made(Part::positions, "encoder.rel_embeddings", input.values, table)};
  }
  const auto call = [mask = input.mask](const DebertaV2Layer& block, auto in, LayerRun at) {
    return block(in[0], in.size() > 1 ? in[1] : Tensor(), mask, at);
  };
  x = run_layers(layer, x, run, call, options);
  run.see("hidden_states", config.layers, x);
  return x;
}

EncoderModel encoder_of(std::shared_ptr<const DebertaV2> model) {
  return encoder_with(
      model, [model](const EncoderInput& input, Run& run) { return model->hidden(input, run); });
}

}  // namespace jogak
