// LLaMA as Hugging Face's directories have it: names, config.json.
#include "models/decoders/llama.h"
#include "models/decoders/rotary_keys.h"

namespace jogak {

const ConfigTable<LlamaConfig>& LlamaConfig::table() {
  using C = LlamaConfig;
  using K = ConfigKey<C>;
  static const ConfigTable<C> keys = {
      K::size("vocab_size", &C::vocab),
      K::size("max_position_embeddings", &C::context),
      K::size("hidden_size", &C::width),
      K::size("intermediate_size", &C::inner),
      K::layers("num_hidden_layers", &C::layers),
      K::divisor("num_attention_heads", &C::heads, "hidden_size", &C::width),
      kv_heads_row<C>(),
      head_row<C>(),
      even_head_rule<C>(),
      K::activation("hidden_act", &C::activation),
      K::epsilon("rms_norm_eps", &C::eps),
      attention_bias_row<C>(),
      K::flag("mlp_bias", &C::mlp_bias),
      K::rate("attention_dropout", &C::attn_drop),
      K::number("initializer_range", &C::init),
      K::rope(&C::rope, &C::context),
      K::flag("tie_word_embeddings", &C::tied),
      // Left out, transformers would take tokens 1 and 2.
      K::constant("bos_token_id", Json()),
      K::constant("eos_token_id", Json()),
      pad_row<C>(),
  };
  return keys;
}

Family llama_family() { return decoder_family<Llama>(rotary_record("llama", "LlamaForCausalLM")); }

}  // namespace jogak
