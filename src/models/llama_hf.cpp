// LLaMA as Hugging Face's directories have it: names, config.json.
#include "models/llama.h"
#include "nn/config_keys.h"

namespace jogak {

const NameMap kLlamaNames = {
    .prefix = "model.",
    .outside = {"lm_head.weight"},
    // Frequencies follow from the configuration; a tied head may stand in a file once more.
    .ignored = {"*.rotary_emb.inv_freq", "rotary_emb.inv_freq", "lm_head.weight"},
};

namespace {

void read_heads(const Fields& f, LlamaConfig& c) {
  const auto place = [&](const char* key) -> const Json& {
    return f.has(key) ? f.at(key) : f.json();
  };
  c.heads = f.integer_or("num_attention_heads", c.heads, kSize);
  if (c.width % c.heads != 0)
    f.wrong(place("num_attention_heads"), "num_attention_heads",
            text_of("a divisor of hidden_size ", c.width));
  c.kv_heads = f.integer_or("num_key_value_heads", c.heads, kSize);
  if (c.heads % c.kv_heads != 0)
    f.wrong(f.at("num_key_value_heads"), "num_key_value_heads",
            text_of("a divisor of num_attention_heads ", c.heads));
  c.head = f.integer_or("head_dim", c.width / c.heads, {1, 1 << 16});
  if (c.head % 2 != 0)
    f.wrong(place("head_dim"), "head_dim", "an even number: elements of a head turn in pairs");
}

// -1 is the last row, as PyTorch counts.
int64_t read_pad(const Fields& f, int64_t vocab) {
  if (!f.has("pad_token_id")) return -1;
  const int64_t id = f.integer("pad_token_id", {-vocab, vocab - 1});
  return id < 0 ? vocab + id : id;
}

}  // namespace

LlamaConfig read_llama_config(const Json& json, const std::string& file) {
  const Fields f(json, file);
  LlamaConfig c;
  c.vocab = f.integer_or("vocab_size", c.vocab, kSize);
  c.context = f.integer_or("max_position_embeddings", c.context, kSize);
  c.width = f.integer_or("hidden_size", c.width, kSize);
  c.inner = f.integer_or("intermediate_size", c.inner, kSize);
  c.layers = f.integer_or("num_hidden_layers", c.layers, {1, 10000});
  read_heads(f, c);
  c.eps = read_epsilon(f, "rms_norm_eps", c.eps);
  c.attn_drop = read_rate(f, "attention_dropout", c.attn_drop);
  c.init = f.number_or("initializer_range", c.init);
  c.activation = read_activation(f, "hidden_act", "silu");
  c.attention_bias = f.flag_or("attention_bias", false);
  c.mlp_bias = f.flag_or("mlp_bias", false);
  c.tied = f.flag_or("tie_word_embeddings", false);
  c.pad = read_pad(f, c.vocab);
  c.rope = read_rope(f, c.context);
  return c;
}

Json write_llama_config(const LlamaConfig& c) {
  Json json = Json::object();
  json.set("architectures", Json::array({"LlamaForCausalLM"}));
  json.set("model_type", "llama");
  json.set("vocab_size", c.vocab).set("max_position_embeddings", c.context);
  json.set("hidden_size", c.width).set("intermediate_size", c.inner);
  json.set("num_hidden_layers", c.layers).set("num_attention_heads", c.heads);
  json.set("num_key_value_heads", c.kv_heads).set("head_dim", c.head);
  json.set("hidden_act", activation_name(c.activation)).set("rms_norm_eps", c.eps);
  json.set("attention_bias", c.attention_bias).set("mlp_bias", c.mlp_bias);
  json.set("attention_dropout", c.attn_drop).set("initializer_range", c.init);
  json.set("rope_parameters", write_rope(c.rope)).set("tie_word_embeddings", c.tied);
  // Left out, transformers would take tokens 1 and 2.
  json.set("bos_token_id", Json()).set("eos_token_id", Json());
  if (c.pad >= 0) json.set("pad_token_id", c.pad);
  return std::move(json.set("torch_dtype", "float32"));
}

}  // namespace jogak
