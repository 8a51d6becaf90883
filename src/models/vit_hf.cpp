// ViT as Hugging Face's directories have it: names, config.json.
#include "models/family.h"
#include "models/vit.h"

namespace jogak {
namespace {

const ConfigWords<VitHead>& vit_head_classes() {
  static const ConfigWords<VitHead> classes = {{VitHead::none, "ViTModel"},
                                               {VitHead::classes, "ViTForImageClassification"}};
  return classes;
}

// 224, or [height, width].
VitConfig::Size read_size(const Fields& f, const char* key, VitConfig::Size otherwise) {
  if (!f.has(key)) return otherwise;
  if (!f.at(key).is_array()) {
    const int64_t side = f.integer(key, {1, 1 << 16});
    return {side, side};
  }
  const std::vector<Json>& sides = f.list(key);
  const auto good = [](const Json& side) {
    return side.is_integer() && side.integer() >= 1 && side.integer() <= 1 << 16;
  };
  if (sides.size() != 2 || !good(sides[0]) || !good(sides[1]))
    f.wrong(f.at(key), key, "a side or [height, width], from 1 to 65536");
  return {sides[0].integer(), sides[1].integer()};
}

Json size_json(VitConfig::Size size) {
  if (size.height == size.width) return Json(size.height);
  return Json::list(std::vector<int64_t>{size.height, size.width});
}

void check_patches(const Fields& f, VitConfig& c) {
  if (c.image.height % c.patch.height != 0 || c.image.width % c.patch.width != 0)
    f.wrong(place_of(f, "patch_size"), "patch_size", "patches that fill image_size");
}

void check_vit_head(const Fields& f, VitConfig& c) {
  if (f.integer_or("head_dim", c.width / c.heads, kSize) != c.width / c.heads)
    f.wrong(f.at("head_dim"), "head_dim",
            text_of("hidden_size / num_attention_heads, ", c.width / c.heads));
}

std::vector<Json::Member> vit_size(int layers, int heads, int width) {
  return {{"num_hidden_layers", layers},
          {"num_attention_heads", heads},
          {"hidden_size", width},
          {"intermediate_size", 4 * width}};
}

// For grey images of 28 x 28.
std::vector<Json::Member> grey_size(int layers, int heads, int width, int patch) {
  auto out = vit_size(layers, heads, width);
  out.insert(out.end(), {{"image_size", 28}, {"patch_size", patch}, {"num_channels", 1}});
  return out;
}

}  // namespace

const ConfigTable<VitConfig>& VitConfig::table() {
  using C = VitConfig;
  using K = ConfigKey<C>;
  static const ConfigTable<C> keys = {
      K::head(&C::head, vit_head_classes()),
      K::value("image_size", &C::image, read_size, size_json),
      K::value("patch_size", &C::patch, read_size, size_json),
      K::rule(check_patches),
      K::size("num_channels", &C::channels),
      K::size("hidden_size", &C::width),
      K::layers("num_hidden_layers", &C::layers),
      K::divisor("num_attention_heads", &C::heads, "hidden_size", &C::width),
      K::rule(check_vit_head),
      K::size("intermediate_size", &C::inner),
      K::activation("hidden_act", &C::activation),
      K::rate("hidden_dropout_prob", &C::dropout),
      K::rate("attention_probs_dropout_prob", &C::attention_drop),
      K::epsilon("layer_norm_eps", &C::eps),
      K::number("initializer_range", &C::init),
      K::flag("qkv_bias", &C::qkv_bias),
      K::size("pooler_output_size", &C::pooler_width).otherwise([](C& c) {
        c.pooler_width = c.width;
      }),
      K::activation("pooler_act", &C::pooler_activation),
      K::labels(&C::labels).written_if([](const C& c) { return c.head == VitHead::classes; }),
  };
  return keys;
}

ModelOutline VitConfig::outline() const {
  return {.wiring = ModelOutline::Wiring::encoder,
          .block = ModelOutline::Block::pre,
          .input = ModelOutline::Input::image,
          .encoder = {layers, heads, heads, inner},
          .width = width,
          .head_width = width / heads,
          .context = grid().height * grid().width + 1,
          .outputs = head == VitHead::none ? 0 : labels.count(),
          .final_norm = true,
          .positions = "learned",
          .activation = activation_title(activation)};
}

Family vit_family() {
  return encoder_family<Vit>(
      {.name = "vit",
       .model_type = "vit",
       .architecture = "ViTForImageClassification",
       .names = {.prefix = "vit.",
                 .outside = {"classifier.*"},
                 // transformers 5 writes the names of old and reads both; these are its own in
                 // memory.
                 .spellings = {{"encoder.layer.", "layers."},
                               {".attention.attention.query.", ".attention.q_proj."},
                               {".attention.attention.key.", ".attention.k_proj."},
                               {".attention.attention.value.", ".attention.v_proj."},
                               {".attention.output.dense.", ".attention.o_proj."},
                               {".intermediate.dense.", ".mlp.fc1."},
                               {".output.dense.", ".mlp.fc2."}}},
       .presets = {{"tiny", grey_size(2, 2, 64, 7)},
                   {"small", grey_size(4, 4, 128, 4)},
                   {"base", vit_size(12, 12, 768)}},
       .heads = {{EncoderTask::classify, "ViTForImageClassification"}},
       .head_weights = {"classifier.*", "pooler.*"}});
}

}  // namespace jogak
