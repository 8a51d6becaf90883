// GPT-2 as Hugging Face's directories have it: names, layouts, config.json.
#include "models/decoders/decoder_keys.h"
#include "models/decoders/gpt2.h"

namespace jogak {

const ConfigTable<Gpt2Config>& Gpt2Config::table() {
  using C = Gpt2Config;
  using K = ConfigKey<C>;
  static const ConfigTable<C> keys = {
      K::size("vocab_size", &C::vocab),
      K::size("n_positions", &C::context).also("max_position_embeddings"),
      K::copy("n_ctx", &C::context),
      K::size("n_embd", &C::width).also("hidden_size"),
      K::layers("n_layer", &C::layers).also("num_hidden_layers"),
      K::divisor("n_head", &C::heads, "n_embd", &C::width).also("num_attention_heads"),
      K::size("n_inner", &C::inner).otherwise([](C& c) { c.inner = 4 * c.width; }),
      K::activation("activation_function", &C::activation),
      K::epsilon("layer_norm_epsilon", &C::eps),
      K::number("initializer_range", &C::init),
      K::rate("embd_pdrop", &C::embd_drop),
      K::rate("attn_pdrop", &C::attn_drop),
      K::rate("resid_pdrop", &C::resid_drop),
      K::flag("tie_word_embeddings", &C::tied),
      K::flag("scale_attn_weights", &C::scale_attn),
      K::flag("scale_attn_by_inverse_layer_idx", &C::scale_by_layer),
  };
  return keys;
}

ModelOutline Gpt2Config::outline() const { return decoder_outline(*this, inner_width()); }

static std::vector<Json::Member> gpt2_size(int layers, int heads, int width, int context) {
  return {{"n_layer", layers}, {"n_head", heads}, {"n_embd", width}, {"n_positions", context}};
}

Family gpt2_family() {
  return decoder_family<Gpt2>(
      {.name = "gpt2",
       .model_type = "gpt2",
       .architecture = "GPT2LMHeadModel",
       // Masks follow from the configuration; a tied head may stand in a file once more.
       .names = {.prefix = "transformer.",
                 .outside = {"lm_head.weight"},
                 .transposed = {"*.c_attn.weight", "*.c_proj.weight", "*.c_fc.weight"},
                 .ignored = {"*.attn.bias", "*.attn.masked_bias", "lm_head.weight"}},
       .presets = decoder_presets(gpt2_size),
       .lora_targets = {"c_attn"}});
}

}  // namespace jogak
