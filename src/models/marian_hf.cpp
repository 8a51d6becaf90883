// The encoder-decoder as Hugging Face's `marian` directories have it: names, config.json.
#include <algorithm>

#include "models/family.h"
#include "models/marian.h"

namespace jogak {
namespace {

// A member of one side.
auto of_side(MarianConfig::Side MarianConfig::*side, auto MarianConfig::Side::*member) {
  return [ side, member ](auto& c) -> auto& { return c.*side.*member; };
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

void read_tokens(const Fields& f, MarianConfig& c) {
  c.pad = read_token(f, "pad_token_id", 58100, std::min(c.vocab, c.decoder_vocab));
  c.start = read_token(f, "decoder_start_token_id", 58100, c.decoder_vocab);
  c.end = read_end(f, c.decoder_vocab);
}

void write_tokens(const MarianConfig& c, Json& json) {
  json.set("pad_token_id", c.pad).set("eos_token_id", c.end).set("forced_eos_token_id", c.end);
  json.set("decoder_start_token_id", c.start);
}

void check_sharing(const Fields& f, MarianConfig& c) {
  if (c.share_embeddings && c.decoder_vocab != c.vocab)
    f.wrong(f.at("decoder_vocab_size"), "decoder_vocab_size",
            text_of("vocab_size, ", c.vocab, ", where both sides share their embeddings"));
}

// A configuration that names no padding has it as the last token, and starts with it.
Json with_tokens(Json config) {
  if (!config.find("vocab_size")) config.set("vocab_size", 8000);
  const Json* const vocab = config.find("vocab_size");
  if (!config.find("pad_token_id") && vocab->is_integer())
    config.set("pad_token_id", vocab->integer() - 1);
  if (!config.find("decoder_start_token_id") && config.find("pad_token_id"))
    config.set("decoder_start_token_id", Json(*config.find("pad_token_id")));
  return config;
}

// The model of 2017: ReLU, embeddings times sqrt(width), everything tied.
std::vector<Json::Member> marian_size(int layers, int heads, int width, int inner) {
  return {{"encoder_layers", layers},
          {"decoder_layers", layers},
          {"encoder_attention_heads", heads},
          {"decoder_attention_heads", heads},
          {"d_model", width},
          {"encoder_ffn_dim", inner},
          {"decoder_ffn_dim", inner},
          {"activation_function", "relu"},
          {"scale_embedding", true},
          {"max_position_embeddings", 512}};
}

}  // namespace

const ConfigTable<MarianConfig>& MarianConfig::table() {
  using C = MarianConfig;
  using K = ConfigKey<C>;
  static const ConfigTable<C> keys = {
      K::constant("is_encoder_decoder", true),
      K::size("vocab_size", &C::vocab),
      K::size("decoder_vocab_size", &C::decoder_vocab).otherwise([](C& c) {
        c.decoder_vocab = c.vocab;
      }),
      K::size("d_model", &C::width).also("hidden_size"),
      // The table of positions is computed, not read: its size must not hang on the file's word.
      K::size("max_position_embeddings", &C::context, {1, 1 << 16}),
      K::layers("encoder_layers", of_side(&C::encoder, &Side::layers)).also("num_hidden_layers"),
      K::divisor("encoder_attention_heads", of_side(&C::encoder, &Side::heads), "d_model",
                 &C::width)
          .also("num_attention_heads"),
      K::size("encoder_ffn_dim", of_side(&C::encoder, &Side::inner)),
      K::rate("encoder_layerdrop", of_side(&C::encoder, &Side::layer_drop)),
      K::layers("decoder_layers", of_side(&C::decoder, &Side::layers)),
      K::divisor("decoder_attention_heads", of_side(&C::decoder, &Side::heads), "d_model",
                 &C::width),
      K::size("decoder_ffn_dim", of_side(&C::decoder, &Side::inner)),
      K::rate("decoder_layerdrop", of_side(&C::decoder, &Side::layer_drop)),
      K::activation("activation_function", &C::activation),
      K::rate("dropout", &C::dropout),
      K::rate("attention_dropout", &C::attention_drop),
      K::rate("activation_dropout", &C::activation_drop),
      K::flag("scale_embedding", &C::scale_embedding),
      K::flag("share_encoder_decoder_embeddings", &C::share_embeddings),
      K::rule(check_sharing),
      K::flag("tie_word_embeddings", &C::tied),
      K::together({"pad_token_id", "eos_token_id", "forced_eos_token_id", "decoder_start_token_id"},
                  read_tokens, write_tokens),
  };
  return keys;
}

ModelOutline MarianConfig::outline() const {
  return {.encoder = {encoder.layers, encoder.heads, encoder.heads, encoder.inner},
          .decoder = {decoder.layers, decoder.heads, decoder.heads, decoder.inner},
          .width = width,
          .head_width = width / decoder.heads,
          .vocab = decoder_vocab,
          .context = context,
          .outputs = decoder_vocab,
          .activation = activation_title(activation)};
}

Family marian_family() {
  Family family = seq2seq_family<Marian>(
      {.name = "seq2seq",
       .model_type = "marian",
       .architecture = "MarianMTModel",
       // Positions follow from the configuration and shared tables from one of them: in a file they
       // may stand once more.
       .names = {.prefix = "model.",
                 .outside = {"lm_head.weight", "final_logits_bias"},
                 .ignored = {"*.embed_positions.weight", "*.embed_tokens.weight", "lm_head.weight",
                             "shared.weight"}},
       .presets = {{"tiny", marian_size(2, 2, 64, 256)},
                   {"small", marian_size(4, 4, 128, 256)},
                   {"base", marian_size(6, 8, 512, 2048)},
                   {"big", marian_size(6, 16, 1024, 4096)}},
       .lora_targets = {"q_proj", "v_proj"}});
  family.complete = [full = family.complete](const Json& config, const std::string& file) {
    return full(with_tokens(Fields(config, file).json()), file);
  };
  return family;
}

}  // namespace jogak
