// CLIP as Hugging Face's directories have it: names, config.json with an object for each side.
#include "models/family.h"
#include "models/images/clip.h"

namespace jogak {
namespace {

// A configuration within the configuration. Old files have it as NAME_dict, too, whose values win.
template <class At>
ConfigKey<ClipConfig> clip_side(const std::string& name, At at) {
  return ConfigKey<ClipConfig>::together(
      {name},
      [name, at](const Fields& f, ClipConfig& c) {
        using Side = std::remove_cvref_t<decltype(std::invoke(at, c))>;
        for (const std::string& key : {name, name + "_dict"})
          if (f.has(key))
            for (const ConfigKey<Side>& row : Side::table())
              row.read_from(f.object(key), std::invoke(at, c));
      },
      [name, at](const ClipConfig& c, Json& json) {
        Json side = Json::object();
        write_config(std::invoke(at, c), side);
        json.set(name, std::move(side));
      });
}

template <class C>
ConfigTable<C> with_clip_tower(ConfigTable<C> own) {
  using K = ConfigKey<C>;
  ConfigTable<C> out = {K::size("hidden_size", &C::width),
                        K::size("intermediate_size", &C::inner),
                        K::layers("num_hidden_layers", &C::layers),
                        K::divisor("num_attention_heads", &C::heads, "hidden_size", &C::width),
                        K::activation("hidden_act", &C::activation),
                        K::epsilon("layer_norm_eps", &C::eps),
                        K::rate("attention_dropout", &C::attention_drop),
                        K::number("initializer_range", &C::init)};
  out.insert(out.end(), own.begin(), own.end());
  return out;
}

void check_clip_patches(const Fields& f, ClipVisionConfig& c) {
  if (c.image % c.patch != 0)
    f.wrong(place_of(f, "patch_size"), "patch_size", "a divisor of image_size");
}

void clip_class(const Fields& f, ClipConfig&) {
  if (!f.has("architectures") || f.list("architectures").empty()) return;
  const Json& first = f.list("architectures")[0];
  if (!first.is_string() || first.text() != "CLIPModel")
    f.wrong(first, "architectures", "CLIPModel");
}

Json clip_side_json(int layers, int heads, int width, std::vector<Json::Member> more) {
  Json out = Json::object({{"hidden_size", width},
                           {"intermediate_size", 4 * width},
                           {"num_hidden_layers", layers},
                           {"num_attention_heads", heads}});
  for (auto& [key, value] : more) out.set(key, std::move(value));
  return out;
}

std::vector<Json::Member> clip_size(int layers, int heads, int width, int image, int patch) {
  return {
      {"text_config",
       clip_side_json(layers, heads, width,
                      {{"vocab_size", 512}, {"max_position_embeddings", 32}, {"eos_token_id", 1}})},
      {"vision_config",
       clip_side_json(layers, heads, width, {{"image_size", image}, {"patch_size", patch}})},
      {"projection_dim", width}};
}

}  // namespace

const ConfigTable<ClipTextConfig>& ClipTextConfig::table() {
  using C = ClipTextConfig;
  using K = ConfigKey<C>;
  static const ConfigTable<C> keys = with_clip_tower<C>(
      {K::size("vocab_size", &C::vocab), K::size("max_position_embeddings", &C::context),
       K::size("eos_token_id", &C::end, {0, 1 << 24})});
  return keys;
}

const ConfigTable<ClipVisionConfig>& ClipVisionConfig::table() {
  using C = ClipVisionConfig;
  using K = ConfigKey<C>;
  static const ConfigTable<C> keys =
      with_clip_tower<C>({K::size("num_channels", &C::channels), K::size("image_size", &C::image),
                          K::size("patch_size", &C::patch), K::rule(check_clip_patches)});
  return keys;
}

const ConfigTable<ClipConfig>& ClipConfig::table() {
  using C = ClipConfig;
  using K = ConfigKey<C>;
  static const ConfigTable<C> keys = {K::rule(clip_class), clip_side("text_config", &C::text),
                                      clip_side("vision_config", &C::vision),
                                      K::size("projection_dim", &C::projection),
                                      K::number("logit_scale_init_value", &C::logit_scale)};
  return keys;
}

ModelOutline ClipConfig::outline() const {
  return {.wiring = ModelOutline::Wiring::encoder,
          .block = ModelOutline::Block::pre,
          .input = ModelOutline::Input::image,
          .encoder = {vision.layers, vision.heads, vision.heads, vision.inner},
          .width = vision.width,
          .head_width = vision.width / vision.heads,
          .context = vision.patches() + 1,
          .positions = "learned",
          .activation = activation_title(vision.activation)};
}

Family clip_family() {
  Family out = with_configuration<ClipConfig>({.name = "clip",
                                               .model_type = "clip",
                                               .architecture = "CLIPModel",
                                               .names = {.ignored = {"*.embeddings.position_ids"}},
                                               .presets = {{"tiny", clip_size(2, 2, 64, 28, 7)},
                                                           {"small", clip_size(4, 4, 128, 32, 4)},
                                                           {"base", {}}},
                                               .lora_targets = {"q_proj", "v_proj"}});
  out.build = [](const Json& config, const std::string& file, ParamStore store) {
    Model model;
    model.model_type = "clip";
    const auto net =
        make_net<Clip>(model, config, read_config<ClipConfig>(config, file), std::move(store));
    model.encoder = encoder_of(net), model.match = match_of(net);
    return model;
  };
  return out;
}

}  // namespace jogak
