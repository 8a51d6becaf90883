// Falcon as Hugging Face's directories have it: names, config.json.
#include "models/falcon.h"
#include "nn/config_keys.h"

namespace jogak {

const NameMap kFalconNames = {
    .prefix = "transformer.",
    .outside = {"lm_head.weight"},
    // Frequencies follow from the configuration; a tied head may stand in a file once more.
    .ignored = {"*.rotary_emb.inv_freq", "*.maybe_rotary.inv_freq", "lm_head.weight"},
};

namespace {

const Json& place_of(const Fields& f, const char* key) { return f.has(key) ? f.at(key) : f.json(); }

void read_heads(const Fields& f, FalconConfig& c) {
  c.heads = f.integer_or("num_attention_heads", c.heads, kSize);
  if (c.width % c.heads != 0)
    f.wrong(place_of(f, "num_attention_heads"), "num_attention_heads",
            text_of("a divisor of hidden_size ", c.width));
  c.kv_heads = f.integer_or("num_kv_heads", c.heads, kSize);
  if (!c.grouped && f.flag_or("multi_query", true)) {
    c.kv_heads = 1;
  } else if (!c.grouped && c.kv_heads != c.heads) {
    f.wrong(f.at("num_kv_heads"), "num_kv_heads",
            text_of(c.heads, ", as many as query heads: the old decoder has no groups"));
  }
  if (c.heads % c.kv_heads != 0)
    f.wrong(f.at("num_kv_heads"), "num_kv_heads",
            text_of("a divisor of num_attention_heads ", c.heads));
}

// The combinations transformers can run.
void read_block(const Fields& f, FalconConfig& c) {
  const int64_t norms = f.integer_or("num_ln_in_parallel_attn", c.grouped ? 2 : 1, {1, 2});
  if (!f.flag_or("parallel_attn", true)) {
    if (c.grouped)
      f.wrong(f.at("parallel_attn"), "parallel_attn", "true with new_decoder_architecture");
    c.block = FalconConfig::Block::sequential;
    return;
  }
  if (norms == 2 && !c.grouped)
    f.wrong(f.at("num_ln_in_parallel_attn"), "num_ln_in_parallel_attn",
            "1 without new_decoder_architecture");
  c.block = norms == 2 ? FalconConfig::Block::parallel_two_norms : FalconConfig::Block::parallel;
}

}  // namespace

FalconConfig read_falcon_config(const Json& json, const std::string& file) {
  const Fields f(json, file);
  FalconConfig c;
  c.vocab = f.integer_or("vocab_size", c.vocab, kSize);
  c.context = f.integer_or("max_position_embeddings", c.context, kSize);
  c.width = f.integer_or("hidden_size", c.width, kSize);
  c.width = f.integer_or("n_embed", c.width, kSize);  // older files
  c.layers = f.integer_or("num_hidden_layers", c.layers, {1, 10000});
  c.inner = f.integer_or("ffn_hidden_size", 4 * c.width, kSize);
  c.grouped = f.flag_or("new_decoder_architecture", false);
  read_heads(f, c);
  read_block(f, c);
  c.alibi = f.flag_or("alibi", false);
  c.bias = f.flag_or("bias", false);
  c.tied = f.flag_or("tie_word_embeddings", true);
  c.eps = read_epsilon(f, "layer_norm_epsilon", c.eps);
  c.hidden_drop = read_rate(f, "hidden_dropout", 0);
  c.attn_drop = read_rate(f, "attention_dropout", 0);
  c.init = f.number_or("initializer_range", c.init);
  c.activation = read_activation(f, "activation", "gelu");
  if (c.alibi) return c;
  c.rope = read_rope(f, c.context);
  if (c.width / c.heads % 2 != 0)
    f.wrong(place_of(f, "num_attention_heads"), "num_attention_heads",
            "heads of an even width: their elements turn in pairs");
  return c;
}

Json write_falcon_config(const FalconConfig& c) {
  using Block = FalconConfig::Block;
  Json json = Json::object();
  json.set("architectures", Json::array({"FalconForCausalLM"}));
  json.set("model_type", "falcon");
  json.set("vocab_size", c.vocab).set("max_position_embeddings", c.context);
  json.set("hidden_size", c.width).set("num_hidden_layers", c.layers);
  json.set("num_attention_heads", c.heads).set("ffn_hidden_size", c.inner_width());
  json.set("new_decoder_architecture", c.grouped).set("multi_query", c.kv_heads == 1);
  json.set("num_kv_heads", c.kv_heads).set("parallel_attn", c.block != Block::sequential);
  json.set("num_ln_in_parallel_attn", c.block == Block::parallel_two_norms ? 2 : 1);
  json.set("alibi", c.alibi).set("bias", c.bias).set("activation", activation_name(c.activation));
  json.set("layer_norm_epsilon", c.eps).set("initializer_range", c.init);
  json.set("hidden_dropout", c.hidden_drop).set("attention_dropout", c.attn_drop);
  if (!c.alibi) json.set("rope_parameters", write_rope(c.rope));
  // Left out, transformers would take token 11.
  json.set("bos_token_id", Json()).set("eos_token_id", Json());
  return std::move(json.set("tie_word_embeddings", c.tied).set("torch_dtype", "float32"));
}

}  // namespace jogak
