// PatchTST as Hugging Face's directories have it: names, config.json, and one key of ours,
// "padding_patch": "end", for the patches of the published model.
#include "models/family.h"
#include "models/series/patchtst.h"

namespace jogak {
namespace {

double usual_minimum(const PatchTstConfig& c) {
  return c.scaling.kind == SeriesScaling::mean ? 1e-10 : 1e-5;
}

ConfigKey<PatchTstConfig> scaling_kind() {
  static const ConfigWords<SeriesScaling> words = {{SeriesScaling::deviation, "std"},
                                                   {SeriesScaling::mean, "mean"},
                                                   {SeriesScaling::none, nullptr}};
  auto out = ConfigKey<PatchTstConfig>::word(
      "scaling", [](auto& c) -> auto& { return c.scaling.kind; }, words);
  // true is "mean", false is none.
  out.read = [read = out.read](const Fields& f, const char* key, PatchTstConfig& c) {
    if (!f.has(key) || !f.at(key).is_bool()) return read(f, key, c);
    c.scaling.kind = f.at(key).boolean() ? SeriesScaling::mean : SeriesScaling::none;
  };
  return out;
}

double read_scale(const Fields& f, const char* key, double otherwise) {
  const double out = f.number_or(key, otherwise);
  if (out < 0) f.wrong(f.at(key), key, "0 or more");
  return out;
}

// What transformers can do and this family cannot: named, not guessed.
void refuse_others(const Fields& f, PatchTstConfig&) {
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

bool read_padding(const Fields& f, const char* key, bool) {
  if (!f.has(key)) return false;
  if (f.text(key) != "end") f.wrong(f.at(key), key, "\"end\" or null");
  return true;
}

void check_patch(const Fields& f, PatchTstConfig& c) {
  if (c.patch >= c.context)
    f.wrong(place_of(f, "patch_length"), "patch_length",
            text_of("less than context_length ", c.context));
}

// As published: BatchNorm after each sub-layer, learned positions, patches at the end, all of them
// to the head. small and base are its sizes for few and for many measurements.
std::vector<Json::Member> patchtst_size(int context, int heads, int width, int inner, double drop) {
  return {{"context_length", context},
          {"prediction_length", 96},
          {"patch_length", 16},
          {"patch_stride", 8},
          {"padding_patch", "end"},
          {"num_hidden_layers", 3},
          {"num_attention_heads", heads},
          {"d_model", width},
          {"ffn_dim", inner},
          {"positional_dropout", drop},
          {"path_dropout", drop},
          {"ff_dropout", drop},
          {"pre_norm", false},
          {"positional_encoding_type", "random"},
          {"pooling_type", Json()}};
}

}  // namespace

const ConfigTable<PatchTstConfig>& PatchTstConfig::table() {
  using C = PatchTstConfig;
  using K = ConfigKey<C>;
  const ConfigWords<C::Norm> norms = {{C::Norm::batch, "batchnorm"}, {C::Norm::layer, "layernorm"}};
  const ConfigWords<C::Positions> places = {{C::Positions::sincos, "sincos"},
                                            {C::Positions::learned, "random"}};
  const ConfigWords<C::Pooling> poolings = {
      {C::Pooling::mean, "mean"}, {C::Pooling::max, "max"}, {C::Pooling::none, nullptr}};
  const auto as_it_is = [](double x) { return Json(x); };
  static const ConfigTable<C> keys = {
      K::rule(refuse_others),
      K::constant("loss", "mse"),
      K::size("num_input_channels", &C::series, {1, 1 << 16}),
      K::size("context_length", &C::context),
      K::size("prediction_length", &C::horizon),
      K::size("patch_length", &C::patch),
      K::size("patch_stride", &C::stride),
      K::value("padding_patch", &C::pad_end, read_padding, [](bool) { return Json("end"); })
          .written_if([](const C& c) { return c.pad_end; }),
      K::rule(check_patch),
      K::size("d_model", &C::width).also("hidden_size"),
      K::layers("num_hidden_layers", &C::layers),
      K::divisor("num_attention_heads", &C::heads, "d_model", &C::width),
      K::size("ffn_dim", &C::inner),
      K::activation("activation_function", &C::activation),
      K::flag("bias", &C::ff_bias),
      K::flag("pre_norm", &C::pre_norm),
      K::flag("channel_attention", &C::channel_attention),
      K::word("norm_type", &C::norm, norms),
      K::epsilon("norm_eps", &C::eps),
      K::number("init_std", &C::init),
      K::rate("attention_dropout", &C::attention_drop),
      K::rate("positional_dropout", &C::position_drop),
      K::rate("path_dropout", &C::path_drop),
      K::rate("ff_dropout", &C::ff_drop),
      K::rate("head_dropout", &C::head_drop),
      K::word("positional_encoding_type", &C::positions, places),
      K::flag("share_embedding", &C::share_embedding),
      K::flag("share_projection", &C::share_projection),
      K::flag("use_cls_token", &C::class_token),
      K::word("pooling_type", &C::pooling, poolings),
      scaling_kind(),
      K::value(
          "minimum_scale", [](auto& c) -> auto& { return c.scaling.minimum; }, read_scale, as_it_is)
          .otherwise([](C& c) { c.scaling.minimum = usual_minimum(c); })
          .written_if([](const C& c) {
            return c.scaling.kind != SeriesScaling::none && c.scaling.minimum != usual_minimum(c);
          }),
      K::value(
          "default_scale", [](auto& c) -> auto& { return c.scaling.otherwise; }, read_scale,
          as_it_is)
          .written_if([](const C& c) { return c.scaling.otherwise > 0; }),
  };
  return keys;
}

ModelOutline PatchTstConfig::outline() const {
  return {.wiring = ModelOutline::Wiring::encoder,
          .block = pre_norm ? ModelOutline::Block::pre : ModelOutline::Block::post,
          .input = ModelOutline::Input::series,
          .encoder = {layers, heads, heads, inner},
          .width = width,
          .head_width = head_width(),
          .context = patches() + (class_token ? 1 : 0),
          .outputs = horizon,
          .positions = positions == Positions::learned ? "learned" : "sinusoidal",
          .norm = norm == Norm::batch ? "BatchNorm" : "LayerNorm",
          .activation = activation_title(activation)};
}

Family patchtst_family() {
  return encoder_family<PatchTst>({.name = "patchtst",
                                   .model_type = "patchtst",
                                   .architecture = "PatchTSTForPrediction",
                                   .names = {.prefix = "model.", .outside = {"head.*"}},
                                   .presets = {{"tiny", patchtst_size(96, 2, 16, 32, 0.1)},
                                               {"small", patchtst_size(336, 4, 16, 128, 0.3)},
                                               {"base", patchtst_size(336, 16, 128, 256, 0.2)}},
                                   .head_weights = {"head.*"}});
}

}  // namespace jogak
