// GPT-2 as Hugging Face's directories have it: names, layouts, config.json.
#include "models/gpt2.h"
#include "nn/config_keys.h"

namespace jogak {

const NameMap kGpt2Names = {
    .prefix = "transformer.",
    .outside = {"lm_head.weight"},
    .transposed = {"*.c_attn.weight", "*.c_proj.weight", "*.c_fc.weight"},
    .ignored = {"*.attn.bias", "*.attn.masked_bias"},
};

Gpt2Config read_gpt2_config(const Json& json, const std::string& file) {
  const Fields f(json, file);
  Gpt2Config c;
  c.vocab = f.integer_or("vocab_size", c.vocab, kSize);
  c.context = f.integer_or("n_positions", c.context, kSize);
  c.width = f.integer_or("n_embd", c.width, kSize);
  c.layers = f.integer_or("n_layer", c.layers, {1, 10000});
  c.heads = f.integer_or("n_head", c.heads, kSize);
  c.inner = f.integer_or("n_inner", 4 * c.width, kSize);
  c.eps = read_epsilon(f, "layer_norm_epsilon", c.eps);
  c.embd_drop = read_rate(f, "embd_pdrop", c.embd_drop);
  c.attn_drop = read_rate(f, "attn_pdrop", c.attn_drop);
  c.resid_drop = read_rate(f, "resid_pdrop", c.resid_drop);
  c.init = f.number_or("initializer_range", c.init);
  c.activation = read_activation(f, "activation_function", "gelu_new");
  c.tied = f.flag_or("tie_word_embeddings", true);
  c.scale_attn = f.flag_or("scale_attn_weights", true);
  c.scale_by_layer = f.flag_or("scale_attn_by_inverse_layer_idx", false);
  if (c.width % c.heads != 0)
    f.wrong(f.has("n_head") ? f.at("n_head") : json, "n_head",
            text_of("a divisor of n_embd ", c.width));
  return c;
}

Json write_gpt2_config(const Gpt2Config& c) {
  Json json = Json::object();
  json.set("architectures", Json::array({"GPT2LMHeadModel"}));
  json.set("model_type", "gpt2");
  json.set("vocab_size", c.vocab).set("n_positions", c.context).set("n_ctx", c.context);
  json.set("n_embd", c.width).set("n_layer", c.layers).set("n_head", c.heads);
  json.set("n_inner", c.inner_width()).set("activation_function", activation_name(c.activation));
  json.set("layer_norm_epsilon", c.eps).set("initializer_range", c.init);
  json.set("embd_pdrop", c.embd_drop).set("attn_pdrop", c.attn_drop);
  json.set("resid_pdrop", c.resid_drop).set("tie_word_embeddings", c.tied);
  json.set("scale_attn_weights", c.scale_attn);
  json.set("scale_attn_by_inverse_layer_idx", c.scale_by_layer);
  json.set("torch_dtype", "float32");
  return json;
}

}  // namespace jogak
