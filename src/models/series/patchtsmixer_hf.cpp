// PatchTSMixer as Hugging Face's directories have it: names, config.json.
#include <algorithm>
#include <cctype>

#include "models/series/patchtsmixer.h"
#include "models/series/series_keys.h"

namespace jogak {
namespace {

// As there: whatever has "batch" in it is one, everything else the other.
SeriesNormKind read_mixer_norm(const Fields& f, const char* key, SeriesNormKind otherwise) {
  if (!f.has(key)) return otherwise;
  std::string text = f.text(key);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return text.find("batch") == std::string::npos ? SeriesNormKind::layer : SeriesNormKind::batch;
}

Json mixer_norm_name(SeriesNormKind kind) {
  return Json(kind == SeriesNormKind::batch ? "BatchNorm" : "LayerNorm");
}

void all_series_only(const Fields& f, PatchTsMixerConfig&) {
  if (f.has("prediction_channel_indices"))
    f.wrong(f.at("prediction_channel_indices"), "prediction_channel_indices",
            "null: every series is forecast");
}

std::vector<Json::Member> mixer_size(int context, int width, int layers, int patch) {
  return {{"context_length", context}, {"prediction_length", 96}, {"patch_length", patch},
          {"patch_stride", patch},     {"d_model", width},        {"num_layers", layers}};
}

}  // namespace

const ConfigTable<PatchTsMixerConfig>& PatchTsMixerConfig::table() {
  using C = PatchTsMixerConfig;
  using K = ConfigKey<C>;
  const ConfigWords<bool> modes = {{false, "common_channel"}, {true, "mix_channel"}};
  static const ConfigTable<C> keys = with_scaling<C>(
      joined_rows<C>(
          {{point_forecasts_only<C>("PatchTSMixerForPrediction"), K::rule(all_series_only)},
           window_rows<C>(),
           {
               K::size("d_model", &C::width).also("hidden_size"),
               K::layers("num_layers", &C::layers).also("num_hidden_layers"),
               K::size("expansion_factor", &C::expansion, {1, 1 << 12}),
               K::word("mode", &C::mix_series, modes),
               K::flag("gated_attn", &C::gated),
               K::flag("self_attn", &C::self_attention),
               K::divisor("self_attn_heads", &C::heads, "d_model", &C::width)
                   .only_if([](const C& c) { return c.self_attention; }),
               K::value("norm_mlp", &C::norm, read_mixer_norm, mixer_norm_name),
               K::epsilon("norm_eps", &C::eps),
               K::flag("use_positional_encoding", &C::with_positions),
               K::word("positional_encoding_type", &C::positions, series_position_words()),
               K::number("init_std", &C::init),
               K::rate("dropout", &C::dropout),
               K::rate("head_dropout", &C::head_drop),
           }}),
      SeriesScaling::deviation);
  return keys;
}

ModelOutline PatchTsMixerConfig::outline() const {
  return {.wiring = ModelOutline::Wiring::encoder,
          .block = ModelOutline::Block::pre,
          .input = ModelOutline::Input::series,
          .encoder = {layers, heads, heads, width * expansion},
          .width = width,
          .head_width = width / heads,
          .context = patches(),
          .outputs = horizon,
          .positions = !with_positions                         ? "none"
                       : positions == SeriesPositions::learned ? "learned"
                                                               : "sinusoidal",
          .norm = norm == SeriesNormKind::batch ? "BatchNorm" : "LayerNorm",
          .activation = activation_title(Activation::gelu)};
}

Family patchtsmixer_family() {
  return encoder_family<PatchTsMixer>({.name = "patchtsmixer",
                                       .model_type = "patchtsmixer",
                                       .architecture = "PatchTSMixerForPrediction",
                                       .names = {.prefix = "model.", .outside = {"head.*"}},
                                       .presets = {{"tiny", mixer_size(96, 16, 2, 8)},
                                                   {"small", mixer_size(512, 48, 4, 16)},
                                                   {"base", mixer_size(512, 192, 8, 16)}},
                                       .head_weights = {"head.*"}});
}

}  // namespace jogak
