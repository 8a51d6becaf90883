// Rows of config.json that decoders after LLaMA share. C is a RotaryDecoderConfig.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "models/decoders/rotary_decoder.h"
#include "models/family.h"
#include "models/shared_rows.h"

namespace jogak {

// "num_key_value_heads": null stands for one for each query head; `missing`, if any, for no key.
template <class C>
ConfigKey<C> kv_heads_row(int64_t missing = 0) {
  constexpr const char* kKey = "num_key_value_heads";
  auto out = ConfigKey<C>::divisor(kKey, &C::kv_heads, "num_attention_heads", &C::heads);
  out.start = [](C& c) { c.kv_heads = c.heads; };
  out.read = [missing, read = out.read](const Fields& f, const char* key, C& c) {
    if (missing > 0 && !f.json().find(key)) c.kv_heads = missing;
    read(f, key, c);
  };
  return out;
}

// "head_dim": `missing`, if any, where there is none; else width / heads. What rotates is even.
template <class C>
ConfigKey<C> head_row(int64_t missing = 0) {
  auto out = ConfigKey<C>::size("head_dim", &C::head, {1, 1 << 16});
  out.start = [missing](C& c) { c.head = missing > 0 ? missing : c.width / c.heads; };
  return out;
}

template <class C>
ConfigKey<C> even_head_rule() {
  return ConfigKey<C>::rule([](const Fields& f, C& c) {
    if (c.rope.width(c.head) % 2 != 0 || c.rope.width(c.head) == 0)
      f.wrong(place_of(f, "head_dim"), "head_dim",
              "an even number: elements of a head turn in pairs");
  });
}

// "attention_bias" is of all four projections.
template <class C>
ConfigKey<C> attention_bias_row() {
  auto out = ConfigKey<C>::flag("attention_bias", &C::qkv_bias);
  out.read = [read = out.read](const Fields& f, const char* key, C& c) {
    read(f, key, c);
    c.out_bias = c.qkv_bias;
  };
  return out;
}

// A window's key: null is none; `missing` where there is no key.
template <class C>
void read_window(const Fields& f, C& c, int64_t missing) {
  constexpr const char* kKey = "sliding_window";
  c.window = f.json().find(kKey) ? 0 : missing;
  if (f.has(kKey)) c.window = f.integer(kKey, kSize);
}

template <class C>
void write_window(const C& c, Json& json) {
  json.set("sliding_window", c.window > 0 ? Json(c.window) : Json());
}

// Sizes, in the order in which they are written.
struct RotarySizes {
  int64_t kv_heads = 0, head = 0;  // where the configuration has none; 0: see above
  const char* activation = "hidden_act";
};

template <class C>
ConfigTable<C> rotary_rows(RotarySizes usual = {}) {
  using K = ConfigKey<C>;
  auto heads = usual.head > 0 ? K::size("num_attention_heads", &C::heads) : heads_row<C>();
  return joined_rows<C>(
      {size_rows<C>("intermediate_size", std::move(heads)),
       {kv_heads_row<C>(usual.kv_heads), head_row<C>(usual.head),
        K::activation(usual.activation, &C::activation), K::epsilon("rms_norm_eps", &C::eps),
        K::rate("attention_dropout", &C::attn_drop), K::number("initializer_range", &C::init),
        K::flag("tie_word_embeddings", &C::tied)},
       no_ends_rows<C>()});
}

struct RotarySize {
  int layers, heads, kv_heads, width, inner, context;
};

inline std::vector<Json::Member> rotary_size(RotarySize s) {
  return {{"num_hidden_layers", s.layers},     {"num_attention_heads", s.heads},
          {"num_key_value_heads", s.kv_heads}, {"hidden_size", s.width},
          {"intermediate_size", s.inner},      {"max_position_embeddings", s.context}};
}

// What the record of each of them has in common.
inline Family rotary_record(const char* type, const char* architecture,
                            std::vector<Json::Member> more = {}) {
  const auto preset = [&](RotarySize size) {
    auto out = rotary_size(size);
    out.insert(out.end(), more.begin(), more.end());
    return out;
  };
  return {.name = type,
          .model_type = type,
          .architecture = architecture,
          // Frequencies follow from the configuration; a tied head may stand in a file once more.
          .names = {.prefix = "model.",
                    .outside = {"lm_head.weight"},
                    .ignored = {"*.rotary_emb.inv_freq", "rotary_emb.inv_freq", "lm_head.weight"}},
          .presets = {{"tiny", preset({2, 2, 1, 64, 176, 128})},
                      {"small", preset({4, 4, 2, 128, 352, 256})},
                      {"base", preset({12, 12, 4, 768, 2048, 1024})}},
          .lora_targets = {"q_proj", "v_proj"}};
}

}  // namespace jogak
