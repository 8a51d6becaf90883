// Mistral: LLaMA whose every layer sees a window of the last tokens.
#include "models/decoders/rotary_keys.h"

namespace jogak {
namespace {

struct MistralConfig : RotaryDecoderConfig {
  MistralConfig() { context = 131072, inner = 14336; }
  static const ConfigTable<MistralConfig>& table();
};

void read_mistral_window(const Fields& f, MistralConfig& c) {
  read_window(f, c, 4096);
  c.kinds.assign(static_cast<size_t>(c.layers), {.local = c.window > 0});
}

const ConfigTable<MistralConfig>& MistralConfig::table() {
  using C = MistralConfig;
  using K = ConfigKey<C>;
  static const ConfigTable<C> keys = with_rows(
      rotary_rows<C>({.kv_heads = 8}),
      {K::rope(&C::rope, &C::context), even_head_rule<C>(),
       K::together({"sliding_window"}, read_mistral_window, write_window<C>), pad_row<C>()});
  return keys;
}

}  // namespace

Family mistral_family() {
  return decoder_family<RotaryDecoderOf<MistralConfig>>(
      rotary_record("mistral", "MistralForCausalLM"));
}

}  // namespace jogak
