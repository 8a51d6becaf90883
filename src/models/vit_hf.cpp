// ViT as Hugging Face's directories have it: names, config.json.
#include "models/vit.h"
#include "nn/config_keys.h"

namespace jogak {

const NameMap kVitNames = {
    .prefix = "vit.",
    .outside = {"classifier.*"},
    // transformers 5 writes the names of old and reads both; these are its own in memory.
    .spellings = {{"encoder.layer.", "layers."},
                  {".attention.attention.query.", ".attention.q_proj."},
                  {".attention.attention.key.", ".attention.k_proj."},
                  {".attention.attention.value.", ".attention.v_proj."},
                  {".attention.output.dense.", ".attention.o_proj."},
                  {".intermediate.dense.", ".mlp.fc1."},
                  {".output.dense.", ".mlp.fc2."}},
};

namespace {

constexpr struct {
  VitHead head;
  const char* name;
} kVitHeads[] = {{VitHead::none, "ViTModel"}, {VitHead::classes, "ViTForImageClassification"}};

VitHead read_vit_head(const Fields& f) {
  if (!f.has("architectures") || f.list("architectures").empty()) return VitHead::by_tensors;
  const Json& first = f.list("architectures")[0];
  for (const auto& one : kVitHeads)
    if (first.is_string() && first.text() == one.name) return one.head;
  f.wrong(first, "architectures", text_of("one of ", kVitHeads[0].name, ", ", kVitHeads[1].name));
}

// 224, or [height, width].
VitConfig::Size read_size(const Fields& f, const char* key, int64_t otherwise) {
  if (!f.has(key) || !f.at(key).is_array()) {
    const int64_t side = f.integer_or(key, otherwise, {1, 1 << 16});
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

}  // namespace

VitConfig read_vit_config(const Json& json, const std::string& file) {
  const Fields f(json, file);
  VitConfig c;
  c.image = read_size(f, "image_size", 224);
  c.patch = read_size(f, "patch_size", 16);
  c.channels = f.integer_or("num_channels", c.channels, kSize);
  c.width = f.integer_or("hidden_size", c.width, kSize);
  c.layers = f.integer_or("num_hidden_layers", c.layers, {1, 10000});
  c.heads = f.integer_or("num_attention_heads", c.heads, kSize);
  c.inner = f.integer_or("intermediate_size", c.inner, kSize);
  c.dropout = read_rate(f, "hidden_dropout_prob", c.dropout);
  c.attention_drop = read_rate(f, "attention_probs_dropout_prob", c.attention_drop);
  c.eps = read_epsilon(f, "layer_norm_eps", c.eps);
  c.init = f.number_or("initializer_range", c.init);
  c.activation = read_activation(f, "hidden_act", "gelu");
  c.qkv_bias = f.flag_or("qkv_bias", true);
  c.pooler_width = f.integer_or("pooler_output_size", c.width, kSize);
  c.pooler_activation = read_activation(f, "pooler_act", "tanh");
  c.head = read_vit_head(f);
  c.labels = read_labels(f);
  if (c.image.height % c.patch.height != 0 || c.image.width % c.patch.width != 0)
    f.wrong(f.has("patch_size") ? f.at("patch_size") : json, "patch_size",
            "patches that fill image_size");
  if (c.width % c.heads != 0)
    f.wrong(f.has("num_attention_heads") ? f.at("num_attention_heads") : json,
            "num_attention_heads", text_of("a divisor of hidden_size ", c.width));
  if (f.integer_or("head_dim", c.width / c.heads, kSize) != c.width / c.heads)
    f.wrong(f.at("head_dim"), "head_dim",
            text_of("hidden_size / num_attention_heads, ", c.width / c.heads));
  return c;
}

Json write_vit_config(const VitConfig& c) {
  Json json = Json::object();
  for (const auto& one : kVitHeads)
    if (one.head == c.head) json.set("architectures", Json::array({one.name}));
  json.set("model_type", "vit");
  json.set("image_size", size_json(c.image)).set("patch_size", size_json(c.patch));
  json.set("num_channels", c.channels).set("hidden_size", c.width);
  json.set("num_hidden_layers", c.layers).set("num_attention_heads", c.heads);
  json.set("intermediate_size", c.inner).set("hidden_act", activation_name(c.activation));
  json.set("hidden_dropout_prob", c.dropout);
  json.set("attention_probs_dropout_prob", c.attention_drop);
  json.set("layer_norm_eps", c.eps).set("initializer_range", c.init).set("qkv_bias", c.qkv_bias);
  json.set("pooler_output_size", c.pooler_width);
  json.set("pooler_act", activation_name(c.pooler_activation));
  if (c.head == VitHead::classes) write_labels(c.labels, json);
  return std::move(json.set("torch_dtype", "float32"));
}

}  // namespace jogak
