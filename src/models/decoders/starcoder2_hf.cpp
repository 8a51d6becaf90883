// StarCoder2 as Hugging Face's directories have it: names, config.json.
#include "models/decoders/rotary_keys.h"
#include "models/decoders/starcoder2.h"

namespace jogak {

const ConfigTable<Starcoder2Config>& Starcoder2Config::table() {
  using C = Starcoder2Config;
  using K = ConfigKey<C>;
  static const ConfigTable<C> keys = joined_rows<C>(
      {size_rows<C>(),
       {kv_heads_row<C>(2), head_row<C>(), K::activation("hidden_act", &C::activation),
        K::epsilon("norm_epsilon", &C::eps), K::rate("attention_dropout", &C::attn_drop),
        K::rate("residual_dropout", &C::resid_drop), K::rate("embedding_dropout", &C::embd_drop),
        K::number("initializer_range", &C::init), K::flag("use_bias", &C::bias),
        K::rope(&C::rope, &C::context), even_head_rule<C>(),
        K::together(
            {"sliding_window"}, [](const Fields& f, C& c) { read_window(f, c, 0); },
            write_window<C>),
        K::flag("tie_word_embeddings", &C::tied)},
       no_ends_rows<C>(),
       {pad_row<C>()}});
  return keys;
}

ModelOutline Starcoder2Config::outline() const {
  return {.wiring = ModelOutline::Wiring::decoder,
          .block = ModelOutline::Block::pre,
          .decoder = {layers, heads, kv_heads, inner},
          .width = width,
          .head_width = head,
          .vocab = vocab,
          .context = context,
          .outputs = vocab,
          .final_norm = true,
          .positions = "rotary",
          .activation = activation_title(activation)};
}

Family starcoder2_family() {
  return decoder_family<Starcoder2>(rotary_record("starcoder2", "Starcoder2ForCausalLM"));
}

}  // namespace jogak
