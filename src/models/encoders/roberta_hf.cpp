// RoBERTa and XLM-RoBERTa as Hugging Face's directories have them: names, config.json.
#include "models/encoders/bert_keys.h"
#include "models/encoders/roberta.h"

namespace jogak {
namespace {

// transformers' classes, behind "Roberta" or "XLMRoberta".
struct RobertaClasses {
  const char *none, *masked, *sequence, *tokens, *spans;
};
constexpr RobertaClasses kRoberta = {
    "RobertaModel", "RobertaForMaskedLM", "RobertaForSequenceClassification",
    "RobertaForTokenClassification", "RobertaForQuestionAnswering"};
constexpr RobertaClasses kXlmRoberta = {
    "XLMRobertaModel", "XLMRobertaForMaskedLM", "XLMRobertaForSequenceClassification",
    "XLMRobertaForTokenClassification", "XLMRobertaForQuestionAnswering"};

template <class C>
ConfigTable<C> roberta_rows(const RobertaClasses& classes) {
  return bert_rows<C>({{BertHead::none, classes.none},
                       {BertHead::masked, classes.masked},
                       {BertHead::sequence, classes.sequence},
                       {BertHead::tokens, classes.tokens},
                       {BertHead::spans, classes.spans}},
                      1);
}

// Positions begin behind the padding's: tiny has 128 of them for tokens.
Family roberta_record(const char* type, const RobertaClasses& classes) {
  return {.name = type,
          .model_type = type,
          .architecture = classes.masked,
          .names = {.prefix = "roberta.",
                    .outside = {"lm_head.*", "classifier.*", "qa_outputs.*"},
                    // A tied head may stand in a file a second time.
                    .ignored = {"embeddings.position_ids", "embeddings.token_type_ids",
                                "lm_head.decoder.*"},
                    .spellings = {{".LayerNorm.weight", ".LayerNorm.gamma"},
                                  {".LayerNorm.bias", ".LayerNorm.beta"}}},
          .presets = {{"tiny", bert_size(2, 2, 64, 130)},
                      {"small", bert_size(4, 4, 128, 258)},
                      {"base", bert_size(12, 12, 768, 514)}},
          .lora_targets = {"query", "value"},
          .heads = {{EncoderTask::fill, classes.masked},
                    {EncoderTask::classify, classes.sequence, {"classifier"}},
                    {EncoderTask::tag, classes.tokens, {"classifier"}},
                    {EncoderTask::answer, classes.spans, {"qa_outputs"}}},
          .head_weights = {"classifier.*", "pooler.*", "lm_head.*", "qa_outputs.*"}};
}

}  // namespace

RobertaConfig::RobertaConfig() {
  vocab = 50265, pad = 1;
  style = {.name = "roberta",
           .title = "RoBERTa",
           .transform = "lm_head.dense",
           .transform_norm = "lm_head.layer_norm",
           .decoder = "lm_head.decoder",
           .bias = "lm_head",
           .transform_activation = Activation::gelu,
           .label_dense = "classifier.dense",
           .drop_first = true,
           .labels = "classifier.out_proj",
           .places_after_pad = true};
}

XlmRobertaConfig::XlmRobertaConfig() {
  vocab = 30522;
  style.name = "xlm-roberta", style.title = "XLM-RoBERTa";
}

const ConfigTable<RobertaConfig>& RobertaConfig::table() {
  static const ConfigTable<RobertaConfig> keys = roberta_rows<RobertaConfig>(kRoberta);
  return keys;
}

const ConfigTable<XlmRobertaConfig>& XlmRobertaConfig::table() {
  static const ConfigTable<XlmRobertaConfig> keys = roberta_rows<XlmRobertaConfig>(kXlmRoberta);
  return keys;
}

Family roberta_family() { return encoder_family<Roberta>(roberta_record("roberta", kRoberta)); }

Family xlm_roberta_family() {
  return encoder_family<XlmRoberta>(roberta_record("xlm-roberta", kXlmRoberta));
}

}  // namespace jogak
