#include "models/bert.h"

#include "nn/layers.h"
#include "ops/activation.h"
#include "ops/add.h"
#include "ops/cross_entropy.h"
#include "ops/embedding.h"
#include "ops/reshape.h"
#include "ops/slice.h"

namespace jogak {
namespace {

Params attention_paths(Params p, const BertConfig& c) {
  return (p / "attention" / "self")
      .join({{"query", c.width}, {"key", c.width}, {"value", c.width}});
}

BertHead head_in_file(const Params& p) {
  if ((p / "cls" / "predictions").in_file("bias")) return BertHead::masked;
  if (!(p / "classifier").in_file("weight")) return BertHead::none;
  return (p / "pooler" / "dense").in_file("weight") ? BertHead::sequence : BertHead::tokens;
}

bool reads_pooled(BertHead head) {
  return head == BertHead::pretraining || head == BertHead::next_sentence ||
         head == BertHead::sequence;
}

}  // namespace

BertEmbeddings::BertEmbeddings(Params p, const BertConfig& c)
    : path(p.where()),
      word_embeddings((p / "word_embeddings").matrix("weight", {c.vocab, c.width}, normal(c.init))),
      position_embeddings(
          (p / "position_embeddings").get("weight", {c.context, c.width}, normal(c.init))),
      token_type_embeddings(
          (p / "token_type_embeddings").get("weight", {c.types, c.width}, normal(c.init))),
      norm(p / "LayerNorm", c.width, c.eps) {}

Tensor BertEmbeddings::operator()(const EncoderInput& in, const BertConfig& c, Run& run) const {
  const Tensor& ids = in.values;
  ensure<ShapeError>(ids.rank() == 2 && ids.dim(1) >= 1, "bert: ids ", ids.shape(),
                     ", wanted [texts, tokens]");
  ensure<ShapeError>(in.positions.defined() || ids.dim(1) <= c.context, "bert: ", ids.dim(1),
                     " tokens, but the model has positions for ", c.context);
  const Tensor types = in.token_types.defined() ? embedding(token_type_embeddings, in.token_types)
                                                : slice(token_type_embeddings, 0, 0, 1);  // [1, C]
  const LayerRun here(run, -1, path, false);
  const Tensor places =
      here.at("position_embeddings")
          .pass(Part::positions, {}, ids,
                in.positions.defined() ? embedding(position_embeddings, in.positions)
                                       : slice(position_embeddings, 0, 0, ids.dim(1)));
  const Tensor words =
      here.at("word_embeddings").pass(Part::other, {}, ids, look_up(word_embeddings, ids, c.pad));
  return norm(words + types + places, run);  // [B, T, C]
}

BertLayer::BertLayer(Params p, const BertConfig& c)
    : path(p.where()),
      attention(attention_paths(p, c), p / "attention" / "output" / "dense",
                {c.width, c.heads, c.heads, 0, c.attention_drop}, normal(c.init), normal(c.init)),
      attention_norm(p / "attention" / "output" / "LayerNorm", c.width, c.eps),
      mlp(p / "intermediate" / "dense", p / "output" / "dense", c.width, c.inner, c.activation,
          normal(c.init), normal(c.init)),
      output_norm(p / "output" / "LayerNorm", c.width, c.eps),
      dropout(c.dropout) {}

Tensor BertLayer::operator()(Tensor x, const Tensor& mask, LayerRun run) const {
  const LayerRun at_attn = run.at("attention"), at_mlp = run.at("mlp");
  const Tensor seen = drop(attention(x, {.keys = mask}, at_attn), dropout, *run);
  x = add_and_norm(x, seen, attention_norm, at_attn).second;
  return add_and_norm(x, drop(mlp(x, at_mlp), dropout, *run), output_norm, at_mlp).second;
}

BertMaskedHead::BertMaskedHead(Params p, const BertConfig& c, const Tensor& table)
    : dense(p / "transform" / "dense", c.width, c.width, normal(c.init)),
      norm(p / "transform" / "LayerNorm", c.width, c.eps),
      activation(c.activation) {
  const Params own = p / "decoder";
  const bool apart = !c.tied || own.differs_in_file("weight", table);
  decoder.dense = apart ? own.matrix("weight", {c.vocab, c.width}, normal(c.init)) : table;
  if (!c.tied && (p.fresh() || own.in_file("bias"))) {
    bias = own.get("bias", {c.vocab}, constant(0));
    p.optional_buffer("bias", zeros({c.vocab}));  // in transformers' files, and read by nobody
    return;
  }
  bias = p.get("bias", {c.vocab}, constant(0));
  if (own.differs_in_file("bias", bias)) bias = own.get("bias", {c.vocab}, constant(0));
}

Tensor BertMaskedHead::operator()(const Tensor& x) const {
  return decoder.apply(norm(dense(x, activation)), bias, Activation::none);
}

Bert::Bert(Params p, const BertConfig& c) : config(c), embeddings(p / "embeddings", c) {
  if (c.head == BertHead::by_tensors) config.head = head_in_file(p);
  const BertHead head = config.head;
  for (int64_t i = 0; i < c.layers; ++i)
    layer.emplace_back(p / "encoder" / "layer" / std::to_string(i), c);
  const Params pool = p / "pooler" / "dense", relation = p / "cls" / "seq_relationship";
  if (reads_pooled(head) || (head == BertHead::none && p.fresh()) || pool.in_file("weight"))
    pooler.emplace(pool, c.width, c.width, normal(c.init));
  if (head == BertHead::masked || head == BertHead::pretraining ||
      (p / "cls" / "predictions").in_file("bias"))
    predictions.emplace(p / "cls" / "predictions", c, embeddings.word_embeddings);
  if (head == BertHead::pretraining || head == BertHead::next_sentence ||
      relation.in_file("weight"))
    seq_relationship.emplace(relation, c.width, 2, normal(c.init));
  if (head == BertHead::sequence || head == BertHead::tokens)
    classifier.emplace(p / "classifier", c.width, c.labels.count(), normal(c.init));
}

Tensor Bert::hidden(const EncoderInput& input, Run& run) const {
  Tensor x = drop(embeddings(input, config, run), config.dropout, run);
  x = run_layers(layer, x, run, [mask = input.mask](const BertLayer& block, auto in, LayerRun at) {
    return block(in[0], mask, at);
  });
  run.see("hidden_states", config.layers, x);
  return x;
}

Tensor Bert::pooled(const Tensor& hidden) const {
  ensure<UsageError>(pooler.has_value(), "bert: this model has no pooler");
  const Tensor first = slice(hidden, 1, 0, 1);  // [B, 1, C]
  return (*pooler)(reshape(first, {hidden.dim(0), config.width}), Activation::tanh);
}

Tensor Bert::logits(const Tensor& hidden, Run& run) const {
  const double rate = config.classifier_drop.value_or(config.dropout);
  switch (config.head) {
    case BertHead::masked:
    case BertHead::pretraining: return (*predictions)(hidden);
    case BertHead::next_sentence: return next_sentence(hidden);
    case BertHead::sequence: return (*classifier)(drop(pooled(hidden), rate, run));
    case BertHead::tokens: return (*classifier)(drop(hidden, rate, run));
    case BertHead::by_tensors:
    case BertHead::none: break;
  }
  fail<UsageError>("bert: this model has no head: it gives vectors, not labels or words");
}

Tensor Bert::next_sentence(const Tensor& hidden) const {
  ensure<UsageError>(seq_relationship.has_value(),
                     "bert: this model has no head for the next sentence");
  return (*seq_relationship)(pooled(hidden));
}

static EncoderTask task_of(BertHead head) {
  switch (head) {
    case BertHead::masked:
    case BertHead::pretraining: return EncoderTask::fill;
    case BertHead::next_sentence:
    case BertHead::sequence: return EncoderTask::classify;
    case BertHead::tokens: return EncoderTask::tag;
    case BertHead::by_tensors:
    case BertHead::none: break;
  }
  return EncoderTask::embed;
}

// Only the rows that are wanted go through the head: of masked text one in seven.
static Tensor predict(const Bert& bert, const EncoderInput& input, Run& run) {
  Tensor x = bert.hidden(input, run);
  if (input.wanted.defined())
    x = embedding(reshape(x, {-1, bert.config.width}), input.wanted);  // [N, C]
  return LayerRun(run).made(Part::other, "logits", x, bert.logits(x, run));
}

EncoderModel encoder_of(std::shared_ptr<const Bert> bert) {
  const BertConfig& c = bert->config;
  EncoderModel out;
  out.task = task_of(c.head);
  out.hidden = [bert](const EncoderInput& input, Run& run) { return bert->hidden(input, run); };
  if (bert->pooler)
    out.pooled = [bert](const EncoderInput& input, Run& run) {
      return bert->pooled(bert->hidden(input, run));
    };
  if (out.task != EncoderTask::embed) {
    out.predict = [bert](const EncoderInput& input, Run& run) {
      return predict(*bert, input, run);
    };
    out.read = [bert](const Tensor& x, Run& run) { return bert->logits(x, run); };
    const Labels labels =
        c.head == BertHead::sequence ? c.labels : Labels{{}, Problem::single_label};
    out.loss = [labels](const Tensor& predicted, const Tensor& targets, Reduction reduction) {
      return label_loss(predicted, targets, labels, reduction);
    };
  }
  out.labels = c.labels;
  out.width = c.width, out.vocab = c.vocab, out.context = c.context;
  return out;
}

}  // namespace jogak
