// TimesFM as Hugging Face's directories have it: names, config.json.
#include "models/series/series_keys.h"
#include "models/series/timesfm.h"

namespace jogak {
namespace {

std::vector<double> read_quantiles(const Fields& f, const char* key,
                                   const std::vector<double>& otherwise) {
  if (!f.has(key)) return otherwise;
  std::vector<double> out;
  for (const Json& one : f.list(key)) {
    if (!one.is_number() || one.number() < 0 || one.number() > 1 || out.size() >= 1000)
      f.wrong(one, key, "at most 1000 numbers from 0 to 1");
    out.push_back(one.number());
  }
  return out;
}

void timesfm_sizes(const Fields& f, TimesFmConfig& c) {
  if (c.context % c.patch != 0)
    f.wrong(place_of(f, "context_length"), "context_length",
            text_of("a multiple of patch_length ", c.patch));
  if (c.with_positions && c.width % 2 != 0)
    f.wrong(place_of(f, "hidden_size"), "hidden_size",
            "an even number: positions are sines and cosines");
  if (c.tolerance <= 0) f.wrong(f.at("tolerance"), "tolerance", "more than 0");
}

std::vector<Json::Member> timesfm_size(int context, int patch, int layers, int heads, int width) {
  return {{"context_length", context}, {"horizon_length", 96},
          {"patch_length", patch},     {"num_hidden_layers", layers},
          {"hidden_size", width},      {"intermediate_size", width},
          {"head_dim", width / heads}, {"num_attention_heads", heads}};
}

}  // namespace

const ConfigTable<TimesFmConfig>& TimesFmConfig::table() {
  using C = TimesFmConfig;
  using K = ConfigKey<C>;
  static const ConfigTable<C> keys = {
      point_forecasts_only<C>("TimesFmModelForPrediction"),
      K::size("num_input_channels", &C::series, {1, 1 << 16}).written_if([](const C& c) {
        return c.series != 1;
      }),
      K::size("patch_length", &C::patch),
      K::size("context_length", &C::context),
      K::size("horizon_length", &C::horizon),
      K::size("freq_size", &C::frequencies),
      K::layers("num_hidden_layers", &C::layers),
      K::size("hidden_size", &C::width),
      K::size("intermediate_size", &C::inner),
      K::size("head_dim", &C::head),
      K::size("num_attention_heads", &C::heads, {1, 1 << 12}),
      K::number("tolerance", &C::tolerance),
      K::epsilon("rms_norm_eps", &C::eps),
      K::value("quantiles", &C::quantiles, read_quantiles,
               [](const std::vector<double>& all) { return Json::list(all); }),
      K::number("pad_val", &C::padding),
      K::rate("attention_dropout", &C::attention_drop),
      K::flag("use_positional_embedding", &C::with_positions),
      K::number("initializer_range", &C::init),
      K::size("min_timescale", &C::min_timescale),
      K::size("max_timescale", &C::max_timescale),
      K::rule(timesfm_sizes)};
  return keys;
}

ModelOutline TimesFmConfig::outline() const {
  return {.wiring = ModelOutline::Wiring::encoder,
          .block = ModelOutline::Block::pre,
          .input = ModelOutline::Input::series,
          .encoder = {layers, heads, heads, inner},
          .width = width,
          .head_width = head,
          .context = patches(),
          .outputs = horizon,
          .positions = with_positions ? "sinusoidal" : "none",
          .norm = "RMSNorm",
          .activation = activation_title(Activation::relu)};
}

Family timesfm_family() {
  return encoder_family<TimesFm>(
      {.name = "timesfm",
       .model_type = "timesfm",
       .architecture = "TimesFmModelForPrediction",
       .names = {.prefix = "decoder.", .outside = {"horizon_ff_layer.*"}},
       .presets = {{"tiny", timesfm_size(96, 16, 2, 2, 32)},
                   {"small", timesfm_size(512, 32, 4, 4, 128)},
                   {"base", {}}},
       .lora_targets = {"q_proj", "v_proj"},
       .head_weights = {"horizon_ff_layer.*"}});
}

}  // namespace jogak
