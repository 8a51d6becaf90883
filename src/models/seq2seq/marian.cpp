#include "models/seq2seq/marian.h"

#include <algorithm>
#include <cmath>

#include "nn/layers.h"
#include "nn/laying_out.h"
#include "nn/positions.h"
#include "ops/add.h"
#include "ops/cross_entropy.h"
#include "ops/embedding.h"
#include "ops/linear_cross_entropy.h"
#include "ops/mul.h"
#include "ops/reshape.h"

namespace jogak {
namespace {

AttentionShape shape_of(const MarianConfig& c, int64_t heads) {
  return {c.width, heads, heads, 0, c.attention_drop};
}

// What is added to the residual stream starts small: a deep stack with norms after its sums learns
// to attend much sooner.
Init residual_init(const MarianConfig& c, int64_t in) {
  const Init full = xavier(in, c.width);
  const auto sums = static_cast<double>(2 * std::max(c.encoder.layers, c.decoder.layers));
  return normal(full.deviation / std::sqrt(sums));
}

SelfAttention self_attention_of(Params p, const MarianConfig& c, int64_t heads) {
  return {p.join({{"q_proj", c.width}, {"k_proj", c.width}, {"v_proj", c.width}}), p / "out_proj",
          shape_of(c, heads), xavier(c.width, c.width), residual_init(c, c.width)};
}

constexpr double kNormEps = 1e-5;
constexpr int64_t kUnusedRows = 2;  // of a table of learned positions

using Places = MarianConfig::Places;

}  // namespace

MarianFeedForward::MarianFeedForward(Params p, const MarianConfig& c, int64_t inner)
    : fc1(p / "fc1", c.width, inner, xavier(c.width, inner)),
      fc2(p / "fc2", inner, c.width, residual_init(c, inner)),
      activation(c.activation),
      activation_drop(c.activation_drop) {}

Tensor MarianFeedForward::operator()(const Tensor& x, LayerRun run) const {
  const Tensor inside = drop(fc1(x, run, activation), activation_drop, *run);
  return run.pass(Part::ffn, {}, x, fc2(inside, run));
}

MarianEncoderLayer::MarianEncoderLayer(Params p, const MarianConfig& c)
    : path(p.where()),
      self_attn(self_attention_of(p / "self_attn", c, c.encoder.heads)),
      self_attn_layer_norm(p / "self_attn_layer_norm", c.width, kNormEps),
      ffn(p, c, c.encoder.inner),
      final_layer_norm(p / "final_layer_norm", c.width, kNormEps),
      dropout(c.dropout),
      norms_first(c.norms_first) {}

Tensor MarianEncoderLayer::operator()(Tensor x, const Tensor& mask, LayerRun run) const {
  const LayerRun at_attn = run.at("self_attn"), at_ffn = run.at("ffn");
  const auto look = [&](const Tensor& in) {
    return drop(self_attn(in, {.keys = mask}, at_attn, "encoder_attentions"), dropout, *run);
  };
  if (norms_first) {
    const auto [sum, read] =
        add_and_norm(x, look(self_attn_layer_norm(x, run)), final_layer_norm, at_attn);
    return add_skip(sum, drop(ffn(read, at_ffn), dropout, *run), at_ffn);
  }
  x = add_and_norm(x, look(x), self_attn_layer_norm, at_attn).second;
  return add_and_norm(x, drop(ffn(x, at_ffn), dropout, *run), final_layer_norm, at_ffn).second;
}

MarianDecoderLayer::MarianDecoderLayer(Params p, const MarianConfig& c)
    : path(p.where()),
      self_attn(self_attention_of(p / "self_attn", c, c.decoder.heads)),
      self_attn_layer_norm(p / "self_attn_layer_norm", c.width, kNormEps),
      encoder_attn(p / "encoder_attn" / "q_proj",
                   (p / "encoder_attn").join({{"k_proj", c.width}, {"v_proj", c.width}}),
                   p / "encoder_attn" / "out_proj", shape_of(c, c.decoder.heads),
                   xavier(c.width, c.width), residual_init(c, c.width)),
      encoder_attn_layer_norm(p / "encoder_attn_layer_norm", c.width, kNormEps),
      ffn(p, c, c.decoder.inner),
      final_layer_norm(p / "final_layer_norm", c.width, kNormEps),
      dropout(c.dropout),
      norms_first(c.norms_first) {}

Tensor MarianDecoderLayer::operator()(Tensor x, const Tensor& memory, const Tensor& mask,
                                      LayerRun run) const {
  const LayerRun at_self = run.at("self_attn"), at_cross = run.at("encoder_attn"),
                 at_ffn = run.at("ffn");
  const auto look = [&](const Tensor& in) {
    return drop(self_attn(in, {.causal = true, .keys = run->key_mask}, at_self), dropout, *run);
  };
  const auto consult = [&](const Tensor& in) {
    return drop(encoder_attn(in, memory, {.keys = mask}, at_cross), dropout, *run);
  };
  if (norms_first) {
    Tensor read;
    std::tie(x, read) =
        add_and_norm(x, look(self_attn_layer_norm(x, run)), encoder_attn_layer_norm, at_self);
    std::tie(x, read) = add_and_norm(x, consult(read), final_layer_norm, at_cross);
    return add_skip(x, drop(ffn(read, at_ffn), dropout, *run), at_ffn);
  }
  x = add_and_norm(x, look(x), self_attn_layer_norm, at_self).second;
  x = add_and_norm(x, consult(x), encoder_attn_layer_norm, at_cross).second;
  return add_and_norm(x, drop(ffn(x, at_ffn), dropout, *run), final_layer_norm, at_ffn).second;
}

// The table of positions of one side.
static Tensor position_table(Params own, const MarianConfig& c, Device& device) {
  if (c.places == Places::learned)
    return own.get("weight", {c.context + kUnusedRows, c.width}, normal(0.02));
  if (c.places == Places::counted)
    return cast(stretched_sinusoids(c.pad + 1 + c.context, c.width, c.pad, device), own.values());
  const Tensor sines =
      cast(sinusoids(c.context, c.width, SinusoidLayout::halves, device), own.values());
  return own.differs_in_file("weight", sines) ? own.buffer("weight", sines) : sines;
}

static MarianSide side_of(Params p, const MarianConfig& c, const Tensor& table) {
  MarianSide out{table, position_table(p / "embed_positions", c, table.device()), {}, {}};
  if (c.embedding_norm)
    out.layernorm_embedding.emplace(p / "layernorm_embedding", c.width, kNormEps);
  if (c.norms_first) out.layer_norm.emplace(p / "layer_norm", c.width, kNormEps);
  return out;
}

Marian::Marian(Params p, const MarianConfig& c) : config(c), values(p.values()) {
  const auto table = [&](Params at, int64_t rows) {
    return at.table("weight", {rows, c.width}, normal(1 / std::sqrt(static_cast<double>(c.width))));
  };
  Tensor tied, source_table, target_table;  // the first: what a tied head is
  if (c.share_embeddings && c.tied) {       // transformers shares nothing where the head is apart
    tied = table(p / "shared", c.vocab);
    // As transformers: what the file has with other numbers is not shared.
    const auto side = [&](const Params& own) {
      return own.differs_in_file("weight", tied) ? table(own, c.vocab) : tied;
    };
    source_table = side(p / "encoder" / "embed_tokens");
    target_table = side(p / "decoder" / "embed_tokens");
  } else {
    source_table = table(p / "encoder" / "embed_tokens", c.vocab);
    tied = target_table = table(p / "decoder" / "embed_tokens", c.decoder_vocab);
  }
  source = side_of(p / "encoder", c, source_table);
  target = side_of(p / "decoder", c, target_table);
  for (int64_t i = 0; i < c.encoder.layers; ++i)
    encoder.emplace_back(p / "encoder" / "layers" / std::to_string(i), c);
  for (int64_t i = 0; i < c.decoder.layers; ++i)
    decoder.emplace_back(p / "decoder" / "layers" / std::to_string(i), c);
  const int64_t vocab = target_table.dim(0);
  const Params head = p / "lm_head";
  lm_head.dense =
      scoring(c.tied && !head.differs_in_file("weight", tied) ? tied : table(head, vocab));
  if (!c.logits_bias) return;
  final_logits_bias =
      p.optional_buffer("final_logits_bias", zeros({1, vocab}, values, target_table.device()));
  if (p.fresh()) return;
  const auto bias = to_host<float>(cast(final_logits_bias, DType::f32));
  biased = std::any_of(bias.begin(), bias.end(), [](float x) { return x != 0; });
}

// Rows of the table of positions: 0, 1, 2 .. in each text, or where the cache says they stand.
static Tensor rows_of(const Tensor& ids, const MarianConfig& c, const Run& run) {
  switch (c.places) {
    case Places::sines: return token_places(ids, run);
    case Places::learned: return places_from(kUnusedRows, token_places(ids, run));
    case Places::counted: break;
  }
  return run.cache ? cached_places_after(c.pad, ids, run) : places_after(c.pad, ids);
}

// Token vectors with their positions.
static Tensor embed(const Marian& m, const Tensor& ids, LayerRun here) {
  Run& run = *here;
  const MarianSide& side = here.source ? m.source : m.target;
  const MarianConfig& c = m.config;
  ensure<ShapeError>(run.cache || ids.dim(1) <= c.context, c.name, ": ", ids.dim(1),
                     " tokens, but the model has positions for ", c.context);
  Tensor x = here.pass(Part::other, "embed_tokens", ids, look_up(side.table, ids, m.values, c.pad));
  if (c.scale_embedding) x = x * std::sqrt(static_cast<double>(c.width));
  const Tensor places = rows_of(ids, c, run);
  const Tensor position_vectors =
      here.pass(Part::positions, "embed_positions", places, embedding(side.positions, places));
  x = x + position_vectors;
  if (side.layernorm_embedding) x = (*side.layernorm_embedding)(x, here);
  return here.pass(Part::other, "embeddings", ids, drop(x, c.dropout, run));
}

Tensor Marian::encode(const Source& in, Run& run) const {
  const LayerRun here(run, -1, "encoder", true);
  Tensor x = embed(*this, in.ids, here);  // [B, S, C]
  x = run_layers(
      encoder, x, run,
      [mask = in.mask](const MarianEncoderLayer& block, auto read, LayerRun at) {
        return block(read[0], mask, at);
      },
      {.seen = "encoder_hidden_states", .source = true, .left_out = config.encoder.layer_drop});
  if (source.layer_norm) x = (*source.layer_norm)(x, here);
  run.see("encoder_hidden_states", config.encoder.layers, x);
  return x;
}

Tensor Marian::hidden(const Tensor& ids, const Tensor& memory, const Tensor& mask, Run& run) const {
  const LayerRun here(run, -1, "decoder", false);
  Tensor x = embed(*this, ids, here);  // [B, T, C]
  x = run_layers(decoder, x, run,
                 [mask](const MarianDecoderLayer& block, auto in, LayerRun at) {
                   return block(in[0], in[1], mask, at);
                 },
                 {.left_out = config.decoder.layer_drop, .beside = {memory}});
  x = wanted_rows(x, run);
  if (target.layer_norm) x = (*target.layer_norm)(x, here);
  run.see("hidden_states", config.decoder.layers, x);
  return x;
}

Tensor Marian::logits(const Tensor& hidden) const {
  const Tensor bias = biased ? reshape(final_logits_bias, {-1}) : Tensor();
  return lm_head.apply(hidden, bias, Activation::none);
}

Tensor Marian::loss_sum(const Tensor& hidden, const Tensor& targets, double label_smoothing) const {
  CrossEntropyOptions o{.label_smoothing = label_smoothing, .reduction = Reduction::sum};
  if (!biased) return linear_cross_entropy(hidden, lm_head.dense, targets, o);
  o.reuse_logits = true;
  return cross_entropy(logits(hidden), targets, o);
}

}  // namespace jogak
