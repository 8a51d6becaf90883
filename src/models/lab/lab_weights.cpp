// The laboratory's weights: names, shapes and start values, each once.
#include <algorithm>
#include <cmath>

#include "models/lab/lab.h"

namespace jogak {
namespace {

using Bend = LabConfig::Bend;

// softmax(Q K^T / sqrt(d_k)) V, of `heads` heads; without the scale a long d_k saturates softmax.
AttentionShape shape_of(const LabConfig& c) {
  return {.width = c.width,
          .heads = c.heads,
          .kv_heads = c.kv_heads,
          .scale = c.scaled ? 0.0 : 1.0,
          .dropout = c.attention_drop,
          .head = c.key,
          .value = c.value};
}

Init inward(const LabConfig& c, int64_t out) { return xavier(c.width, out); }

// Of matrices whose result is added to the stream: there are two or three in each layer.
Init outward(const LabConfig& c, int64_t in) {
  const auto sums = static_cast<double>(2 * std::max(c.encoder_layers, c.decoder_layers));
  const bool small = c.small_start && c.residual;
  return normal(xavier(in, c.width).deviation / (small ? std::sqrt(sums) : 1));
}

// q alone, or q, k and v as one matrix: rows upon rows.
Params qkv_path(Params p, const LabConfig& c) {
  if (c.one_matrix) return p / "q_proj";
  return p.join({{"q_proj", c.heads * c.key},
                 {"k_proj", c.kv_heads * c.key},
                 {"v_proj", c.kv_heads * c.value}});
}
int64_t qkv_rows(const LabConfig& c) {
  return c.heads * c.key + (c.one_matrix ? 0 : c.kv_heads * (c.key + c.value));
}

}  // namespace

LabNorm::LabNorm(Params p, const LabConfig& c) {
  if (c.norm == LabConfig::Norm::layer) kind.emplace<LayerNorm>(p, c.width, c.eps);
  if (c.norm == LabConfig::Norm::rms) kind.emplace<RmsNorm>(p, c.width, c.eps);
  if (c.norm == LabConfig::Norm::batch) kind.emplace<BatchNorm>(p, c.width, c.eps);
}

LabAttention::LabAttention(Params p, const LabConfig& c)
    : qkv(qkv_path(p, c), c.width, qkv_rows(c), inward(c, c.heads * c.key), c.qkv_bias),
      out(p / "out_proj", c.heads * c.value, c.width, outward(c, c.heads * c.value)),
      shape(shape_of(c)),
      one_matrix(c.one_matrix) {}

LabCrossAttention::LabCrossAttention(Params p, const LabConfig& c, int64_t layer)
    : q(p / "q_proj", c.width, c.heads * c.key, inward(c, c.heads * c.key), c.qkv_bias),
      out(p / "out_proj", c.heads * c.value, c.width, outward(c, c.heads * c.value)),
      shape(shape_of(c)),
      first(c.cross_same ? layer * c.width : 0),
      width(c.width) {
  if (c.one_matrix) return;
  const int64_t keys = c.kv_heads * c.key, values = c.kv_heads * c.value;
  both.emplace(p.join({{"k_proj", keys}, {"v_proj", values}}), c.width, keys + values,
               inward(c, c.heads * c.key), c.qkv_bias);
}

LabFeedForward::LabFeedForward(Params p, const LabConfig& c)
    : up(c.feed_forward == Bend::swiglu ? p.join({{"gate", c.inner}, {"up", c.inner}}) : p / "up",
         c.width, (c.feed_forward == Bend::swiglu ? 2 : 1) * c.inner, inward(c, c.inner)),
      down(p / "down", c.inner, c.width, outward(c, c.inner)),
      kind(c.feed_forward),
      dropout(c.inner_drop) {}

LabLayer::LabLayer(Params p, const LabConfig& c, bool decodes_text, int64_t layer)
    : path(p.where()),
      norm_first(c.norm_first),
      residual(c.residual),
      decodes(decodes_text),
      causal(decodes_text && c.masked),
      dropout(c.residual_drop),
      self_attn(p / "self_attn", c),
      self_attn_norm(p / "self_attn_norm", c) {
  if (decodes && c.reads()) {
    cross_attn.emplace(p / "cross_attn", c, layer);
    cross_attn_norm.emplace(p / "cross_attn_norm", c);
  }
  if (c.feed_forward == Bend::none) return;
  ffn.emplace(p / "ffn", c);
  ffn_norm.emplace(p / "ffn_norm", c);
}

LabSide::LabSide(Params p, const Embedding& words, const LabConfig& c, bool decodes)
    : path(p.where()),
      embed_tokens(words),
      positions(p, c, !decodes, words.weight.device()),
      scale(c.scale_embedding ? std::sqrt(static_cast<double>(c.width)) : 1),
      dropout(c.embedding_drop) {
  for (int64_t i = 0; i < (decodes ? c.decoder_layers : c.encoder_layers); ++i)
    layers.emplace_back(p / "layers" / std::to_string(i), c, decodes, i);
  if (c.norm_first) norm.emplace(p / "norm", c);
}

static Embedding words_of(Params p, const LabConfig& c, int64_t vocab) {
  return {p, vocab, c.width, normal(1 / std::sqrt(static_cast<double>(c.width)))};
}

Lab::Lab(Params p, const LabConfig& c) : config(c) {
  if (c.wiring == LabConfig::Wiring::encoder_decoder && c.share_embeddings) {
    const Embedding shared = words_of(p / "shared", c, c.vocab);
    encoder.emplace(p / "encoder", shared, c, false);
    decoder.emplace(p / "decoder", shared, c, true);
  } else {
    const Params source = p / "encoder", target = p / "decoder";
    if (c.reads()) encoder.emplace(source, words_of(source / "embed_tokens", c, c.vocab), c, false);
    if (c.writes())
      decoder.emplace(target, words_of(target / "embed_tokens", c, c.decoder_vocab), c, true);
  }
  if (c.classifies)
    classifier.emplace(p / "classifier", c.width, c.labels.count(), normal(0.02));
  else
    lm_head.dense = c.tied ? table() : words_of(p / "lm_head", c, table().dim(0)).weight;
}

}  // namespace jogak
