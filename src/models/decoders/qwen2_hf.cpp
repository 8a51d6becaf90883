// Qwen2 and 2.5: LLaMA with biases on queries, keys and values; later layers may be local.
#include "models/decoders/qwen_keys.h"

namespace jogak {
namespace {

struct Qwen2Config : RotaryDecoderConfig {
  Qwen2Config() { vocab = 151936, context = 32768, inner = 22016, qkv_bias = true; }
  static const ConfigTable<Qwen2Config>& table();
};

const ConfigTable<Qwen2Config>& Qwen2Config::table() {
  using C = Qwen2Config;
  using K = ConfigKey<C>;
  static const ConfigTable<C> keys = with_rows(
      rotary_rows<C>({.kv_heads = 32}),
      {K::rope(&C::rope, &C::context), even_head_rule<C>(), qwen_windows<C>(), pad_row<C>()});
  return keys;
}

}  // namespace

Family qwen2_family() {
  return decoder_family<RotaryDecoderOf<Qwen2Config>>(rotary_record("qwen2", "Qwen2ForCausalLM"));
}

}  // namespace jogak
