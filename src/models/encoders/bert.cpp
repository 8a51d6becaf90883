#include "models/encoders/bert.h"

#include "nn/layers.h"
#include "nn/positions.h"
#include "ops/activation.h"
#include "ops/add.h"
#include "ops/cross_entropy.h"
#include "ops/embedding.h"
#include "ops/reshape.h"
#include "ops/slice.h"

namespace jogak {
namespace {

Params attention_paths(Params p, const BertConfig& c) {
  const BertStyle& s = c.style;
  return (p / s.attention).join({{s.query, c.width}, {s.key, c.width}, {s.value, c.width}});
}

}  // namespace

BertEmbeddings::BertEmbeddings(Params p, const BertConfig& c)
    : path(p.where()),
      word_embeddings(
          (p / "word_embeddings").table("weight", {c.vocab, c.table_width()}, normal(c.init))),
      position_embeddings(
          (p / "position_embeddings").get("weight", {c.context, c.table_width()}, normal(c.init))),
      token_type_embeddings(c.types > 0
                                ? (p / "token_type_embeddings")
                                      .get("weight", {c.types, c.table_width()}, normal(c.init))
                                : Tensor()),
      norm(p / "LayerNorm", c.table_width(), c.eps) {}

Tensor BertEmbeddings::operator()(const EncoderInput& in, const BertConfig& c, Run& run) const {
  const Tensor& ids = in.values;
  ensure<ShapeError>(ids.rank() == 2 && ids.dim(1) >= 1, "bert: ids ", ids.shape(),
                     ", wanted [texts, tokens]");
  ensure<ShapeError>(in.positions.defined() || ids.dim(1) <= c.longest(), c.style.name, ": ",
                     ids.dim(1), " tokens, but the model has positions for ", c.longest());
  const LayerRun here(run, -1, path, false);
  const bool counted = c.style.places_after_pad;
  const Tensor at = in.positions.defined() || !counted ? in.positions : places_after(c.pad, ids);
  const Tensor places =
      here.at("position_embeddings")
          .pass(Part::positions, {}, ids,
                at.defined() ? embedding(position_embeddings, at, counted ? c.pad : -1)
                             : slice(position_embeddings, 0, 0, ids.dim(1)));
  Tensor words =
      here.at("word_embeddings")
          .pass(Part::other, {}, ids, look_up(word_embeddings, ids, norm.weight.dtype(), c.pad));
  if (token_type_embeddings.defined())
    words = words + (in.token_types.defined() ? embedding(token_type_embeddings, in.token_types)
                                              : slice(token_type_embeddings, 0, 0, 1));  // [1, C]
  return norm(words + places, run);  // [B, T, table_width]
}

BertLayer::BertLayer(Params p, const BertConfig& c)
    : path(p.where()),
      attention(attention_paths(p, c), p / c.style.attention_out,
                {c.width, c.heads, c.heads, 0, c.attention_drop}, normal(c.init), normal(c.init)),
      attention_norm(p / c.style.attention_norm, c.width, c.eps),
      mlp(p / c.style.up, p / c.style.down, c.width, c.inner, c.activation, normal(c.init),
          normal(c.init)),
      output_norm(p / c.style.output_norm, c.width, c.eps),
      dropout(c.dropout) {}

Tensor BertLayer::operator()(Tensor x, const Tensor& mask, const Tensor& distances,
                             LayerRun run) const {
  const LayerRun at_attn = run.at("attention"), at_mlp = run.at("mlp");
  const Tensor seen =
      drop(attention(x, {.keys = mask, .distances = distances}, at_attn), dropout, *run);
  x = add_and_norm(x, seen, attention_norm, at_attn).second;
  return add_and_norm(x, drop(mlp(x, at_mlp), dropout, *run), output_norm, at_mlp).second;
}

BertTrunk::BertTrunk(Params p, const BertConfig& c) : embeddings(p / "embeddings", c) {
  if (c.table_width() != c.width)
    embeddings_project.emplace(p / "embeddings_project", c.table_width(), c.width, normal(c.init));
  for (int64_t i = 0; i < c.layers; ++i)
    layer.emplace_back(p / c.style.layers / std::to_string(i), c);
  if (c.buckets > 0)
    relative.emplace(p / "encoder" / "relative_attention_bias", c.heads,
                     DistanceBuckets{.count = c.buckets}, normal(c.init));
}

Tensor Bert::hidden(const EncoderInput& input, Run& run) const {
  Tensor x = drop(embeddings(input, config, run), config.dropout, run);
  if (embeddings_project) x = (*embeddings_project)(x, run);  // [B, T, C]
  LayerOptions options;
  if (relative) options.beside = {(*relative)(input.values, run)};  // [heads, 2 T - 1]
  const auto call = [mask = input.mask](const BertLayer& block, auto in, LayerRun at) {
    return block(in[0], mask, in.size() > 1 ? in[1] : Tensor(), at);
  };
  x = run_layers(layer, x, run, call, options);
  run.see("hidden_states", config.layers, x);
  return x;
}

EncoderModel encoder_of(std::shared_ptr<const Bert> bert) {
  return encoder_with(
      bert, [bert](const EncoderInput& input, Run& run) { return bert->hidden(input, run); });
}

}  // namespace jogak
