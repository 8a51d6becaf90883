#include "models/seq2seq/t5.h"

#include <cmath>

#include "nn/gated.h"
#include "nn/layers.h"
#include "ops/linear_cross_entropy.h"
#include "ops/mul.h"

namespace jogak {
namespace {

AttentionShape shape_of(const T5Config& c) {
  return {c.width, c.heads, c.heads, 1, c.dropout, c.head};
}

double inverse_root(int64_t n) { return 1 / std::sqrt(static_cast<double>(n)); }

// Scores are not scaled, so queries start small by sqrt(head). q, k and v are one matrix here and
// start alike: what queries are too large by then, keys are too small by, and values make up for
// in the matrix behind them.
double fourth_root(const T5Config& c) { return std::pow(static_cast<double>(c.head), 0.25); }

Init inward(const T5Config& c) { return normal(c.init * inverse_root(c.width) / fourth_root(c)); }
Init outward(const T5Config& c) {
  return normal(c.init * inverse_root(c.heads * c.head) * fourth_root(c));
}

Params wi_path(Params p, const T5Config& c) {
  return c.gated ? p.join({{"wi_0", c.inner}, {"wi_1", c.inner}}) : p / "wi";
}

Params relative_path(Params stack) {
  return stack / "block" / "0" / "layer" / "0" / "SelfAttention" / "relative_attention_bias";
}

}  // namespace

T5SelfAttention::T5SelfAttention(Params p, const T5Config& c)
    : qkv(p.join({{"q", c.heads * c.head}, {"k", c.heads * c.head}, {"v", c.heads * c.head}}),
          c.width, 3 * c.heads * c.head, inward(c), false),
      o(p / "o", c.heads * c.head, c.width, outward(c), false),
      shape(shape_of(c)) {}

Tensor T5SelfAttention::operator()(const Tensor& x, const AttentionMask& mask, LayerRun run,
                                   const char* name) const {
  const Tensor heads = jogak::self_attention(qkv(x, run), shape, mask, run, name);
  return run.pass(Part::attention, {}, x, o(heads, run));
}

T5CrossAttention::T5CrossAttention(Params p, const T5Config& c)
    : q(p / "q", c.width, c.heads * c.head, inward(c), false),
      kv(p.join({{"k", c.heads * c.head}, {"v", c.heads * c.head}}), c.width, 2 * c.heads * c.head,
         inward(c), false),
      o(p / "o", c.heads * c.head, c.width, outward(c), false),
      shape(shape_of(c)) {}

Tensor T5CrossAttention::operator()(const Tensor& x, const Tensor& memory, const Tensor& mask,
                                    LayerRun run) const {
  if (run->sources) return o(cached_cross_attention(q(x), shape, run));
  const Tensor heads =
      jogak::cross_attention(q(x, run), kv(memory, run), shape, {.keys = mask}, run);
  return run.pass(Part::cross, {}, x, o(heads, run));
}

T5FeedForward::T5FeedForward(Params p, const T5Config& c)
    : wi(wi_path(p, c), c.width, (c.gated ? 2 : 1) * c.inner,
         normal(c.init * inverse_root(c.width)), false),
      wo(p / "wo", c.inner, c.width, normal(c.init * inverse_root(c.inner)), false),
      activation(c.activation),
      is_gated(c.gated),
      dropout(c.dropout) {}

Tensor T5FeedForward::operator()(const Tensor& x, LayerRun run) const {
  const Tensor inside = is_gated ? gated(wi(x, run), activation) : wi(x, run, activation);
  return run.pass(Part::ffn, {}, x, wo(drop(inside, dropout, *run), run));
}

T5Block::T5Block(Params p, const T5Config& c, bool decodes)
    : path(p.where()),
      self_norm(p / "layer" / "0" / "layer_norm", c.width, c.eps),
      self_attention(p / "layer" / "0" / "SelfAttention", c),
      ffn_norm(p / "layer" / (decodes ? "2" : "1") / "layer_norm", c.width, c.eps),
      ffn(p / "layer" / (decodes ? "2" : "1") / "DenseReluDense", c),
      dropout(c.dropout) {
  if (!decodes) return;
  cross_norm.emplace(p / "layer" / "1" / "layer_norm", c.width, c.eps);
  cross_attention.emplace(p / "layer" / "1" / "EncDecAttention", c);
}

Tensor T5Block::operator()(Tensor x, const Tensor& distances, const Tensor& memory,
                           const Tensor& mask, LayerRun run) const {
  const bool decodes = cross_attention.has_value();
  const LayerRun at_self = run.at("layer.0.SelfAttention"),
                 at_cross = run.at("layer.1.EncDecAttention"),
                 at_ffn = run.at(decodes ? "layer.2.DenseReluDense" : "layer.1.DenseReluDense");
  const AttentionMask seen{
      .causal = decodes, .keys = decodes ? run->key_mask : mask, .distances = distances};
  Tensor read;
  std::tie(x, read) = keep_and_norm(x, self_norm, run);
  Tensor update =
      self_attention(read, seen, at_self, decodes ? "attentions" : "encoder_attentions");
  std::tie(x, read) =
      add_and_norm(x, drop(update, dropout, *run), decodes ? *cross_norm : ffn_norm, at_self);
  if (decodes) {
    update = (*cross_attention)(read, memory, mask, at_cross);
    std::tie(x, read) = add_and_norm(x, drop(update, dropout, *run), ffn_norm, at_cross);
  }
  return add_skip(x, drop(ffn(read, at_ffn), dropout, *run), at_ffn);
}

T5Stack::T5Stack(Params p, const T5Config& c, bool decodes)
    : relative_attention_bias(relative_path(p), c.heads, {c.buckets, c.farthest, !decodes},
                              normal(c.init * inverse_root(c.width))),
      final_layer_norm(p / "final_layer_norm", c.width, c.eps) {
  for (int64_t i = 0; i < (decodes ? c.decoder_layers : c.encoder_layers); ++i)
    block.emplace_back(p / "block" / std::to_string(i), c, decodes);
}

T5::T5(Params p, const T5Config& c)
    : config(c),
      tables(shared_tables(p, {c.vocab, c.width}, normal(c.init), c.tied)),
      values(p.values()),
      encoder(p / "encoder", c, false),
      decoder(p / "decoder", c, true),
      lm_head{tables.head} {}

static Tensor embed(const T5& m, const Tensor& ids, LayerRun here) {
  const Tensor& table = here.source ? m.tables.source : m.tables.target;
  const Tensor x = here.pass(Part::other, "embed_tokens", ids, look_up(table, ids, m.values));
  return here.pass(Part::other, "embeddings", ids, drop(x, m.config.dropout, *here));
}

Tensor T5::encode(const Source& source, Run& run) const {
  const LayerRun here(run, -1, "encoder", true);
  Tensor x = embed(*this, source.ids, here);  // [B, S, C]
  const Tensor distances = encoder.relative_attention_bias(source.ids, here);
  x = run_layers(encoder.block, x, run,
                 [mask = source.mask](const T5Block& block, auto in, LayerRun at) {
                   return block(in[0], in[1], {}, mask, at);
                 },
                 {.seen = "encoder_hidden_states", .source = true, .beside = {distances}});
  x = drop(encoder.final_layer_norm(x, here), config.dropout, run);
  run.see("encoder_hidden_states", config.encoder_layers, x);
  return x;
}

Tensor T5::hidden(const Tensor& ids, const Tensor& memory, const Tensor& mask, Run& run) const {
  const LayerRun here(run, -1, "decoder", false);
  Tensor x = embed(*this, ids, here);  // [B, T, C]
  const Tensor distances = decoder.relative_attention_bias(ids, here);
  x = run_layers(decoder.block, x, run,
                 [mask](const T5Block& block, auto in, LayerRun at) {
                   return block(in[0], in[1], in[2], mask, at);
                 },
                 {.beside = {distances, memory}});
  x = drop(decoder.final_layer_norm(wanted_rows(x, run), here), config.dropout, run);
  run.see("hidden_states", config.decoder_layers, x);
  return x;
}

static Tensor scaled(const Tensor& hidden, const T5Config& c) {
  return c.scale_outputs ? hidden * inverse_root(c.width) : hidden;
}

Tensor T5::logits(const Tensor& hidden) const {
  return lm_head.apply(scaled(hidden, config), {}, Activation::none);
}

Tensor T5::loss_sum(const Tensor& hidden, const Tensor& targets, double label_smoothing) const {
  return linear_cross_entropy(scaled(hidden, config), lm_head.dense, targets,
                              {.label_smoothing = label_smoothing, .reduction = Reduction::sum});
}

}  // namespace jogak
