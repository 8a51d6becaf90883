// PatchTST as Hugging Face's directories have it: names, config.json, and one key of ours,
// "padding_patch": "end", for the patches of the published model.
#include "models/series/patchtst.h"
#include "models/series/series_keys.h"

namespace jogak {
namespace {

bool read_padding(const Fields& f, const char* key, bool) {
  if (!f.has(key)) return false;
  if (f.text(key) != "end") f.wrong(f.at(key), key, "\"end\" or null");
  return true;
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
  const ConfigWords<C::Pooling> poolings = {
      {C::Pooling::mean, "mean"}, {C::Pooling::max, "max"}, {C::Pooling::none, nullptr}};
  const K padding = K::value("padding_patch", &C::pad_end, read_padding, [](bool) {
                      return Json("end");
                    }).written_if([](const C& c) { return c.pad_end; });
  static const ConfigTable<C> keys = with_scaling<C>(
      joined_rows<C>(
          {{point_forecasts_only<C>("PatchTSTForPrediction")},
           window_rows<C>({padding}),
           {
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
               K::word("positional_encoding_type", &C::positions, series_position_words()),
               K::flag("share_embedding", &C::share_embedding),
               K::flag("share_projection", &C::share_projection),
               K::flag("use_cls_token", &C::class_token),
               K::word("pooling_type", &C::pooling, poolings),
           }}),
      SeriesScaling::mean);
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
