#include "models/bert.h"

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

BertHead head_in_file(const Params& p, const BertStyle& s) {
  if ((p / s.bias).in_file("bias")) return BertHead::masked;
  const Params first = p / (s.label_dense ? s.label_dense : "pooler.dense");
  if ((p / s.labels).in_file("weight") && first.in_file("weight")) return BertHead::sequence;
  return (p / "classifier").in_file("weight") ? BertHead::tokens : BertHead::none;
}

bool reads_pooled(BertHead head, const BertStyle& style) {
  return head == BertHead::pretraining || head == BertHead::next_sentence ||
         (head == BertHead::sequence && !style.label_dense);
}

}  // namespace

BertEmbeddings::BertEmbeddings(Params p, const BertConfig& c)
    : path(p.where()),
      word_embeddings((p / "word_embeddings").matrix("weight", {c.vocab, c.width}, normal(c.init))),
      position_embeddings(
          (p / "position_embeddings").get("weight", {c.context, c.width}, normal(c.init))),
      token_type_embeddings(
          c.types > 0
              ? (p / "token_type_embeddings").get("weight", {c.types, c.width}, normal(c.init))
              : Tensor()),
      norm(p / "LayerNorm", c.width, c.eps) {}

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
  return norm(words + places, run);  // [B, T, C]
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

Tensor BertLayer::operator()(Tensor x, const Tensor& mask, LayerRun run) const {
  const LayerRun at_attn = run.at("attention"), at_mlp = run.at("mlp");
  const Tensor seen = drop(attention(x, {.keys = mask}, at_attn), dropout, *run);
  x = add_and_norm(x, seen, attention_norm, at_attn).second;
  return add_and_norm(x, drop(mlp(x, at_mlp), dropout, *run), output_norm, at_mlp).second;
}

BertMaskedHead::BertMaskedHead(Params p, const BertConfig& c, const Tensor& table)
    : dense(p / c.style.transform, c.width, c.width, normal(c.init)),
      norm(p / c.style.transform_norm, c.width, c.eps),
      activation(c.style.transform_activation != Activation::none ? c.style.transform_activation
                                                                  : c.activation) {
  const Params own = p / c.style.decoder, beside = p / c.style.bias;
  const bool apart = !c.tied || own.differs_in_file("weight", table);
  decoder.dense = apart ? own.matrix("weight", {c.vocab, c.width}, normal(c.init)) : table;
  if (!c.tied && (p.fresh() || own.in_file("bias"))) {
    bias = own.get("bias", {c.vocab}, constant(0));
    // In transformers' files, and read by nobody.
    if (beside.where() != own.where()) beside.optional_buffer("bias", zeros({c.vocab}));
    return;
  }
  bias = beside.get("bias", {c.vocab}, constant(0));
  if (own.differs_in_file("bias", bias)) bias = own.get("bias", {c.vocab}, constant(0));
}

Tensor BertMaskedHead::operator()(const Tensor& x) const {
  return decoder.apply(norm(dense(x, activation)), bias, Activation::none);
}

Bert::Bert(Params p, const BertConfig& c) : config(c), embeddings(p / "embeddings", c) {
  const BertStyle& style = c.style;
  if (c.head == BertHead::by_tensors) config.head = head_in_file(p, style);
  const BertHead head = config.head;
  for (int64_t i = 0; i < c.layers; ++i)
    layer.emplace_back(p / style.layers / std::to_string(i), c);
  const Params pool = p / "pooler" / "dense", relation = p / "cls" / "seq_relationship";
  if (reads_pooled(head, style) || (head == BertHead::none && p.fresh() && style.pools) ||
      pool.in_file("weight"))
    pooler.emplace(pool, c.width, c.width, normal(c.init));
  if (head == BertHead::sequence && style.label_dense)
    label_dense.emplace(p / style.label_dense, c.width, c.width, normal(c.init));
  if (head == BertHead::masked || head == BertHead::pretraining || (p / style.bias).in_file("bias"))
    predictions.emplace(p, c, embeddings.word_embeddings);
  if (head == BertHead::pretraining || head == BertHead::next_sentence ||
      relation.in_file("weight"))
    seq_relationship.emplace(relation, c.width, 2, normal(c.init));
  if (head == BertHead::sequence || head == BertHead::tokens)
    classifier.emplace(p / (head == BertHead::sequence ? style.labels : "classifier"), c.width,
                       c.labels.count(), normal(c.init));
}

Tensor Bert::hidden(const EncoderInput& input, Run& run) const {
  Tensor x = drop(embeddings(input, config, run), config.dropout, run);
  x = run_layers(layer, x, run, [mask = input.mask](const BertLayer& block, auto in, LayerRun at) {
    return block(in[0], mask, at);
  });
  run.see("hidden_states", config.layers, x);
  return x;
}

// [B, T, C] -> [B, C]
static Tensor first_token(const Tensor& hidden) {
  return reshape(slice(hidden, 1, 0, 1), {hidden.dim(0), hidden.dim(2)});
}

Tensor Bert::pooled(const Tensor& hidden) const {
  ensure<UsageError>(pooler.has_value(), config.style.name, ": this model has no pooler");
  return (*pooler)(first_token(hidden), Activation::tanh);
}

Tensor Bert::label_logits(const Tensor& hidden, Run& run) const {
  const double rate = config.classifier_drop.value_or(config.dropout);
  if (!label_dense) return (*classifier)(drop(pooled(hidden), rate, run));
  const Tensor first = drop(first_token(hidden), config.style.drop_first ? rate : 0, run);
  return (*classifier)(drop((*label_dense)(first, config.style.label_activation), rate, run));
}

Tensor Bert::logits(const Tensor& hidden, Run& run) const {
  const double rate = config.classifier_drop.value_or(config.dropout);
  switch (config.head) {
    case BertHead::masked:
    case BertHead::pretraining: return (*predictions)(hidden);
    case BertHead::next_sentence: return next_sentence(hidden);
    case BertHead::sequence: return label_logits(hidden, run);
    case BertHead::tokens: return (*classifier)(drop(hidden, rate, run));
    case BertHead::by_tensors:
    case BertHead::none: break;
  }
  fail<UsageError>(config.style.name,
                   ": this model has no head: it gives vectors, not labels or words");
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
    out.loss = [labels](const Tensor& predicted, const Tensor& targets,
                        const CrossEntropyOptions& o) {
      return label_loss(predicted, targets, labels, o);
    };
  }
  out.labels = c.labels;
  out.width = c.width, out.vocab = c.vocab, out.context = c.longest();
  return out;
}

}  // namespace jogak
