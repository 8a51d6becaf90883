// GPT-NeoX as Hugging Face's directories have it: names, config.json.
#include "models/decoders/decoder_keys.h"
#include "models/decoders/gpt_neox.h"
#include "models/shared_rows.h"

namespace jogak {
namespace {

void check_neox_head(const Fields& f, GptNeoxConfig& c) {
  const int64_t rotated = c.rope.width(c.width / c.heads);
  if (rotated % 2 != 0 || rotated == 0)
    f.wrong(place_of(f, "num_attention_heads"), "num_attention_heads",
            text_of("heads that rotate an even number of elements, not ", rotated));
}

}  // namespace

const ConfigTable<GptNeoxConfig>& GptNeoxConfig::table() {
  using C = GptNeoxConfig;
  using K = ConfigKey<C>;
  static const RopeUsage usage{
      .theta_key = "rotary_emb_base", .partial = true, .part = 0.25, .part_key = "rotary_pct"};
  static const ConfigTable<C> keys = joined_rows<C>(
      {size_rows<C>(),
       {K::activation("hidden_act", &C::activation), K::epsilon("layer_norm_eps", &C::eps),
        K::rate("hidden_dropout", &C::hidden_drop), K::rate("attention_dropout", &C::attn_drop),
        K::number("initializer_range", &C::init), K::flag("attention_bias", &C::attention_bias),
        K::flag("use_parallel_residual", &C::parallel), K::rope(&C::rope, &C::context, usage),
        K::rule(check_neox_head), K::flag("tie_word_embeddings", &C::tied)},
       no_ends_rows<C>()});
  return keys;
}

ModelOutline GptNeoxConfig::outline() const {
  ModelOutline out = decoder_outline(*this, inner);
  if (parallel) out.block = ModelOutline::Block::parallel;
  out.positions = "rotary";
  return out;
}

Family gpt_neox_family() {
  return decoder_family<GptNeox>(
      {.name = "gpt_neox",
       .model_type = "gpt_neox",
       .architecture = "GPTNeoXForCausalLM",
       // Masks and frequencies follow from the configuration.
       .names = {.prefix = "gpt_neox.",
                 .outside = {"embed_out.weight"},
                 .ignored = {"*.attention.bias", "*.attention.masked_bias", "*.rotary_emb.inv_freq",
                             "embed_out.weight"}},
       .presets = decoder_presets(text_size),
       .lora_targets = {"query_key_value"}});
}

}  // namespace jogak
