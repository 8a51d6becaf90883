// Rows of config.json that Marian and its kin share, and what a record of theirs begins with.
#pragma once

#include <algorithm>

#include "models/family.h"
#include "models/seq2seq/marian.h"

namespace jogak {

// A member of one side.
inline auto of_side(MarianConfig::Side MarianConfig::*side, auto MarianConfig::Side::*member) {
  return [ side, member ](auto& c) -> auto& { return c.*side.*member; };
}

template <class C>
void read_marian_tokens(const Fields& f, C& c) {
  c.pad = read_token(f, "pad_token_id", c.pad, std::min(c.vocab, c.decoder_vocab));
  c.start = read_token(f, "decoder_start_token_id", c.start, c.decoder_vocab);
  c.end = read_end(f, c.end, c.decoder_vocab);
}

template <class C>
void write_marian_tokens(const C& c, Json& json) {
  json.set("pad_token_id", c.pad).set("eos_token_id", c.end);
  if (c.forces_end) json.set("forced_eos_token_id", c.end);
  json.set("decoder_start_token_id", c.start);
}

// `after`: rows that follow from vocab_size, and others of a family's own.
template <class C>
ConfigTable<C> marian_rows(ConfigTable<C> after) {
  using K = ConfigKey<C>;
  using Side = MarianConfig::Side;
  ConfigTable<C> rows = {K::constant("is_encoder_decoder", true), K::size("vocab_size", &C::vocab)};
  for (K& row : after) rows.push_back(std::move(row));
  const ConfigTable<C> more = {
      K::size("d_model", &C::width).also("hidden_size"),
      // A table of positions may be computed, not read: its size must not hang on the file's word.
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
      K::flag("tie_word_embeddings", &C::tied),
      K::together({"pad_token_id", "eos_token_id", "forced_eos_token_id", "decoder_start_token_id"},
                  read_marian_tokens<C>, write_marian_tokens<C>),
  };
  rows.insert(rows.end(), more.begin(), more.end());
  return rows;
}

// Of kin: one vocabulary, and never a decoder by itself.
template <class C>
ConfigTable<C> marian_kin_rows() {
  using K = ConfigKey<C>;
  return marian_rows<C>({K::rule([](const Fields& f, C& c) {
    c.decoder_vocab = c.vocab;
    if (f.flag_or("is_decoder", false))
      f.wrong(f.at("is_decoder"), "is_decoder", "false: encoder and decoder together");
  })});
}

// Layers, heads, width and inner width of both sides.
inline std::vector<Json::Member> marian_size(int layers, int heads, int width, int inner) {
  return {{"encoder_layers", layers},
          {"decoder_layers", layers},
          {"encoder_attention_heads", heads},
          {"decoder_attention_heads", heads},
          {"d_model", width},
          {"encoder_ffn_dim", inner},
          {"decoder_ffn_dim", inner},
          {"max_position_embeddings", 512}};
}

inline Family marian_kin_record(const char* model_type, const char* architecture) {
  return {.name = model_type,
          .model_type = model_type,
          .architecture = architecture,
          // Shared tables stand in a file once more, and in older ones positions that are computed.
          .names = {.prefix = "model.",
                    .outside = {"lm_head.weight", "final_logits_bias"},
                    .ignored = {"*.embed_positions.weights", "*.embed_tokens.weight",
                                "lm_head.weight", "shared.weight"}},
          .presets = {{"tiny", marian_size(2, 2, 64, 256)},
                      {"small", marian_size(4, 4, 128, 256)},
                      {"base", marian_size(6, 12, 768, 3072)}},
          .lora_targets = {"q_proj", "v_proj"},
          .starts_with_end = true};
}

}  // namespace jogak
