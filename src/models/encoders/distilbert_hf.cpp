// DistilBERT: BERT with half the layers, without token types and pooler, as Hugging Face's
// directories have it: names, config.json.
#include "models/encoders/bert_keys.h"
#include "models/encoders/distilbert.h"

namespace jogak {
namespace {

const ConfigWords<BertHead>& distilbert_classes() {
  static const ConfigWords<BertHead> classes = {
      {BertHead::none, "DistilBertModel"},
      {BertHead::masked, "DistilBertForMaskedLM"},
      {BertHead::sequence, "DistilBertForSequenceClassification"},
      {BertHead::tokens, "DistilBertForTokenClassification"},
      {BertHead::spans, "DistilBertForQuestionAnswering"}};
  return classes;
}

std::vector<Json::Member> distilbert_size(int layers, int heads, int width, int context) {
  return {{"n_layers", layers},
          {"n_heads", heads},
          {"dim", width},
          {"hidden_dim", 4 * width},
          {"max_position_embeddings", context}};
}

}  // namespace

DistilBertConfig::DistilBertConfig() {
  types = 0, layers = 6, classifier_drop = 0.2, span_drop = 0.1;
  style = {.name = "distilbert",
           .title = "DistilBERT",
           .layers = "transformer.layer",
           .attention = "attention",
           .query = "q_lin",
           .key = "k_lin",
           .value = "v_lin",
           .attention_out = "attention.out_lin",
           .attention_norm = "sa_layer_norm",
           .up = "ffn.lin1",
           .down = "ffn.lin2",
           .output_norm = "output_layer_norm",
           .transform = "vocab_transform",
           .transform_norm = "vocab_layer_norm",
           .decoder = "vocab_projector",
           .bias = "vocab_projector",
           .label_dense = "pre_classifier",
           .label_activation = Activation::relu,
           .pools = false};
}

const ConfigTable<DistilBertConfig>& DistilBertConfig::table() {
  using C = DistilBertConfig;
  using K = ConfigKey<C>;
  static const ConfigTable<C> keys = {
      encoder_only_rule<C>(),
      K::head(&C::head, distilbert_classes()),
      K::size("vocab_size", &C::vocab),
      K::size("max_position_embeddings", &C::context),
      K::size("dim", &C::width).also("hidden_size"),
      K::layers("n_layers", &C::layers).also("num_hidden_layers"),
      K::divisor("n_heads", &C::heads, "dim", &C::width).also("num_attention_heads"),
      K::size("hidden_dim", &C::inner),
      K::activation("activation", &C::activation),
      K::rate("dropout", &C::dropout),
      K::rate("attention_dropout", &C::attention_drop),
      K::rate("qa_dropout", &C::span_drop),
      // Tokens are dropped as elsewhere.
      K::rate(
          "seq_classif_dropout", [](auto& c) -> auto& { return *c.classifier_drop; }),
      K::rule([](const Fields&, C& c) {
        if (c.head == BertHead::tokens) c.classifier_drop = c.dropout;
      }),
      K::number("initializer_range", &C::init),
      bert_pad_row<C>(0),
      K::flag("tie_word_embeddings", &C::tied),
      K::labels(&C::labels).written_if(bert_has_labels),
      span_rule<C>(),
  };
  return keys;
}

Family distilbert_family() {
  return encoder_family<DistilBert>(
      {.name = "distilbert",
       .model_type = "distilbert",
       .architecture = "DistilBertForMaskedLM",
       .names = {.prefix = "distilbert.",
                 .outside = {"vocab_*", "pre_classifier.*", "classifier.*", "qa_outputs.*"},
                 .ignored = {"embeddings.position_ids", "vocab_projector.weight"}},
       .presets = {{"tiny", distilbert_size(2, 2, 64, 128)},
                   {"small", distilbert_size(4, 4, 128, 256)},
                   {"base", distilbert_size(6, 12, 768, 512)}},
       .lora_targets = {"q_lin", "v_lin"},
       .heads = {{EncoderTask::fill, "DistilBertForMaskedLM"},
                 {EncoderTask::classify,
                  "DistilBertForSequenceClassification",
                  {"classifier", "pre_classifier"}},
                 {EncoderTask::tag, "DistilBertForTokenClassification", {"classifier"}},
                 {EncoderTask::answer, "DistilBertForQuestionAnswering", {"qa_outputs"}}},
       .head_weights = {"classifier.*", "pre_classifier.*", "vocab_*", "qa_outputs.*"}});
}

}  // namespace jogak
