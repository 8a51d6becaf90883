// OLMo 2: LLaMA with norms behind attention and feed-forward, and of all query and all key heads.
#include "models/decoders/rotary_keys.h"

namespace jogak {
namespace {

struct Olmo2Config : RotaryDecoderConfig {
  Olmo2Config() {
    vocab = 50304, eps = 1e-5;
    norms = Norms::after, head_norms = HeadNorms::together;
  }
  static const ConfigTable<Olmo2Config>& table();
};

const ConfigTable<Olmo2Config>& Olmo2Config::table() {
  using C = Olmo2Config;
  using K = ConfigKey<C>;
  static const ConfigTable<C> keys =
      with_rows(rotary_rows<C>(), {attention_bias_row<C>(), K::rope(&C::rope, &C::context),
                                   even_head_rule<C>(), pad_row<C>(1)});
  return keys;
}

}  // namespace

Family olmo2_family() {
  return decoder_family<RotaryDecoderOf<Olmo2Config>>(rotary_record("olmo2", "Olmo2ForCausalLM"));
}

}  // namespace jogak
