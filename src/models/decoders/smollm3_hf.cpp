// SmolLM3: LLaMA in which every fourth layer, or any that are listed, knows no positions.
#include "models/decoders/rotary_keys.h"

namespace jogak {
namespace {

struct SmolLm3Config : RotaryDecoderConfig {
  SmolLm3Config() {
    vocab = 128256, context = 32768, width = 2048, layers = 36, heads = 16, kv_heads = 4;
    tied = true;
  }
  static const ConfigTable<SmolLm3Config>& table();
};

// 1 for a layer that rotates.
void read_rotating_layers(const Fields& f, SmolLm3Config& c) {
  const int64_t every = f.integer_or("no_rope_layer_interval", 4, kSize);
  std::vector<Json> given;
  if (f.has("no_rope_layers")) given = f.list("no_rope_layers");
  if (f.has("no_rope_layers") && static_cast<int64_t>(given.size()) < c.layers)
    f.wrong(f.at("no_rope_layers"), "no_rope_layers", text_of("1 or 0 for ", c.layers, " layers"));
  c.kinds.resize(static_cast<size_t>(c.layers));
  for (size_t i = 0; i < c.kinds.size(); ++i) {
    if (!given.empty() && (!given[i].is_integer() || (given[i].integer() | 1) != 1))
      f.wrong(given[i], "no_rope_layers", "1 or 0");
    c.kinds[i].rotates =
        given.empty() ? (static_cast<int64_t>(i) + 1) % every != 0 : given[i].integer() == 1;
  }
}

void write_rotating_layers(const SmolLm3Config& c, Json& json) {
  std::vector<int64_t> out;
  for (int64_t i = 0; i < c.layers; ++i) out.push_back(c.kind(i).rotates ? 1 : 0);
  json.set("no_rope_layers", Json::list(out));
}

void read_smollm3_windows(const Fields& f, SmolLm3Config& c) {
  read_window(f, c, 0);
  if (!f.flag_or("use_sliding_window", false)) c.window = 0;
  read_layer_types(
      f, c, [](const SmolLm3Config& now, int64_t layer) { return !now.kind(layer).rotates; });
}

void write_smollm3_windows(const SmolLm3Config& c, Json& json) {
  json.set("use_sliding_window", c.window > 0);
  write_window(c, json);
  write_layer_types(c, json);
}

const ConfigTable<SmolLm3Config>& SmolLm3Config::table() {
  using C = SmolLm3Config;
  using K = ConfigKey<C>;
  static const ConfigTable<C> keys =
      with_rows(rotary_rows<C>({.kv_heads = 4}),
                {attention_bias_row<C>(), K::flag("mlp_bias", &C::mlp_bias),
                 K::rope(&C::rope, &C::context, {.theta = 2000000}), even_head_rule<C>(),
                 K::together({"no_rope_layers"}, read_rotating_layers, write_rotating_layers),
                 K::together({"use_sliding_window", "sliding_window", "layer_types"},
                             read_smollm3_windows, write_smollm3_windows),
                 pad_row<C>(128004)});
  return keys;
}

}  // namespace

Family smollm3_family() {
  return decoder_family<RotaryDecoderOf<SmolLm3Config>>(rotary_record(
      "smollm3", "SmolLM3ForCausalLM", {{"no_rope_layer_interval", 2}, {"pad_token_id", Json()}}));
}

}  // namespace jogak
