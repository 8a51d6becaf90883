// BERT as Hugging Face's directories have it: names, config.json.
#include "models/bert.h"
#include "nn/config_keys.h"

namespace jogak {

const NameMap kBertNames = {
    .prefix = "bert.",
    .outside = {"cls.*", "classifier.*"},
    // Positions count from 0; a tied head may stand in a file a second time.
    .ignored = {"embeddings.position_ids", "embeddings.token_type_ids",
                "cls.predictions.decoder.*"},
    .spellings = {{".LayerNorm.weight", ".LayerNorm.gamma"},
                  {".LayerNorm.bias", ".LayerNorm.beta"}},
};

namespace {

constexpr struct {
  BertHead head;
  const char* name;
} kBertHeads[] = {{BertHead::none, "BertModel"},
                  {BertHead::masked, "BertForMaskedLM"},
                  {BertHead::pretraining, "BertForPreTraining"},
                  {BertHead::next_sentence, "BertForNextSentencePrediction"},
                  {BertHead::sequence, "BertForSequenceClassification"},
                  {BertHead::tokens, "BertForTokenClassification"}};

BertHead read_bert_head(const Fields& f) {
  if (!f.has("architectures") || f.list("architectures").empty()) return BertHead::by_tensors;
  const Json& first = f.list("architectures")[0];
  std::string known;
  for (const auto& one : kBertHeads) {
    if (first.is_string() && first.text() == one.name) return one.head;
    known += (known.empty() ? "" : ", ") + std::string(one.name);
  }
  f.wrong(first, "architectures", "one of " + known);
}

void refuse_decoders(const Fields& f) {
  for (const char* key : {"is_decoder", "add_cross_attention"})
    if (f.flag_or(key, false)) f.wrong(f.at(key), key, "false: BERT is read as an encoder");
  if (f.text_or("position_embedding_type", "absolute") != "absolute")
    f.wrong(f.at("position_embedding_type"), "position_embedding_type", "\"absolute\"");
}

}  // namespace

BertConfig read_bert_config(const Json& json, const std::string& file) {
  const Fields f(json, file);
  refuse_decoders(f);
  BertConfig c;
  c.vocab = f.integer_or("vocab_size", c.vocab, kSize);
  c.context = f.integer_or("max_position_embeddings", c.context, kSize);
  c.types = f.integer_or("type_vocab_size", c.types, kSize);
  c.width = f.integer_or("hidden_size", c.width, kSize);
  c.layers = f.integer_or("num_hidden_layers", c.layers, {1, 10000});
  c.heads = f.integer_or("num_attention_heads", c.heads, kSize);
  c.inner = f.integer_or("intermediate_size", c.inner, kSize);
  c.dropout = read_rate(f, "hidden_dropout_prob", c.dropout);
  c.attention_drop = read_rate(f, "attention_probs_dropout_prob", c.attention_drop);
  if (f.has("classifier_dropout")) c.classifier_drop = read_rate(f, "classifier_dropout", 0);
  c.eps = read_epsilon(f, "layer_norm_eps", c.eps);
  c.init = f.number_or("initializer_range", c.init);
  c.activation = read_activation(f, "hidden_act", "gelu");
  const bool no_pad = json.find("pad_token_id") != nullptr && !f.has("pad_token_id");
  c.pad = no_pad ? -1 : f.integer_or("pad_token_id", 0, {0, c.vocab - 1});
  c.tied = f.flag_or("tie_word_embeddings", true);
  c.head = read_bert_head(f);
  c.labels = read_labels(f);
  if (c.width % c.heads != 0)
    f.wrong(f.has("num_attention_heads") ? f.at("num_attention_heads") : json,
            "num_attention_heads", text_of("a divisor of hidden_size ", c.width));
  return c;
}

Json write_bert_config(const BertConfig& c) {
  Json json = Json::object();
  for (const auto& one : kBertHeads)
    if (one.head == c.head) json.set("architectures", Json::array({one.name}));
  json.set("model_type", "bert");
  json.set("vocab_size", c.vocab).set("max_position_embeddings", c.context);
  json.set("type_vocab_size", c.types).set("hidden_size", c.width);
  json.set("num_hidden_layers", c.layers).set("num_attention_heads", c.heads);
  json.set("intermediate_size", c.inner).set("hidden_act", activation_name(c.activation));
  json.set("hidden_dropout_prob", c.dropout);
  json.set("attention_probs_dropout_prob", c.attention_drop);
  json.set("classifier_dropout", c.classifier_drop ? Json(*c.classifier_drop) : Json());
  json.set("layer_norm_eps", c.eps).set("initializer_range", c.init);
  json.set("pad_token_id", c.pad < 0 ? Json() : Json(c.pad)).set("tie_word_embeddings", c.tied);
  if (c.head == BertHead::sequence || c.head == BertHead::tokens) write_labels(c.labels, json);
  return std::move(json.set("torch_dtype", "float32"));
}

}  // namespace jogak
