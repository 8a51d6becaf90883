// Qwen3: LLaMA whose query and key heads pass a norm before they rotate; later layers may be local.
#include "models/decoders/qwen_keys.h"

namespace jogak {
namespace {

struct Qwen3Config : RotaryDecoderConfig {
  Qwen3Config() {
    vocab = 151936, context = 32768, inner = 22016;
    head_norms = HeadNorms::each;
  }
  static const ConfigTable<Qwen3Config>& table();
};

const ConfigTable<Qwen3Config>& Qwen3Config::table() {
  using C = Qwen3Config;
  using K = ConfigKey<C>;
  static const ConfigTable<C> keys =
      with_rows(rotary_rows<C>({.kv_heads = 32, .head = 128}),
                {attention_bias_row<C>(), K::rope(&C::rope, &C::context), even_head_rule<C>(),
                 qwen_windows<C>(), pad_row<C>()});
  return keys;
}

}  // namespace

Family qwen3_family() {
  return decoder_family<RotaryDecoderOf<Qwen3Config>>(
      rotary_record("qwen3", "Qwen3ForCausalLM", {{"head_dim", 32}}));
}

}  // namespace jogak
