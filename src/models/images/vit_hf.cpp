// ViT as Hugging Face's directories have it: names, config.json.
#include "models/images/vit_keys.h"

namespace jogak {
namespace {

const ConfigWords<VitHead>& vit_head_classes() {
  static const ConfigWords<VitHead> classes = {{VitHead::none, "ViTModel"},
                                               {VitHead::classes, "ViTForImageClassification"}};
  return classes;
}

}  // namespace

const ConfigTable<VitConfig>& VitConfig::table() {
  static const ConfigTable<VitConfig> keys =
      vit_rows<VitConfig>(vit_head_classes(), vit_pooler_rows<VitConfig>());
  return keys;
}

ModelOutline VitConfig::outline() const {
  return {.wiring = ModelOutline::Wiring::encoder,
          .block = ModelOutline::Block::pre,
          .input = ModelOutline::Input::image,
          .encoder = {layers, heads, heads, inner},
          .width = width,
          .head_width = width / heads,
          .context = grid().height * grid().width + first_tokens(),
          .outputs = head == VitHead::none ? 0 : labels.count(),
          .gated = gated,
          .final_norm = true,
          .positions = "learned",
          .activation = activation_title(gated ? Activation::silu : activation, gated)};
}

Family vit_family() {
  return encoder_family<Vit>(
      {.name = "vit",
       .model_type = "vit",
       .architecture = "ViTForImageClassification",
       .names = {.prefix = "vit.", .outside = {"classifier.*"}, .spellings = vit_spellings()},
       .presets = {{"tiny", grey_images(vit_size(2, 2, 64), 7)},
                   {"small", grey_images(vit_size(4, 4, 128), 4)},
                   {"base", vit_size(12, 12, 768)}},
       .heads = {{EncoderTask::classify, "ViTForImageClassification"}},
       .head_weights = {"classifier.*", "pooler.*"}});
}

}  // namespace jogak
