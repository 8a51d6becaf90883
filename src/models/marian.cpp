#include "models/marian.h"

#include <algorithm>
#include <cmath>

#include "nn/layers.h"
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
      dropout(c.dropout) {}

Tensor MarianEncoderLayer::operator()(Tensor x, const Tensor& mask, LayerRun run) const {
  const LayerRun at_attn = run.at("self_attn"), at_ffn = run.at("ffn");
  const Tensor seen = self_attn(x, {.keys = mask}, at_attn, "encoder_attentions");
  x = add_and_norm(x, drop(seen, dropout, *run), self_attn_layer_norm, at_attn).second;
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
      dropout(c.dropout) {}

Tensor MarianDecoderLayer::operator()(Tensor x, const Tensor& memory, const Tensor& mask,
                                      LayerRun run) const {
  const LayerRun at_self = run.at("self_attn"), at_cross = run.at("encoder_attn"),
                 at_ffn = run.at("ffn");
  const Tensor before = self_attn(x, {.causal = true, .keys = run->key_mask}, at_self);
  x = add_and_norm(x, drop(before, dropout, *run), self_attn_layer_norm, at_self).second;
  const Tensor read = encoder_attn(x, memory, {.keys = mask}, at_cross);
  x = add_and_norm(x, drop(read, dropout, *run), encoder_attn_layer_norm, at_cross).second;
  return add_and_norm(x, drop(ffn(x, at_ffn), dropout, *run), final_layer_norm, at_ffn).second;
}

Marian::Marian(Params p, const MarianConfig& c) : config(c) {
  const auto table = [&](Params at, int64_t rows) {
    return at.get("weight", {rows, c.width}, normal(1 / std::sqrt(static_cast<double>(c.width))));
  };
  Tensor tied;                         // what a tied head is
  if (c.share_embeddings && c.tied) {  // transformers shares nothing where the head is apart
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
  const Tensor sines =
      cast(sinusoids(c.context, c.width, SinusoidLayout::halves, tied.device()), tied.dtype());
  const auto places = [&](const Params& own) {
    return own.differs_in_file("weight", sines) ? own.buffer("weight", sines) : sines;
  };
  source_positions = places(p / "encoder" / "embed_positions");
  target_positions = places(p / "decoder" / "embed_positions");
  for (int64_t i = 0; i < c.encoder.layers; ++i)
    encoder.emplace_back(p / "encoder" / "layers" / std::to_string(i), c);
  for (int64_t i = 0; i < c.decoder.layers; ++i)
    decoder.emplace_back(p / "decoder" / "layers" / std::to_string(i), c);
  const int64_t vocab = target_table.dim(0);
  const Params head = p / "lm_head";
  lm_head.dense = c.tied && !head.differs_in_file("weight", tied) ? tied : table(head, vocab);
  final_logits_bias = p.optional_buffer(
      "final_logits_bias", zeros({1, vocab}, target_table.dtype(), target_table.device()));
  if (p.fresh()) return;
  const auto bias = to_host<float>(cast(final_logits_bias, DType::f32));
  biased = std::any_of(bias.begin(), bias.end(), [](float x) { return x != 0; });
}

// Token vectors with their positions: 0, 1, 2 .. in each row, or where the cache says they stand.
static Tensor embed(const Marian& m, const Tensor& ids, LayerRun here) {
  Run& run = *here;
  const Tensor& table = here.source ? m.source_table : m.target_table;
  const Tensor& positions = here.source ? m.source_positions : m.target_positions;
  const MarianConfig& c = m.config;
  ensure<ShapeError>(run.cache || ids.dim(1) <= c.context, "marian: ", ids.dim(1),
                     " tokens, but the model has positions for ", c.context);
  Tensor x = here.pass(Part::other, "embed_tokens", ids, embedding(table, ids, c.pad));
  if (c.scale_embedding) x = x * std::sqrt(static_cast<double>(c.width));
  const Tensor places = token_places(ids, run);
  const Tensor position_vectors =
      here.pass(Part::positions, "embed_positions", places, embedding(positions, places));
  return here.pass(Part::other, "embeddings", ids, drop(x + position_vectors, c.dropout, run));
}

Tensor Marian::encode(const Source& source, Run& run) const {
  Tensor x = embed(*this, source.ids, {run, -1, "encoder", true});  // [B, S, C]
  x = run_layers(
      encoder, x, run,
      [mask = source.mask](const MarianEncoderLayer& block, auto in, LayerRun at) {
        return block(in[0], mask, at);
      },
      {.seen = "encoder_hidden_states", .source = true, .left_out = config.encoder.layer_drop});
  run.see("encoder_hidden_states", config.encoder.layers, x);
  return x;
}

Tensor Marian::hidden(const Tensor& ids, const Tensor& memory, const Tensor& mask, Run& run) const {
  Tensor x = embed(*this, ids, {run, -1, "decoder", false});  // [B, T, C]
  x = run_layers(decoder, x, run,
                 [mask](const MarianDecoderLayer& block, auto in, LayerRun at) {
                   return block(in[0], in[1], mask, at);
                 },
                 {.left_out = config.decoder.layer_drop, .beside = {memory}});
  run.see("hidden_states", config.decoder.layers, x);
  return wanted_rows(x, run);
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

std::vector<int> Marian::remember(const Tensor& memory, const std::vector<int64_t>& lengths,
                                  KvCache& sources) const {
  std::vector<int> numbers;
  for (size_t b = 0; b < lengths.size(); ++b) numbers.push_back(sources.add());
  sources.begin(numbers, lengths);
  for (size_t i = 0; i < decoder.size(); ++i)
    jogak::remember(sources, static_cast<int64_t>(i), decoder[i].encoder_attn.kv(memory), numbers);
  return numbers;
}

Seq2SeqModel seq2seq_of(std::shared_ptr<const Marian> m) {
  const MarianConfig& c = m->config;
  Seq2SeqModel out;
  out.encode = [m](const Source& source, Run& run) { return m->encode(source, run); };
  out.decode = [m](const Tensor& ids, const Tensor& memory, const Tensor& mask, Run& run) {
    const Tensor x = m->hidden(ids, memory, mask, run);
    return LayerRun(run).made(Part::other, "lm_head", x, m->logits(x));
  };
  out.hidden = [m](const Tensor& ids, const Tensor& memory, const Tensor& mask, Run& run) {
    return m->hidden(ids, memory, mask, run);
  };
  out.read = [m](const Tensor& x) { return m->logits(x); };
  out.loss_sum = [m](const Source& source, const Tensor& ids, const Tensor& targets,
                     double label_smoothing, Run& run) {
    const Tensor memory = m->encode(source, run);
    return m->loss_sum(m->hidden(ids, memory, source.mask, run), targets, label_smoothing);
  };
  out.remember = [m](const Tensor& memory, const std::vector<int64_t>& lengths, KvCache& sources) {
    return m->remember(memory, lengths, sources);
  };
  const int64_t head = c.width / c.decoder.heads;
  out.sources = {c.decoder.layers, c.decoder.heads,          head, head,
                 c.context,        &m->target_table.device()};
  out.decoder = {.forward = [m](const Tensor& ids,
                                Run& run) { return m->logits(m->hidden(ids, {}, {}, run)); },
                 .cache = out.sources,
                 .vocab = m->target_table.dim(0)};
  out.source_vocab = c.vocab;
  out.start = static_cast<int>(c.start), out.end = static_cast<int>(c.end);
  out.pad = static_cast<int>(c.pad);
  return out;
}

}  // namespace jogak
