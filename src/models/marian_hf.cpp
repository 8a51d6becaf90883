// The encoder-decoder as Hugging Face's `marian` directories have it: names, config.json.
#include "models/marian.h"
#include "nn/config_keys.h"

namespace jogak {

const NameMap kMarianNames = {
    .prefix = "model.",
    .outside = {"lm_head.weight", "final_logits_bias"},
    // Positions follow from the configuration; shared tables may stand in a file several times.
    .ignored = {"*.embed_positions.weight", "*.embed_tokens.weight", "lm_head.weight",
                "shared.weight"},
};

namespace {

MarianConfig::Side read_side(const Fields& f, const std::string& side, int64_t width) {
  MarianConfig::Side out;
  out.layers = f.integer_or(side + "_layers", out.layers, {1, 10000});
  out.heads = f.integer_or(side + "_attention_heads", out.heads, kSize);
  out.inner = f.integer_or(side + "_ffn_dim", out.inner, kSize);
  out.layer_drop = read_rate(f, (side + "_layerdrop").c_str(), 0);
  const std::string heads = side + "_attention_heads";
  if (width % out.heads != 0)
    f.wrong(f.has(heads) ? f.at(heads) : f.json(), heads, text_of("a divisor of d_model ", width));
  return out;
}

int64_t read_token(const Fields& f, const char* key, int64_t otherwise, int64_t vocab) {
  if (!f.has(key) && otherwise >= vocab) f.wrong(f.json(), key, "a token's id");
  return f.integer_or(key, otherwise, {0, vocab - 1});
}

// The end token that training puts behind a text; of a list the first.
int64_t read_end(const Fields& f, int64_t vocab) {
  if (!f.has("eos_token_id") || !f.at("eos_token_id").is_array())
    return read_token(f, "eos_token_id", 0, vocab);
  const Json& list = f.at("eos_token_id");
  const bool some = !list.items().empty() && list.items()[0].is_integer();
  const int64_t id = some ? list.items()[0].integer() : -1;
  if (id < 0 || id >= vocab) f.wrong(list, "eos_token_id", text_of("an id from 0 to ", vocab - 1));
  return id;
}

}  // namespace

MarianConfig read_marian_config(const Json& json, const std::string& file) {
  const Fields f(json, file);
  MarianConfig c;
  c.vocab = f.integer_or("vocab_size", c.vocab, kSize);
  c.share_embeddings = f.flag_or("share_encoder_decoder_embeddings", true);
  c.decoder_vocab = f.integer_or("decoder_vocab_size", c.vocab, kSize);
  if (c.share_embeddings && c.decoder_vocab != c.vocab)
    f.wrong(f.at("decoder_vocab_size"), "decoder_vocab_size",
            text_of("vocab_size, ", c.vocab, ", where both sides share their embeddings"));
  // The table of positions is computed, not read: its size must not hang on the file's word alone.
  c.context = f.integer_or("max_position_embeddings", c.context, {1, 1 << 16});
  c.width = f.integer_or("d_model", c.width, kSize);
  c.encoder = read_side(f, "encoder", c.width);
  c.decoder = read_side(f, "decoder", c.width);
  c.dropout = read_rate(f, "dropout", c.dropout);
  c.attention_drop = read_rate(f, "attention_dropout", c.attention_drop);
  c.activation_drop = read_rate(f, "activation_dropout", c.activation_drop);
  c.activation = read_activation(f, "activation_function", "gelu");
  c.scale_embedding = f.flag_or("scale_embedding", false);
  c.tied = f.flag_or("tie_word_embeddings", true);
  c.pad = read_token(f, "pad_token_id", 58100, std::min(c.vocab, c.decoder_vocab));
  c.start = read_token(f, "decoder_start_token_id", 58100, c.decoder_vocab);
  c.end = read_end(f, c.decoder_vocab);
  return c;
}

Json write_marian_config(const MarianConfig& c) {
  Json json = Json::object();
  json.set("architectures", Json::array({"MarianMTModel"}));
  json.set("model_type", "marian").set("is_encoder_decoder", true);
  json.set("vocab_size", c.vocab).set("decoder_vocab_size", c.decoder_vocab);
  json.set("d_model", c.width).set("max_position_embeddings", c.context);
  for (const auto& [name, side] :
       {std::pair<std::string, MarianConfig::Side>{"encoder", c.encoder}, {"decoder", c.decoder}}) {
    json.set(name + "_layers", side.layers).set(name + "_attention_heads", side.heads);
    json.set(name + "_ffn_dim", side.inner).set(name + "_layerdrop", side.layer_drop);
  }
  json.set("activation_function", activation_name(c.activation));
  json.set("dropout", c.dropout).set("attention_dropout", c.attention_drop);
  json.set("activation_dropout", c.activation_drop).set("scale_embedding", c.scale_embedding);
  json.set("share_encoder_decoder_embeddings", c.share_embeddings);
  json.set("tie_word_embeddings", c.tied);
  json.set("pad_token_id", c.pad).set("eos_token_id", c.end).set("forced_eos_token_id", c.end);
  json.set("decoder_start_token_id", c.start);
  return std::move(json.set("torch_dtype", "float32"));
}

}  // namespace jogak
