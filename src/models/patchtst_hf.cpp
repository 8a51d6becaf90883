// PatchTST as Hugging Face's directories have it: names, config.json, and one key of ours,
// "padding_patch": "end", for the patches of the published model.
#include "models/patchtst.h"
#include "nn/config_keys.h"

namespace jogak {

const NameMap kPatchTstNames = {.prefix = "model.", .outside = {"head.*"}};

namespace {

// A key whose value is one of a few words; null is a value, too, where a name may be missing.
template <class Kind>
struct Word {
  const char* name;  // null: null
  Kind kind;
};
constexpr Word<PatchTstConfig::Norm> kNorms[] = {{"batchnorm", PatchTstConfig::Norm::batch},
                                                 {"layernorm", PatchTstConfig::Norm::layer}};
constexpr Word<PatchTstConfig::Positions> kPositions[] = {
    {"sincos", PatchTstConfig::Positions::sincos}, {"random", PatchTstConfig::Positions::learned}};
constexpr Word<PatchTstConfig::Pooling> kPoolings[] = {{"mean", PatchTstConfig::Pooling::mean},
                                                       {"max", PatchTstConfig::Pooling::max},
                                                       {nullptr, PatchTstConfig::Pooling::none}};
constexpr Word<SeriesScaling> kScalings[] = {{"std", SeriesScaling::deviation},
                                             {"mean", SeriesScaling::mean},
                                             {nullptr, SeriesScaling::none}};

template <class Kind, size_t n>
Kind read_word(const Fields& f, const char* key, Kind otherwise, const Word<Kind> (&words)[n]) {
  const Json* const value = f.json().find(key);
  if (!value) return otherwise;
  std::string known;
  for (const Word<Kind>& word : words) {
    if (word.name ? value->is_string() && value->text() == word.name : value->is_null())
      return word.kind;
    known += (known.empty() ? "" : ", ") + (word.name ? json_quote(word.name) : "null");
  }
  f.wrong(*value, key, "one of " + known);
}

template <class Kind, size_t n>
Json word_json(Kind kind, const Word<Kind> (&words)[n]) {
  for (const Word<Kind>& word : words)
    if (word.kind == kind) return word.name ? Json(word.name) : Json();
  return Json();
}

// true is "mean", false is none.
SeriesScaleOptions read_scaling(const Fields& f) {
  SeriesScaleOptions o;
  if (f.has("scaling") && f.at("scaling").is_bool())
    o.kind = f.flag_or("scaling", false) ? SeriesScaling::mean : SeriesScaling::none;
  else
    o.kind = read_word(f, "scaling", SeriesScaling::deviation, kScalings);
  o.minimum = f.number_or("minimum_scale", o.kind == SeriesScaling::mean ? 1e-10 : 1e-5);
  if (o.minimum < 0) f.wrong(f.at("minimum_scale"), "minimum_scale", "0 or more");
  o.otherwise = f.number_or("default_scale", 0);
  if (o.otherwise < 0) f.wrong(f.at("default_scale"), "default_scale", "0 or more");
  return o;
}

// What transformers can do and this family cannot: named, not guessed.
void refuse_others(const Fields& f) {
  if (f.has("architectures") && !f.list("architectures").empty()) {
    const Json& first = f.list("architectures")[0];
    if (!first.is_string() || first.text() != "PatchTSTForPrediction")
      f.wrong(first, "architectures", "PatchTSTForPrediction");
  }
  if (!f.has("loss") ? f.json().find("loss") != nullptr : f.text("loss") != "mse")
    f.wrong(*f.json().find("loss"), "loss", "\"mse\": heads that give a distribution are not read");
  if (f.integer_or("scaling_dim", 1, {-3, 2}) != 1)
    f.wrong(f.at("scaling_dim"), "scaling_dim", "1: series are scaled along time");
}

bool read_padding(const Fields& f) {
  if (!f.has("padding_patch")) return false;
  if (f.text("padding_patch") != "end")
    f.wrong(f.at("padding_patch"), "padding_patch", "\"end\" or null");
  return true;
}

}  // namespace

PatchTstConfig read_patchtst_config(const Json& json, const std::string& file) {
  const Fields f(json, file);
  refuse_others(f);
  PatchTstConfig c;
  c.series = f.integer_or("num_input_channels", c.series, {1, 1 << 16});
  c.context = f.integer_or("context_length", c.context, kSize);
  c.horizon = f.integer_or("prediction_length", c.horizon, kSize);
  c.patch = f.integer_or("patch_length", c.patch, kSize);
  c.stride = f.integer_or("patch_stride", c.stride, kSize);
  c.pad_end = read_padding(f);
  if (c.patch >= c.context)
    f.wrong(f.has("patch_length") ? f.at("patch_length") : json, "patch_length",
            text_of("less than context_length ", c.context));
  c.width = f.integer_or("d_model", c.width, kSize);
  c.layers = f.integer_or("num_hidden_layers", c.layers, {1, 10000});
  c.heads = f.integer_or("num_attention_heads", c.heads, kSize);
  if (c.width % c.heads != 0)
    f.wrong(f.has("num_attention_heads") ? f.at("num_attention_heads") : json,
            "num_attention_heads", text_of("a divisor of d_model ", c.width));
  c.inner = f.integer_or("ffn_dim", c.inner, kSize);
  c.activation = read_activation(f, "activation_function", "gelu");
  c.ff_bias = f.flag_or("bias", true);
  c.pre_norm = f.flag_or("pre_norm", true);
  c.channel_attention = f.flag_or("channel_attention", false);
  c.norm = read_word(f, "norm_type", c.norm, kNorms);
  c.eps = read_epsilon(f, "norm_eps", c.eps);
  c.init = f.number_or("init_std", c.init);
  c.attention_drop = read_rate(f, "attention_dropout", 0);
  c.position_drop = read_rate(f, "positional_dropout", 0);
  c.path_drop = read_rate(f, "path_dropout", 0);
  c.ff_drop = read_rate(f, "ff_dropout", 0);
  c.head_drop = read_rate(f, "head_dropout", 0);
  c.positions = read_word(f, "positional_encoding_type", c.positions, kPositions);
  c.share_embedding = f.flag_or("share_embedding", true);
  c.share_projection = f.flag_or("share_projection", true);
  c.class_token = f.flag_or("use_cls_token", false);
  c.pooling = read_word(f, "pooling_type", c.pooling, kPoolings);
  c.scaling = read_scaling(f);
  return c;
}

Json write_patchtst_config(const PatchTstConfig& c) {
  Json json = Json::object();
  json.set("architectures", Json::array({"PatchTSTForPrediction"}));
  json.set("model_type", "patchtst").set("loss", "mse");
  json.set("num_input_channels", c.series).set("context_length", c.context);
  json.set("prediction_length", c.horizon).set("patch_length", c.patch);
  json.set("patch_stride", c.stride);
  if (c.pad_end) json.set("padding_patch", "end");
  json.set("d_model", c.width).set("num_hidden_layers", c.layers);
  json.set("num_attention_heads", c.heads).set("ffn_dim", c.inner);
  json.set("activation_function", activation_name(c.activation)).set("bias", c.ff_bias);
  json.set("pre_norm", c.pre_norm).set("channel_attention", c.channel_attention);
  json.set("norm_type", word_json(c.norm, kNorms)).set("norm_eps", c.eps).set("init_std", c.init);
  json.set("attention_dropout", c.attention_drop).set("positional_dropout", c.position_drop);
  json.set("path_dropout", c.path_drop).set("ff_dropout", c.ff_drop);
  json.set("head_dropout", c.head_drop);
  json.set("positional_encoding_type", word_json(c.positions, kPositions));
  json.set("share_embedding", c.share_embedding).set("share_projection", c.share_projection);
  json.set("use_cls_token", c.class_token).set("pooling_type", word_json(c.pooling, kPoolings));
  json.set("scaling", word_json(c.scaling.kind, kScalings));
  if (c.scaling.kind != SeriesScaling::none &&
      c.scaling.minimum != (c.scaling.kind == SeriesScaling::mean ? 1e-10 : 1e-5))
    json.set("minimum_scale", c.scaling.minimum);
  if (c.scaling.otherwise > 0) json.set("default_scale", c.scaling.otherwise);
  return std::move(json.set("torch_dtype", "float32"));
}

}  // namespace jogak
