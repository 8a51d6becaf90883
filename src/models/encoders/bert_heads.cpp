#include "models/encoders/bert_heads.h"

#include <array>

#include "nn/spans.h"
#include "ops/activation.h"
#include "ops/concat.h"
#include "ops/embedding.h"
#include "ops/reshape.h"
#include "ops/slice.h"

namespace jogak {
namespace {

constexpr const char* kDetector = "discriminator_predictions";

BertHead head_in_file(const Params& p, const BertStyle& s) {
  if ((p / s.bias).in_file("bias")) return BertHead::masked;
  if ((p / "qa_outputs").in_file("weight")) return BertHead::spans;
  if ((p / kDetector / "dense").in_file("weight")) return BertHead::replaced;
  const Params first = p / (s.label_dense ? s.label_dense : "pooler.dense");
  if ((p / s.labels).in_file("weight") && first.in_file("weight")) return BertHead::sequence;
  return (p / "classifier").in_file("weight") ? BertHead::tokens : BertHead::none;
}

bool reads_pooled(BertHead head, const BertStyle& style) {
  return head == BertHead::pretraining || head == BertHead::next_sentence ||
         (head == BertHead::sequence && !style.label_dense);
}

// [B, T, C] -> [B, C]
Tensor first_token_of(const Tensor& hidden) {
  return reshape(slice(hidden, 1, 0, 1), {hidden.dim(0), hidden.dim(2)});
}

EncoderTask task_of(BertHead head) {
  switch (head) {
    case BertHead::masked:
    case BertHead::pretraining: return EncoderTask::fill;
    case BertHead::next_sentence:
    case BertHead::sequence: return EncoderTask::classify;
    case BertHead::tokens: return EncoderTask::tag;
    case BertHead::spans: return EncoderTask::answer;
    case BertHead::replaced: return EncoderTask::detect;
    case BertHead::by_tensors:
    case BertHead::none: break;
  }
  return EncoderTask::embed;
}

// Odds of one thing are scores of two, the first of which is 0: so targets may be left out.
Tensor odds_loss(const Tensor& odds, const Tensor& targets, const CrossEntropyOptions& o) {
  const Tensor one = reshape(odds, {odds.dim(0), odds.dim(1), 1});
  const Tensor none = zeros(one.shape(), one.dtype(), one.device());
  return cross_entropy(concat(std::array{none, one}, 2), targets, o);
}

}  // namespace

BertMaskedHead::BertMaskedHead(Params p, const BertConfig& c, const Tensor& table)
    : dense(p / c.style.transform, c.width, c.table_width(), normal(c.init)),
      norm(p / c.style.transform_norm, c.table_width(), c.eps),
      activation(c.style.transform_activation != Activation::none ? c.style.transform_activation
                                                                  : c.activation) {
  const Params own = p / c.style.decoder, beside = p / c.style.bias;
  const bool apart = !c.tied || own.differs_in_file("weight", table);
  decoder.dense = apart ? own.table("weight", table.shape(), normal(c.init)) : table;
  if (!c.tied && (p.fresh() || own.in_file("bias"))) {
    bias = own.get("bias", {c.vocab}, constant(0));
    // In transformers' files, and read by nobody.
    if (beside.where() != own.where()) beside.optional_buffer("bias", zeros({c.vocab}));
    return;
  }
  bias = beside.get("bias", {c.vocab}, constant(0));
  // ELECTRA has one for both; a device without values would tell it from itself.
  if (beside.where() != own.where() && own.differs_in_file("bias", bias))
    bias = own.get("bias", {c.vocab}, constant(0));
}

Tensor BertMaskedHead::operator()(const Tensor& x) const {
  return decoder.apply(norm(dense(x, activation)), bias, Activation::none);
}

BertDetector::BertDetector(Params p, const BertConfig& c)
    : dense(p / "dense", c.width, c.width, normal(c.init)),
      dense_prediction(p / "dense_prediction", c.width, 1, normal(c.init)),
      activation(c.activation) {}

Tensor BertDetector::operator()(const Tensor& x) const {
  return reshape(dense_prediction(dense(x, activation)), x.shape().without(-1));
}

BertHeads::BertHeads(Params p, const BertConfig& c, const Tensor& table) : config(c) {
  const BertStyle& style = c.style;
  if (c.head == BertHead::by_tensors) config.head = head_in_file(p, style);
  const BertHead head = config.head;
  const auto linear = [&](const Params& at, int64_t out) {
    return Linear(at, c.width, out, normal(c.init));
  };
  const Params pool = p / "pooler" / "dense", relation = p / "cls" / "seq_relationship";
  if (reads_pooled(head, style) || (head == BertHead::none && p.fresh() && style.pools) ||
      (style.pools && pool.in_file("weight")))
    pooler = linear(pool, c.width);
  if (head == BertHead::sequence && style.label_dense)
    label_dense = linear(p / style.label_dense, c.width);
  if (head == BertHead::masked || head == BertHead::pretraining || (p / style.bias).in_file("bias"))
    predictions.emplace(p, c, table);
  if (head == BertHead::pretraining || head == BertHead::next_sentence ||
      relation.in_file("weight"))
    seq_relationship = linear(relation, 2);
  if (head == BertHead::sequence || head == BertHead::tokens)
    classifier =
        linear(p / (head == BertHead::sequence ? style.labels : "classifier"), c.labels.count());
  if (head == BertHead::spans) qa_outputs = linear(p / "qa_outputs", 2);
  if (head == BertHead::replaced) detector.emplace(p / kDetector, c);
}

Tensor BertHeads::pooled(const Tensor& hidden) const {
  ensure<UsageError>(pooler.has_value(), config.style.name, ": this model has no pooler");
  return (*pooler)(first_token_of(hidden), Activation::tanh);
}

Tensor BertHeads::label_logits(const Tensor& hidden, Run& run) const {
  const double rate = config.classifier_drop.value_or(config.dropout);
  if (!label_dense) return (*classifier)(drop(pooled(hidden), rate, run));
  const double before = config.style.drop_first ? config.first_drop.value_or(rate) : 0;
  const Tensor first = drop(first_token_of(hidden), before, run);
  return (*classifier)(drop((*label_dense)(first, config.style.label_activation), rate, run));
}

Tensor BertHeads::logits(const Tensor& hidden, Run& run) const {
  const double rate = config.classifier_drop.value_or(config.dropout);
  switch (config.head) {
    case BertHead::masked:
    case BertHead::pretraining: return (*predictions)(hidden);
    case BertHead::next_sentence: return next_sentence(hidden);
    case BertHead::sequence: return label_logits(hidden, run);
    case BertHead::tokens: return (*classifier)(drop(hidden, rate, run));
    case BertHead::spans: return (*qa_outputs)(drop(hidden, config.span_drop, run));
    case BertHead::replaced: return (*detector)(hidden);
    case BertHead::by_tensors:
    case BertHead::none: break;
  }
  fail<UsageError>(config.style.name,
                   ": this model has no head: it gives vectors, not labels or words");
}

Tensor BertHeads::next_sentence(const Tensor& hidden) const {
  ensure<UsageError>(seq_relationship.has_value(),
                     "bert: this model has no head for the next sentence");
  return (*seq_relationship)(pooled(hidden));
}

// Only the rows that are wanted go through the head: of masked text one in seven.
static Tensor predict(const BertHeads& heads, Tensor x, const EncoderInput& input, Run& run) {
  if (input.wanted.defined())
    x = embedding(reshape(x, {-1, heads.config.width}), input.wanted);  // [N, C]
  return LayerRun(run).made(Part::other, "logits", x, heads.logits(x, run));
}

EncoderModel encoder_with(std::shared_ptr<const BertHeads> heads,
                          std::function<Tensor(const EncoderInput&, Run&)> hidden) {
  const BertConfig& c = heads->config;
  EncoderModel out;
  out.task = task_of(c.head);
  out.hidden = hidden;
  if (heads->pooler)
    out.pooled = [heads, hidden](const EncoderInput& input, Run& run) {
      return heads->pooled(hidden(input, run));
    };
  if (out.task != EncoderTask::embed) {
    out.predict = [heads, hidden](const EncoderInput& input, Run& run) {
      return predict(*heads, hidden(input, run), input, run);
    };
    if (out.task != EncoderTask::detect)
      out.read = [heads](const Tensor& x, Run& run) { return heads->logits(x, run); };
    const Labels labels =
        c.head == BertHead::sequence ? c.labels : Labels{{}, Problem::single_label};
    out.loss = [labels, task = out.task](const Tensor& predicted, const Tensor& targets,
                                         const CrossEntropyOptions& o) {
      if (task == EncoderTask::answer) return span_loss(predicted, targets, o);
      if (task == EncoderTask::detect) return odds_loss(predicted, targets, o);
      return label_loss(predicted, targets, labels, o);
    };
  }
  out.labels = c.labels;
  if (out.task == EncoderTask::detect) out.labels.names = {"original", "replaced"};
  if (out.task == EncoderTask::answer) out.labels.names = {"first", "last"};
  out.width = c.width, out.vocab = c.vocab, out.context = c.longest();
  return out;
}

}  // namespace jogak
