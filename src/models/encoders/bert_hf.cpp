// BERT as Hugging Face's directories have it: names, config.json.
#include "models/encoders/bert_keys.h"

namespace jogak {
namespace {

const ConfigWords<BertHead>& bert_head_classes() {
  static const ConfigWords<BertHead> classes = {
      {BertHead::none, "BertModel"},
      {BertHead::masked, "BertForMaskedLM"},
      {BertHead::pretraining, "BertForPreTraining"},
      {BertHead::next_sentence, "BertForNextSentencePrediction"},
      {BertHead::sequence, "BertForSequenceClassification"},
      {BertHead::tokens, "BertForTokenClassification"},
      {BertHead::spans, "BertForQuestionAnswering"}};
  return classes;
}

int64_t bert_outputs(const BertConfig& c) {
  if (c.head == BertHead::none) return 0;
  if (c.head == BertHead::next_sentence || c.head == BertHead::spans) return 2;
  if (c.head == BertHead::replaced) return 1;
  return bert_has_labels(c) ? c.labels.count() : c.vocab;
}

}  // namespace

const ConfigTable<BertConfig>& BertConfig::table() {
  static const ConfigTable<BertConfig> keys = bert_rows<BertConfig>(bert_head_classes(), 0);
  return keys;
}

ModelOutline BertConfig::outline() const {
  return {.wiring = ModelOutline::Wiring::encoder,
          .encoder = {layers, heads, heads, inner},
          .width = width,
          .head_width = width / heads,
          .vocab = vocab,
          .context = longest(),
          .outputs = bert_outputs(*this),
          .positions = buckets > 0 ? "relative" : "learned",
          .activation = activation_title(activation)};
}

Family bert_family() {
  return encoder_family<Bert>(
      {.name = "bert",
       .model_type = "bert",
       .architecture = "BertForMaskedLM",
       // Positions count from 0; a tied head may stand in a file a second time.
       .names = {.prefix = "bert.",
                 .outside = {"cls.*", "classifier.*", "qa_outputs.*"},
                 .ignored = {"embeddings.position_ids", "embeddings.token_type_ids",
                             "cls.predictions.decoder.*"},
                 .spellings = {{".LayerNorm.weight", ".LayerNorm.gamma"},
                               {".LayerNorm.bias", ".LayerNorm.beta"}}},
       .presets = {{"tiny", text_size(2, 2, 64, 128)},
                   {"small", text_size(4, 4, 128, 256)},
                   {"base", text_size(12, 12, 768, 512)}},
       .lora_targets = {"query", "value"},
       .heads = {{EncoderTask::fill, "BertForMaskedLM"},
                 {EncoderTask::classify,
                  "BertForSequenceClassification",
                  {"classifier", "pooler.dense"}},
                 {EncoderTask::tag, "BertForTokenClassification", {"classifier"}},
                 {EncoderTask::answer, "BertForQuestionAnswering", {"qa_outputs"}}},
       .head_weights = {"classifier.*", "pooler.*", "cls.*", "qa_outputs.*"}});
}

}  // namespace jogak
