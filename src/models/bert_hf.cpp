// BERT as Hugging Face's directories have it: names, config.json.
#include "models/bert.h"
#include "models/family.h"

namespace jogak {
namespace {

const ConfigWords<BertHead>& bert_head_classes() {
  static const ConfigWords<BertHead> classes = {
      {BertHead::none, "BertModel"},
      {BertHead::masked, "BertForMaskedLM"},
      {BertHead::pretraining, "BertForPreTraining"},
      {BertHead::next_sentence, "BertForNextSentencePrediction"},
      {BertHead::sequence, "BertForSequenceClassification"},
      {BertHead::tokens, "BertForTokenClassification"}};
  return classes;
}

void refuse_decoders(const Fields& f, BertConfig&) {
  for (const char* key : {"is_decoder", "add_cross_attention"})
    if (f.flag_or(key, false)) f.wrong(f.at(key), key, "false: BERT is read as an encoder");
  if (f.text_or("position_embedding_type", "absolute") != "absolute")
    f.wrong(f.at("position_embedding_type"), "position_embedding_type", "\"absolute\"");
}

std::optional<double> read_classifier_drop(const Fields& f, const char* key,
                                           std::optional<double>) {
  if (!f.has(key)) return {};
  return read_rate(f, key, 0);
}

void read_bert_pad(const Fields& f, BertConfig& c) {
  const bool no_pad = f.json().find("pad_token_id") != nullptr && !f.has("pad_token_id");
  c.pad = no_pad ? -1 : f.integer_or("pad_token_id", 0, {0, c.vocab - 1});
}

void write_bert_pad(const BertConfig& c, Json& json) {
  json.set("pad_token_id", c.pad < 0 ? Json() : Json(c.pad));
}

bool bert_has_labels(const BertConfig& c) {
  return c.head == BertHead::sequence || c.head == BertHead::tokens;
}

int64_t bert_outputs(const BertConfig& c) {
  if (c.head == BertHead::none) return 0;
  if (c.head == BertHead::next_sentence) return 2;
  return bert_has_labels(c) ? c.labels.count() : c.vocab;
}

std::vector<Json::Member> bert_size(int layers, int heads, int width, int context) {
  return {{"num_hidden_layers", layers},
          {"num_attention_heads", heads},
          {"hidden_size", width},
          {"intermediate_size", 4 * width},
          {"max_position_embeddings", context}};
}

}  // namespace

const ConfigTable<BertConfig>& BertConfig::table() {
  using C = BertConfig;
  using K = ConfigKey<C>;
  static const ConfigTable<C> keys = {
      K::rule(refuse_decoders),
      K::head(&C::head, bert_head_classes()),
      K::size("vocab_size", &C::vocab),
      K::size("max_position_embeddings", &C::context),
      K::size("type_vocab_size", &C::types),
      K::size("hidden_size", &C::width),
      K::layers("num_hidden_layers", &C::layers),
      K::divisor("num_attention_heads", &C::heads, "hidden_size", &C::width),
      K::size("intermediate_size", &C::inner),
      K::activation("hidden_act", &C::activation),
      K::rate("hidden_dropout_prob", &C::dropout),
      K::rate("attention_probs_dropout_prob", &C::attention_drop),
      K::value("classifier_dropout", &C::classifier_drop, read_classifier_drop,
               [](std::optional<double> rate) { return rate ? Json(*rate) : Json(); }),
      K::epsilon("layer_norm_eps", &C::eps),
      K::number("initializer_range", &C::init),
      K::together({"pad_token_id"}, read_bert_pad, write_bert_pad),
      K::flag("tie_word_embeddings", &C::tied),
      K::labels(&C::labels).written_if(bert_has_labels),
  };
  return keys;
}

ModelOutline BertConfig::outline() const {
  return {.wiring = ModelOutline::Wiring::encoder,
          .encoder = {layers, heads, heads, inner},
          .width = width,
          .head_width = width / heads,
          .vocab = vocab,
          .context = context,
          .outputs = bert_outputs(*this),
          .positions = "learned",
          .activation = activation_title(activation)};
}

Family bert_family() {
  return encoder_family<Bert>(
      {.name = "bert",
       .model_type = "bert",
       .architecture = "BertForMaskedLM",
       // Positions count from 0; a tied head may stand in a file a second time.
       .names = {.prefix = "bert.",
                 .outside = {"cls.*", "classifier.*"},
                 .ignored = {"embeddings.position_ids", "embeddings.token_type_ids",
                             "cls.predictions.decoder.*"},
                 .spellings = {{".LayerNorm.weight", ".LayerNorm.gamma"},
                               {".LayerNorm.bias", ".LayerNorm.beta"}}},
       .presets = {{"tiny", bert_size(2, 2, 64, 128)},
                   {"small", bert_size(4, 4, 128, 256)},
                   {"base", bert_size(12, 12, 768, 512)}},
       .lora_targets = {"query", "value"},
       .heads = {{EncoderTask::fill, "BertForMaskedLM"},
                 {EncoderTask::classify,
                  "BertForSequenceClassification",
                  {"classifier", "pooler.dense"}},
                 {EncoderTask::tag, "BertForTokenClassification", {"classifier"}}},
       .head_weights = {"classifier.*", "pooler.*", "cls.*"}});
}

}  // namespace jogak
