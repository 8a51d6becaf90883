// Rows of config.json, and sides of a record, that ViT and its kin share. C is a VitConfig.
#pragma once

#include <vector>

#include "models/family.h"
#include "models/images/vit.h"
#include "models/shared_rows.h"

namespace jogak {

// 224, or [height, width].
inline VitConfig::Size read_size(const Fields& f, const char* key, VitConfig::Size otherwise) {
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

inline Json size_json(VitConfig::Size size) {
  if (size.height == size.width) return Json(size.height);
  return Json::list(std::vector<int64_t>{size.height, size.width});
}

inline void check_patches(const Fields& f, VitConfig& c) {
  if (c.image.height % c.patch.height != 0 || c.image.width % c.patch.width != 0)
    f.wrong(place_of(f, "patch_size"), "patch_size", "patches that fill image_size");
}

inline void check_vit_head(const Fields& f, VitConfig& c) {
  if (f.integer_or("head_dim", c.width / c.heads, kSize) != c.width / c.heads)
    f.wrong(f.at("head_dim"), "head_dim",
            text_of("hidden_size / num_attention_heads, ", c.width / c.heads));
}

inline std::vector<Json::Member> vit_size(int layers, int heads, int width) {
  return {{"num_hidden_layers", layers},
          {"num_attention_heads", heads},
          {"hidden_size", width},
          {"intermediate_size", 4 * width}};
}

// For grey images of 28 x 28.
inline std::vector<Json::Member> grey_images(std::vector<Json::Member> size, int patch) {
  size.insert(size.end(), {{"image_size", 28}, {"patch_size", patch}, {"num_channels", 1}});
  return size;
}

inline bool vit_has_labels(const VitConfig& c) {
  return c.head == VitHead::classes || c.head == VitHead::taught;
}

// Sizes of image and layers; how wide the feed-forward is comes after.
template <class C>
ConfigTable<C> vit_size_rows(const ConfigWords<VitHead>& classes) {
  using K = ConfigKey<C>;
  return {K::head(&C::head, classes),
          K::value("image_size", &C::image, read_size, size_json),
          K::value("patch_size", &C::patch, read_size, size_json),
          K::rule(check_patches),
          K::size("num_channels", &C::channels),
          K::size("hidden_size", &C::width),
          K::layers("num_hidden_layers", &C::layers),
          heads_row<C>(),
          K::rule(check_vit_head)};
}

template <class C>
ConfigTable<C> vit_rows(const ConfigWords<VitHead>& classes, ConfigTable<C> own) {
  using K = ConfigKey<C>;
  return joined_rows<C>(
      {vit_size_rows<C>(classes),
       std::move(own),
       {K::activation("hidden_act", &C::activation), K::rate("hidden_dropout_prob", &C::dropout),
        K::rate("attention_probs_dropout_prob", &C::attention_drop),
        K::epsilon("layer_norm_eps", &C::eps), K::number("initializer_range", &C::init),
        K::flag("qkv_bias", &C::qkv_bias), K::labels(&C::labels).written_if(vit_has_labels)}});
}

// The rows of a pooler, and of a feed-forward that says its width.
template <class C>
ConfigTable<C> vit_pooler_rows() {
  using K = ConfigKey<C>;
  return {K::size("intermediate_size", &C::inner),
          K::size("pooler_output_size", &C::pooler_width).otherwise([](C& c) {
            c.pooler_width = c.width;
          }),
          K::activation("pooler_act", &C::pooler_activation)};
}

// transformers 5 writes the names of old and reads both; these are its own in memory.
inline std::vector<NameMap::Spelling> vit_spellings() {
  return {{"encoder.layer.", "layers."},
          {".attention.attention.query.", ".attention.q_proj."},
          {".attention.attention.key.", ".attention.k_proj."},
          {".attention.attention.value.", ".attention.v_proj."},
          {".attention.output.dense.", ".attention.o_proj."},
          {".intermediate.dense.", ".mlp.fc1."},
          {".output.dense.", ".mlp.fc2."}};
}

}  // namespace jogak
