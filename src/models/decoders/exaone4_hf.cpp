// EXAONE 4: norms behind attention and feed-forward and of each query and key head; where some
// layers see a window, those alone rotate.
#include "models/decoders/rotary_keys.h"

namespace jogak {
namespace {

struct Exaone4Config : RotaryDecoderConfig {
  Exaone4Config() {
    vocab = 102400, inner = 16384, eps = 1e-5;
    norms = Norms::after, head_norms = HeadNorms::each;
  }
  static const ConfigTable<Exaone4Config>& table();
};

void read_exaone4_windows(const Fields& f, Exaone4Config& c) {
  read_window(f, c, 4096);
  int64_t every = 4;  // which layer sees everything
  if (!f.has("layer_types") && c.window > 0)
    every = f.integer_or("sliding_window_pattern", every, kSize);
  read_layer_types(
      f, c, [every](const Exaone4Config&, int64_t layer) { return (layer + 1) % every != 0; });
  for (RotaryDecoderConfig::Layer& kind : c.kinds) kind.rotates = c.window == 0 || kind.local;
}

void write_exaone4_windows(const Exaone4Config& c, Json& json) {
  write_window(c, json);
  write_layer_types(c, json);
}

const ConfigTable<Exaone4Config>& Exaone4Config::table() {
  using C = Exaone4Config;
  using K = ConfigKey<C>;
  static const ConfigTable<C> keys = with_rows(
      rotary_rows<C>({.kv_heads = 32}),
      {K::rope(&C::rope, &C::context), even_head_rule<C>(),
       K::together({"sliding_window", "layer_types"}, read_exaone4_windows, write_exaone4_windows),
       pad_row<C>()});
  return keys;
}

}  // namespace

Family exaone4_family() {
  return decoder_family<RotaryDecoderOf<Exaone4Config>>(
      rotary_record("exaone4", "Exaone4ForCausalLM"));
}

}  // namespace jogak
