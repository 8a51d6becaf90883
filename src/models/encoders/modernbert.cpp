#include "models/encoders/modernbert.h"

#include <cmath>
#include <utility>

#include "nn/layers.h"
#include "nn/spans.h"
#include "ops/activation.h"
#include "ops/cast.h"
#include "ops/embedding.h"
#include "ops/matmul.h"
#include "ops/mul.h"
#include "ops/reshape.h"
#include "ops/rope.h"
#include "ops/slice.h"

namespace jogak {
namespace {

// What ends in the residual stream starts smaller, the deeper the stack.
Init into_stream(const ModernBertConfig& c) {
  return normal(c.init / std::sqrt(2.0 * static_cast<double>(c.layers)));
}

ModernBertHead head_found(const Params& p) {
  if ((p / "decoder").in_file("bias") || (p / "decoder").in_file("weight"))
    return ModernBertHead::masked;
  return (p / "classifier").in_file("weight") ? ModernBertHead::sequence : ModernBertHead::none;
}

// The mean over a text's own tokens: [B, T, C] -> [B, C].
Tensor mean_token(const Tensor& x, const Tensor& mask) {
  const int64_t B = x.dim(0), T = x.dim(1);
  std::vector<float> shares(static_cast<size_t>(B * T), 1.0f / static_cast<float>(T));
  if (mask.defined()) {
    const auto real = to_host<int64_t>(cast(mask, DType::i64));
    for (int64_t b = 0; b < B; ++b) {
      int64_t count = 0;
      for (int64_t t = 0; t < T; ++t) count += real[static_cast<size_t>(b * T + t)];
      for (int64_t t = 0; t < T; ++t)
        shares[static_cast<size_t>(b * T + t)] =
            real[static_cast<size_t>(b * T + t)] != 0 ? 1.0f / static_cast<float>(count) : 0.0f;
    }
  }
  const Tensor weights = cast(from_values(shares, {B, 1, T}, x.device()), x.dtype());
  return reshape(matmul(weights, x), {B, x.dim(2)});
}

}  // namespace

ModernBertLayer::ModernBertLayer(Params p, const ModernBertConfig& c, int64_t layer)
    : path(p.where()),
      qkv(p / "attn" / "Wqkv", c.width, 3 * c.width, normal(c.init), c.attention_bias),
      out(p / "attn" / "Wo", c.width, c.width, into_stream(c), c.attention_bias),
      shape{c.width, c.heads, c.heads, 0, c.attention_drop},
      mlp_norm(p / "mlp_norm", c.width, c.eps, c.norm_bias),
      up(p / "mlp" / "Wi", c.width, 2 * c.inner, normal(c.init), c.mlp_bias),
      down(p / "mlp" / "Wo", c.inner, c.width, into_stream(c), c.mlp_bias),
      activation(c.activation),
      local(c.kind(layer).local),
      window(local ? c.window / 2 + 1 : 0),
      attention_drop(c.attention_drop),
      mlp_drop(c.mlp_drop) {
  if (layer > 0) attn_norm.emplace(p / "attn_norm", c.width, c.eps, c.norm_bias);
}

Tensor ModernBertLayer::operator()(const Tensor& x, const Tensor& turns, const Tensor& mask,
                                   LayerRun run) const {
  const LayerRun at_attn = run.at("attn"), at_mlp = run.at("mlp");
  const Tensor read = attn_norm ? (*attn_norm)(x, run) : x;
  const Tensor all = rope(qkv(read, at_attn), turns, 2 * shape.heads, shape.head_width());
  const AttentionMask seen{.keys = mask, .window = x.dim(1) > window ? window : 0};
  const Tensor heads = self_attention(all, shape, seen, at_attn);
  const Tensor looked = at_attn.pass(Part::attention, {}, read, out(heads, at_attn));
  const auto [sum, normed] = add_and_norm(x, drop(looked, attention_drop, *run), mlp_norm, at_attn);
  const Tensor both = up(normed, at_mlp);  // [B, T, 2 inner]
  const int64_t inner = both.dim(2) / 2, sizes[] = {inner, inner};
  const auto parts = split(both, 2, sizes);
  const Tensor inside =
      at_mlp.pass(Part::other, "gated", both, activate(parts[0], activation) * parts[1]);
  const Tensor made = down(drop(inside, mlp_drop, *run), at_mlp);
  return add_skip(sum, at_mlp.pass(Part::ffn, {}, normed, made), at_mlp);
}

ModernBertTransform::ModernBertTransform(Params p, const ModernBertConfig& c)
    : dense(p / "dense", c.width, c.width, into_stream(c), c.classifier_bias),
      norm(p / "norm", c.width, c.eps, c.norm_bias),
      activation(c.classifier_activation) {}

ModernBert::ModernBert(Params p, const ModernBertConfig& c)
    : config(c),
      tok_embeddings((p / "embeddings" / "tok_embeddings")
                         .table("weight", {c.vocab, c.width}, normal(c.init))),
      embedding_norm(p / "embeddings" / "norm", c.width, c.eps, c.norm_bias),
      rotary(c.rope, c.width / c.heads, tok_embeddings.device()),
      local_rotary(c.local_rope, c.width / c.heads, tok_embeddings.device()),
      final_norm(p / "final_norm", c.width, c.eps, c.norm_bias) {
  for (int64_t i = 0; i < c.layers; ++i)
    layers.emplace_back(p / "layers" / std::to_string(i), c, i);
  if (c.head == ModernBertHead::by_tensors) config.head = head_found(p);
  if (config.head != ModernBertHead::none) transform.emplace(p / "head", c);
  if (config.head == ModernBertHead::masked) {
    const Params own = p / "decoder";
    const bool apart = !c.tied || own.differs_in_file("weight", tok_embeddings);
    decoder.dense =
        apart ? own.table("weight", {c.vocab, c.width}, into_stream(c)) : tok_embeddings;
    if (c.decoder_bias) decoder_bias = own.get("bias", {c.vocab}, constant(0));
  } else if (config.head != ModernBertHead::none) {
    const double deviation = 1 / std::sqrt(static_cast<double>(c.width));
    classifier.emplace(p / "classifier", c.width,
                       config.head == ModernBertHead::spans ? 2 : c.labels.count(),
                       normal(deviation));
  }
}

Tensor ModernBert::hidden(const EncoderInput& input, Run& run) const {
  const Tensor& ids = input.values;
  ensure<ShapeError>(ids.rank() == 2 && ids.dim(1) >= 1, "modernbert: ids ", ids.shape(),
                     ", wanted [texts, tokens]");
  const LayerRun outside(run);
  const Tensor words =
      outside.made(Part::other, "embeddings.tok_embeddings", ids,
                   look_up(tok_embeddings, ids, embedding_norm.weight.dtype(), config.pad));
  Tensor x = drop(embedding_norm(words, run), config.embedding_drop, run);  // [B, T, C]
  const Tensor before = std::exchange(run.positions, input.positions);
  const auto table = [&](const RotaryPositions& places) {
    return outside.made(Part::positions, "rotary", ids, places.table(ids, run));
  };
  const Tensor everywhere = table(rotary), local = table(local_rotary);
  run.positions = before;
  const auto call = [everywhere, local, mask = input.mask](const ModernBertLayer& block, auto in,
                                                           LayerRun at) {
    return block(in[0], block.local ? local : everywhere, mask, at);
  };
  x = final_norm(run_layers(layers, x, run, call), run);
  run.see("hidden_states", config.layers, x);
  return x;
}

Tensor ModernBert::logits(const Tensor& hidden, const Tensor& mask, Run& run) const {
  ensure<UsageError>(transform.has_value(),
                     "modernbert: this model has no head: it gives vectors, not labels or words");
  if (config.head == ModernBertHead::masked)
    return decoder.apply((*transform)(hidden), decoder_bias, Activation::none);
  Tensor x = hidden;
  if (config.head == ModernBertHead::sequence)
    x = config.pools_mean ? mean_token(x, mask)
                          : reshape(slice(x, 1, 0, 1), {x.dim(0), x.dim(2)});  // [B, C]
  return (*classifier)(drop((*transform)(x), config.classifier_drop, run));
}

static EncoderTask modern_task(ModernBertHead head) {
  switch (head) {
    case ModernBertHead::masked: return EncoderTask::fill;
    case ModernBertHead::sequence: return EncoderTask::classify;
    case ModernBertHead::tokens: return EncoderTask::tag;
    case ModernBertHead::spans: return EncoderTask::answer;
    case ModernBertHead::by_tensors:
    case ModernBertHead::none: break;
  }
  return EncoderTask::embed;
}

EncoderModel encoder_of(std::shared_ptr<const ModernBert> model) {
  const ModernBertConfig& c = model->config;
  EncoderModel out;
  out.task = modern_task(c.head);
  out.hidden = [model](const EncoderInput& in, Run& run) { return model->hidden(in, run); };
  if (out.task != EncoderTask::embed) {
    out.predict = [model](const EncoderInput& in, Run& run) {
      Tensor x = model->hidden(in, run);
      if (in.wanted.defined())
        x = embedding(reshape(x, {-1, model->config.width}), in.wanted);  // [N, C]
      return LayerRun(run).made(Part::other, "logits", x, model->logits(x, in.mask, run));
    };
    out.read = [model](const Tensor& x, Run& run) {
      return model->logits(model->final_norm(x, run), {}, run);
    };
    const Labels labels =
        c.head == ModernBertHead::sequence ? c.labels : Labels{{}, Problem::single_label};
    out.loss = [labels, spans = c.head == ModernBertHead::spans](
                   const Tensor& predicted, const Tensor& targets, const CrossEntropyOptions& o) {
      return spans ? span_loss(predicted, targets, o) : label_loss(predicted, targets, labels, o);
    };
  }
  out.labels = c.labels;
  if (out.task == EncoderTask::answer) out.labels.names = {"first", "last"};
  out.width = c.width, out.vocab = c.vocab, out.context = c.context;
  return out;
}

}  // namespace jogak
