// OPT as Hugging Face's directories have it: names, config.json.
#include "models/decoders/decoder_keys.h"
#include "models/decoders/opt.h"
#include "models/shared_rows.h"

namespace jogak {
namespace {

void refuse_bare_norms(const Fields& f, OptConfig&) {
  constexpr const char* kKey = "layer_norm_elementwise_affine";
  if (!f.flag_or(kKey, true)) f.wrong(f.at(kKey), kKey, "true: norms have gains");
}

// null is none; without the key it is 1.
void read_opt_pad(const Fields& f, OptConfig& c) {
  constexpr const char* kKey = "pad_token_id";
  c.pad = f.json().find(kKey) ? -1 : 1;
  if (f.has(kKey)) c.pad = f.integer(kKey, {0, c.vocab - 1});
}

void write_opt_pad(const OptConfig& c, Json& json) {
  json.set("pad_token_id", c.pad < 0 ? Json() : Json(c.pad));
}

std::vector<Json::Member> opt_size(int layers, int heads, int width, int context) {
  return text_size_with("ffn_dim", layers, heads, width, context);
}

}  // namespace

const ConfigTable<OptConfig>& OptConfig::table() {
  using C = OptConfig;
  using K = ConfigKey<C>;
  const auto not_removed = K::value(
      "_remove_final_layer_norm", &C::final_norm,
      [](const Fields& f, const char* key, bool kept) { return !f.flag_or(key, !kept); },
      [](bool kept) { return Json(!kept); });
  static const ConfigTable<C> keys = joined_rows<C>(
      {{K::rule(refuse_bare_norms)},
       size_rows<C>("ffn_dim"),
       {K::size("word_embed_proj_dim", &C::word_width).otherwise([](C& c) {
          c.word_width = c.width;
        }),
        K::activation("activation_function", &C::activation), K::rate("dropout", &C::dropout),
        K::rate("attention_dropout", &C::attn_drop), K::rate("layerdrop", &C::layer_drop),
        K::number("init_std", &C::init), K::flag("enable_bias", &C::bias),
        K::flag("do_layer_norm_before", &C::norm_before), not_removed,
        K::flag("tie_word_embeddings", &C::tied)},
       no_ends_rows<C>(),
       {K::together({"pad_token_id"}, read_opt_pad, write_opt_pad)}});
  return keys;
}

ModelOutline OptConfig::outline() const {
  ModelOutline out = decoder_outline(*this, inner);
  if (!norm_before) out.block = ModelOutline::Block::post;
  out.final_norm = norm_before && final_norm;
  return out;
}

Family opt_family() {
  return decoder_family<Opt>(
      {.name = "opt",
       .model_type = "opt",
       .architecture = "OPTForCausalLM",
       .names = {.prefix = "model.", .outside = {"lm_head.weight"}, .ignored = {"lm_head.weight"}},
       .presets = decoder_presets(opt_size),
       .lora_targets = {"q_proj", "v_proj"}});
}

}  // namespace jogak
