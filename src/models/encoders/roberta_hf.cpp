// RoBERTa and XLM-RoBERTa as Hugging Face's directories have them: names, config.json.
#include "models/encoders/roberta.h"
#include "models/encoders/roberta_keys.h"

namespace jogak {
namespace {

constexpr RobertaClasses kRoberta = {
    "RobertaModel", "RobertaForMaskedLM", "RobertaForSequenceClassification",
    "RobertaForTokenClassification", "RobertaForQuestionAnswering"};
constexpr RobertaClasses kXlmRoberta = {
    "XLMRobertaModel", "XLMRobertaForMaskedLM", "XLMRobertaForSequenceClassification",
    "XLMRobertaForTokenClassification", "XLMRobertaForQuestionAnswering"};

template <class C>
ConfigTable<C> roberta_rows(const RobertaClasses& classes) {
  return bert_rows<C>(head_words(classes), 1);
}

Family roberta_kin(const char* type, const RobertaClasses& classes) {
  Family out = roberta_record(type, "roberta.", classes);
  out.names.ignored.push_back("embeddings.token_type_ids");
  out.names.spellings = {{".LayerNorm.weight", ".LayerNorm.gamma"},
                         {".LayerNorm.bias", ".LayerNorm.beta"}};
  return out;
}

}  // namespace

RobertaConfig::RobertaConfig() {
  vocab = 50265, pad = 1;
  style = roberta_style("roberta", "RoBERTa");
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

Family roberta_family() { return encoder_family<Roberta>(roberta_kin("roberta", kRoberta)); }

Family xlm_roberta_family() {
  return encoder_family<XlmRoberta>(roberta_kin("xlm-roberta", kXlmRoberta));
}

}  // namespace jogak
