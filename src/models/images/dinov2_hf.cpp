// DINOv2 as Hugging Face's directories have it: names, config.json.
#include "models/images/dinov2.h"
#include "models/images/vit_keys.h"

namespace jogak {
namespace {

// How wide the feed-forward is: a gated one keeps two thirds, up to a multiple of 8.
void set_inner(const Fields&, Dinov2Config& c) {
  c.inner = c.width * c.mlp_ratio;
  if (c.gated) c.inner = (c.inner * 2 / 3 + 7) / 8 * 8;
}

std::vector<Json::Member> dinov2_size(int layers, int heads, int width) {
  return {{"num_hidden_layers", layers}, {"num_attention_heads", heads}, {"hidden_size", width}};
}

}  // namespace

Dinov2Config::Dinov2Config() {
  patch = {14, 14}, eps = 1e-6, mask_token = true;
  style = {.name = "dinov2",
           .before = "norm1",
           .after = "norm2",
           .up = "mlp.fc1",
           .down = "mlp.fc2",
           .scaled = true,
           .means_too = true,
           .pools_first = true};
}

const ConfigTable<Dinov2Config>& Dinov2Config::table() {
  using C = Dinov2Config;
  using K = ConfigKey<C>;
  static const ConfigTable<C> keys = vit_rows<C>(
      {{VitHead::none, "Dinov2Model"}, {VitHead::classes, "Dinov2ForImageClassification"}},
      {K::size("mlp_ratio", &C::mlp_ratio, {1, 1024}), K::flag("use_swiglu_ffn", &C::gated),
       K::rule(set_inner), K::number("layerscale_value", &C::layer_scale),
       K::rate("drop_path_rate", &C::path_drop), K::flag("use_mask_token", &C::mask_token)});
  return keys;
}

Family dinov2_family() {
  return encoder_family<Dinov2>(
      {.name = "dinov2",
       .model_type = "dinov2",
       .architecture = "Dinov2ForImageClassification",
       .names = {.prefix = "dinov2.",
                 .outside = {"classifier.*"},
                 .spellings = {{".attention.attention.query.", ".attention.q_proj."},
                               {".attention.attention.key.", ".attention.k_proj."},
                               {".attention.attention.value.", ".attention.v_proj."},
                               {".attention.output.dense.", ".attention.o_proj."}}},
       .presets = {{"tiny", grey_images(dinov2_size(2, 2, 64), 7)},
                   {"small", grey_images(dinov2_size(4, 4, 128), 4)},
                   {"base", dinov2_size(12, 12, 768)}},
       .heads = {{EncoderTask::classify, "Dinov2ForImageClassification"}},
       .head_weights = {"classifier.*"}});
}

}  // namespace jogak
