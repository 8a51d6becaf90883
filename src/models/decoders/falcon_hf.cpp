// Falcon as Hugging Face's directories have it: names, config.json.
#include "models/decoders/decoder_keys.h"
#include "models/decoders/falcon.h"

namespace jogak {
namespace {

using Block = FalconConfig::Block;

// Where transformers asks whether a flag is set, null is not.
bool is_set(const Fields& f, const char* key) {
  const Json* const value = f.json().find(key);
  return !value || (!value->is_null() && f.flag_or(key, true));
}

void read_kv_heads(const Fields& f, FalconConfig& c) {
  c.kv_heads = f.integer_or("num_kv_heads", c.heads, kSize);
  if (!c.grouped && is_set(f, "multi_query")) {
    c.kv_heads = 1;
  } else if (!c.grouped && c.kv_heads != c.heads) {
    f.wrong(f.at("num_kv_heads"), "num_kv_heads",
            text_of(c.heads, ", as many as query heads: the old decoder has no groups"));
  }
  if (c.heads % c.kv_heads != 0)
    f.wrong(f.at("num_kv_heads"), "num_kv_heads",
            text_of("a divisor of num_attention_heads ", c.heads));
}

void write_kv_heads(const FalconConfig& c, Json& json) {
  json.set("multi_query", c.kv_heads == 1).set("num_kv_heads", c.kv_heads);
}

// The combinations transformers can run.
void read_block(const Fields& f, FalconConfig& c) {
  const int64_t norms = f.integer_or("num_ln_in_parallel_attn", c.grouped ? 2 : 1, {1, 2});
  if (!is_set(f, "parallel_attn")) {
    if (c.grouped)
      f.wrong(f.at("parallel_attn"), "parallel_attn", "true with new_decoder_architecture");
    c.block = Block::sequential;
    return;
  }
  if (norms == 2 && !c.grouped)
    f.wrong(f.at("num_ln_in_parallel_attn"), "num_ln_in_parallel_attn",
            "1 without new_decoder_architecture");
  c.block = norms == 2 ? Block::parallel_two_norms : Block::parallel;
}

void write_block(const FalconConfig& c, Json& json) {
  json.set("parallel_attn", c.block != Block::sequential);
  json.set("num_ln_in_parallel_attn", c.block == Block::parallel_two_norms ? 2 : 1);
}

void check_falcon_head(const Fields& f, FalconConfig& c) {
  if (!c.alibi && c.width / c.heads % 2 != 0)
    f.wrong(place_of(f, "num_attention_heads"), "num_attention_heads",
            "heads of an even width: their elements turn in pairs");
}

std::vector<Json::Member> falcon_size(int layers, int heads, int width, int context) {
  return {{"num_hidden_layers", layers},
          {"num_attention_heads", heads},
          {"hidden_size", width},
          {"max_position_embeddings", context}};
}

}  // namespace

const ConfigTable<FalconConfig>& FalconConfig::table() {
  using C = FalconConfig;
  using K = ConfigKey<C>;
  static const ConfigTable<C> keys = {
      K::size("vocab_size", &C::vocab),
      K::size("max_position_embeddings", &C::context),
      K::size("hidden_size", &C::width).also("n_embed"),  // in older files
      K::layers("num_hidden_layers", &C::layers),
      K::divisor("num_attention_heads", &C::heads, "hidden_size", &C::width),
      K::size("ffn_hidden_size", &C::inner).otherwise([](C& c) { c.inner = 4 * c.width; }),
      K::flag("new_decoder_architecture", &C::grouped),
      K::together({"multi_query", "num_kv_heads"}, read_kv_heads, write_kv_heads),
      K::together({"parallel_attn", "num_ln_in_parallel_attn"}, read_block, write_block),
      K::flag("alibi", &C::alibi),
      K::flag("bias", &C::bias),
      K::activation("activation", &C::activation),
      K::epsilon("layer_norm_epsilon", &C::eps),
      K::number("initializer_range", &C::init),
      K::rate("hidden_dropout", &C::hidden_drop),
      K::rate("attention_dropout", &C::attn_drop),
      K::rope(&C::rope, &C::context).only_if([](const C& c) { return !c.alibi; }),
      K::rule(check_falcon_head),
      // Left out, transformers would take token 11.
      K::constant("bos_token_id", Json()),
      K::constant("eos_token_id", Json()),
      K::flag("tie_word_embeddings", &C::tied),
  };
  return keys;
}

ModelOutline FalconConfig::outline() const {
  ModelOutline out = decoder_outline(*this, inner_width());
  if (block != FalconConfig::Block::sequential) out.block = ModelOutline::Block::parallel;
  out.decoder.kv_heads = kv_heads;
  out.positions = alibi ? "alibi" : "rotary";
  return out;
}

Family falcon_family() {
  return decoder_family<Falcon>(
      {.name = "falcon",
       .model_type = "falcon",
       .architecture = "FalconForCausalLM",
       // Frequencies follow from the configuration; a tied head may stand in a file once more.
       .names = {.prefix = "transformer.",
                 .outside = {"lm_head.weight"},
                 .ignored = {"*.rotary_emb.inv_freq", "*.maybe_rotary.inv_freq", "lm_head.weight"}},
       .presets = decoder_presets(falcon_size),
       .lora_targets = {"query_key_value"}});
}

}  // namespace jogak
