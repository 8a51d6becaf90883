// ELECTRA as Hugging Face's directories have it: names, config.json.
#include "models/encoders/bert_keys.h"
#include "models/encoders/electra.h"

namespace jogak {
namespace {

const ConfigWords<BertHead>& electra_classes() {
  static const ConfigWords<BertHead> classes = {
      {BertHead::none, "ElectraModel"},
      {BertHead::masked, "ElectraForMaskedLM"},
      {BertHead::replaced, "ElectraForPreTraining"},
      {BertHead::sequence, "ElectraForSequenceClassification"},
      {BertHead::tokens, "ElectraForTokenClassification"},
      {BertHead::spans, "ElectraForQuestionAnswering"}};
  return classes;
}

// `table`: the width of the tables.
std::vector<Json::Member> electra_size(int layers, int heads, int width, int table, int context) {
  auto out = text_size(layers, heads, width, context);
  out.emplace_back("embedding_size", table);
  return out;
}

}  // namespace

ElectraConfig::ElectraConfig() {
  embedding = 128, width = 256, heads = 4, inner = 1024;
  style = {.name = "electra",
           .title = "ELECTRA",
           .transform = "generator_predictions.dense",
           .transform_norm = "generator_predictions.LayerNorm",
           .decoder = "generator_lm_head",
           .bias = "generator_lm_head",
           .transform_activation = Activation::gelu,
           .label_dense = "classifier.dense",
           .label_activation = Activation::gelu,
           .drop_first = true,
           .labels = "classifier.out_proj",
           .pools = false};
}

const ConfigTable<ElectraConfig>& ElectraConfig::table() {
  using C = ElectraConfig;
  static const ConfigTable<C> keys = [] {
    ConfigTable<C> out = bert_rows<C>(electra_classes(), 0);
    out.push_back(ConfigKey<C>::size("embedding_size", &C::embedding));
    return out;
  }();
  return keys;
}

Family electra_family() {
  return encoder_family<Electra>(
      {.name = "electra",
       .model_type = "electra",
       .architecture = "ElectraForMaskedLM",
       .names = {.prefix = "electra.",
                 .outside = {"generator_*", "discriminator_*", "classifier.*", "qa_outputs.*"},
                 // A tied head may stand in a file a second time.
                 .ignored = {"embeddings.position_ids", "embeddings.token_type_ids",
                             "generator_lm_head.weight"}},
       .presets = {{"tiny", electra_size(2, 2, 64, 32, 128)},
                   {"small", electra_size(4, 4, 128, 64, 256)},
                   {"base", electra_size(12, 12, 768, 768, 512)}},
       .lora_targets = {"query", "value"},
       .heads = {{EncoderTask::fill, "ElectraForMaskedLM"},
                 {EncoderTask::detect, "ElectraForPreTraining", {"discriminator_predictions"}},
                 {EncoderTask::classify, "ElectraForSequenceClassification", {"classifier"}},
                 {EncoderTask::tag, "ElectraForTokenClassification", {"classifier"}},
                 {EncoderTask::answer, "ElectraForQuestionAnswering", {"qa_outputs"}}},
       .head_weights = {"classifier.*", "generator_*", "discriminator_*", "qa_outputs.*"}});
}

}  // namespace jogak
