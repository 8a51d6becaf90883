// ModernBERT as Hugging Face's directories have it: names, config.json.
#include "models/encoders/modernbert.h"
#include "models/family.h"
#include "models/shared_rows.h"

namespace jogak {
namespace {

const ConfigWords<ModernBertHead>& modernbert_classes() {
  static const ConfigWords<ModernBertHead> classes = {
      {ModernBertHead::none, "ModernBertModel"},
      {ModernBertHead::masked, "ModernBertForMaskedLM"},
      {ModernBertHead::sequence, "ModernBertForSequenceClassification"},
      {ModernBertHead::tokens, "ModernBertForTokenClassification"},
      {ModernBertHead::spans, "ModernBertForQuestionAnswering"}};
  return classes;
}

void read_kinds(const Fields& f, ModernBertConfig& c) {
  const int64_t every = f.integer_or("global_attn_every_n_layers", 3, kSize);
  read_layer_types(f, c,
                   [every](const ModernBertConfig&, int64_t layer) { return layer % every != 0; });
}

// By kinds of layers, or in the keys of older files.
void read_modernbert_rope(const Fields& f, ModernBertConfig& c) {
  const auto read = [&](const char* kind, const RopeUsage& usage) {
    Json own = Json::object();
    for (const char* key : {usage.theta_key, "rope_scaling"})
      if (f.has(key)) own.set(key, f.at(key));
    if (f.has("rope_parameters")) {
      const Fields kinds = f.object("rope_parameters");
      if (kinds.has(kind)) own.set("rope_parameters", kinds.at(kind));
    }
    return read_rope(Fields(own, f.file()), c.context, usage);
  };
  c.rope = read(kFullLayer, {.theta = 160000, .theta_key = "global_rope_theta"});
  c.local_rope = read(kLocalLayer, {.theta = 10000, .theta_key = "local_rope_theta"});
}

void write_modernbert_rope(const ModernBertConfig& c, Json& json) {
  Json kinds = Json::object();
  kinds.set(kFullLayer, write_rope(c.rope)).set(kLocalLayer, write_rope(c.local_rope));
  json.set("rope_parameters", std::move(kinds));
}

void check_modernbert(const Fields& f, ModernBertConfig& c) {
  if (f.flag_or("sparse_prediction", false))
    f.wrong(f.at("sparse_prediction"), "sparse_prediction", "false: every token has its logits");
  if (c.width / c.heads % 2 != 0)
    f.wrong(place_of(f, "num_attention_heads"), "num_attention_heads",
            "heads of an even width: their elements turn in pairs");
  if (c.head == ModernBertHead::spans && c.labels.count() != 2)
    f.wrong(place_of(f, "id2label"), "id2label", "2: where an answer begins and ends");
}

bool modernbert_has_labels(const ModernBertConfig& c) {
  return c.head == ModernBertHead::sequence || c.head == ModernBertHead::tokens;
}

// Every third layer sees all; `window` on both sides together.
std::vector<Json::Member> modernbert_size(int layers, int heads, int width, int window) {
  return {{"num_hidden_layers", layers}, {"num_attention_heads", heads},
          {"hidden_size", width},        {"intermediate_size", width * 3 / 2},
          {"local_attention", window},   {"max_position_embeddings", 8 * window},
          {"pad_token_id", Json()}};
}

}  // namespace

const ConfigTable<ModernBertConfig>& ModernBertConfig::table() {
  using C = ModernBertConfig;
  using K = ConfigKey<C>;
  static const ConfigWords<bool> pools = {{false, "cls"}, {true, "mean"}};
  static const ConfigTable<C> keys = joined_rows<C>(
      {{K::head(&C::head, modernbert_classes())},
       size_rows<C>(),
       {K::activation("hidden_activation", &C::activation), K::epsilon("norm_eps", &C::eps),
        K::number("initializer_range", &C::init), K::flag("norm_bias", &C::norm_bias),
        K::flag("attention_bias", &C::attention_bias), K::flag("mlp_bias", &C::mlp_bias),
        K::rate("attention_dropout", &C::attention_drop),
        K::rate("embedding_dropout", &C::embedding_drop), K::rate("mlp_dropout", &C::mlp_drop),
        K::size("local_attention", &C::window),
        K::together({"layer_types"}, read_kinds, write_layer_types<C>),
        K::together({"rope_parameters"}, read_modernbert_rope, write_modernbert_rope),
        K::flag("decoder_bias", &C::decoder_bias),
        K::word("classifier_pooling", &C::pools_mean, pools),
        K::rate("classifier_dropout", &C::classifier_drop),
        K::flag("classifier_bias", &C::classifier_bias),
        K::activation("classifier_activation", &C::classifier_activation),
        K::flag("tie_word_embeddings", &C::tied), pad_row<C>(50283)},
       no_ends_rows<C>(),
       {K::constant("cls_token_id", Json()), K::constant("sep_token_id", Json()),
        K::labels(&C::labels).written_if(modernbert_has_labels), K::rule(check_modernbert)}});
  return keys;
}

ModelOutline ModernBertConfig::outline() const {
  const bool words = head == ModernBertHead::masked || head == ModernBertHead::by_tensors;
  return {.wiring = ModelOutline::Wiring::encoder,
          .block = ModelOutline::Block::pre,
          .encoder = {layers, heads, heads, inner},
          .width = width,
          .head_width = width / heads,
          .vocab = vocab,
          .context = context,
          .outputs = words                           ? vocab
                     : head == ModernBertHead::none  ? 0
                     : head == ModernBertHead::spans ? 2
                                                     : labels.count(),
          .gated = true,
          .final_norm = true,
          .positions = "rotary",
          .activation = activation_title(activation, true)};
}

Family modernbert_family() {
  return encoder_family<ModernBert>(
      {.name = "modernbert",
       .model_type = "modernbert",
       .architecture = "ModernBertForMaskedLM",
       .names = {.prefix = "model.",
                 .outside = {"head.*", "decoder.*", "classifier.*"},
                 // A tied head may stand in a file a second time.
                 .ignored = {"decoder.weight"}},
       .presets = {{"tiny", modernbert_size(3, 2, 64, 32)},
                   {"small", modernbert_size(6, 4, 128, 64)},
                   {"base", modernbert_size(22, 12, 768, 128)}},
       .lora_targets = {"Wqkv"},
       .heads =
           {{EncoderTask::fill, "ModernBertForMaskedLM"},
            {EncoderTask::classify,
             "ModernBertForSequenceClassification",
             {"classifier", "head.dense"}},
            {EncoderTask::tag, "ModernBertForTokenClassification", {"classifier", "head.dense"}},
            {EncoderTask::answer, "ModernBertForQuestionAnswering", {"classifier", "head.dense"}}},
       .head_weights = {"head.*", "decoder.*", "classifier.*"}});
}

}  // namespace jogak
