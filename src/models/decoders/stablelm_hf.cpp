// StableLM as Hugging Face's directories have it: names, config.json.
#include "models/decoders/rotary_keys.h"
#include "models/decoders/stablelm.h"

namespace jogak {
namespace {

// Heads share the width, and have no norms of their own.
void read_heads(const Fields& f, StableLmConfig& c) {
  c.head = c.width / c.heads;
  if (f.has("head_dim") && f.integer("head_dim", kSize) != c.head)
    f.wrong(f.at("head_dim"), "head_dim", text_of(c.head, ", the width over its heads"));
  if (f.flag_or("qk_layernorm", false)) f.wrong(f.at("qk_layernorm"), "qk_layernorm", "false");
}

}  // namespace

const ConfigTable<StableLmConfig>& StableLmConfig::table() {
  using C = StableLmConfig;
  using K = ConfigKey<C>;
  static const RopeUsage usage{.partial = true, .part = 0.25};
  static const ConfigTable<C> keys = joined_rows<C>(
      {size_rows<C>(),
       {kv_heads_row<C>(32), K::rule(read_heads), K::activation("hidden_act", &C::activation),
        K::epsilon("layer_norm_eps", &C::eps), K::rate("attention_dropout", &C::attn_drop),
        K::rate("hidden_dropout", &C::resid_drop), K::number("initializer_range", &C::init),
        K::flag("use_qkv_bias", &C::qkv_bias), K::flag("use_parallel_residual", &C::parallel),
        K::rope(&C::rope, &C::context, usage), even_head_rule<C>(),
        K::flag("tie_word_embeddings", &C::tied)},
       no_ends_rows<C>(),
       {pad_row<C>()}});
  return keys;
}

ModelOutline StableLmConfig::outline() const {
  ModelOutline out = RotaryDecoderConfig::outline();
  if (parallel) out.block = ModelOutline::Block::parallel;
  out.norm = "LayerNorm";
  return out;
}

Family stablelm_family() {
  return decoder_family<StableLm>(rotary_record("stablelm", "StableLmForCausalLM"));
}

}  // namespace jogak
