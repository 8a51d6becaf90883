// Rows of config.json that decoders after LLaMA share. C is a RotaryDecoderConfig.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "models/decoders/rotary_decoder.h"
#include "models/family.h"

namespace jogak {

// Layers' kinds by transformers' names.
inline constexpr const char *kLocalLayer = "sliding_attention", *kFullLayer = "full_attention";

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

// "pad_token_id": null is none; -1 is the last row, as PyTorch counts. `missing`: where there is no
// key.
template <class C>
ConfigKey<C> pad_row(int64_t missing = -1) {
  constexpr const char* kKey = "pad_token_id";
  return ConfigKey<C>::together(
      {kKey},
      [missing](const Fields& f, C& c) {
        c.pad = f.json().find(kKey) ? -1 : missing;
        if (f.has(kKey)) {
          const int64_t id = f.integer(kKey, {-c.vocab, c.vocab - 1});
          c.pad = id < 0 ? c.vocab + id : id;
        }
        if (c.pad >= c.vocab)
          f.wrong(f.json(), kKey,
                  text_of("a token's id or null; without it ", missing, " is meant"));
      },
      [missing](const C& c, Json& json) {
        if (c.pad >= 0 || missing >= 0) json.set(kKey, c.pad >= 0 ? Json(c.pad) : Json());
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

// "layer_types", or what usual(c, layer) says: whether it is local.
template <class C, class Usual>
void read_layer_types(const Fields& f, C& c, Usual usual) {
  constexpr const char* kKey = "layer_types";
  c.kinds.resize(static_cast<size_t>(c.layers));
  for (int64_t i = 0; i < c.layers; ++i)
    c.kinds[static_cast<size_t>(i)].local = c.window > 0 && usual(c, i);
  if (!f.has(kKey)) return;
  const std::vector<Json>& types = f.list(kKey);
  if (static_cast<int64_t>(types.size()) != c.layers)
    f.wrong(f.at(kKey), kKey, text_of("a kind for each of ", c.layers, " layers"));
  for (size_t i = 0; i < types.size(); ++i) {
    const bool local = types[i].is_string() && types[i].text() == kLocalLayer;
    if (!local && !(types[i].is_string() && types[i].text() == kFullLayer))
      f.wrong(types[i], kKey, text_of("\"", kFullLayer, "\" or \"", kLocalLayer, "\""));
    if (local && c.window == 0)
      f.wrong(types[i], kKey, text_of("\"", kFullLayer, "\": there is no sliding_window"));
    c.kinds[i].local = local;
  }
}

template <class C>
void write_layer_types(const C& c, Json& json) {
  std::vector<Json> types;
  for (int64_t i = 0; i < c.layers; ++i)
    types.emplace_back(c.kind(i).local ? kLocalLayer : kFullLayer);
  json.set("layer_types", Json::array(std::move(types)));
}

// Sizes, in the order in which they are written.
struct RotarySizes {
  int64_t kv_heads = 0, head = 0;  // where the configuration has none; 0: see above
  const char* activation = "hidden_act";
};

template <class C>
ConfigTable<C> rotary_rows(RotarySizes usual = {}) {
  using K = ConfigKey<C>;
  auto heads = usual.head > 0
                   ? K::size("num_attention_heads", &C::heads)
                   : K::divisor("num_attention_heads", &C::heads, "hidden_size", &C::width);
  return {K::size("vocab_size", &C::vocab), K::size("max_position_embeddings", &C::context),
          K::size("hidden_size", &C::width), K::size("intermediate_size", &C::inner),
          K::layers("num_hidden_layers", &C::layers), std::move(heads),
          kv_heads_row<C>(usual.kv_heads), head_row<C>(usual.head),
          K::activation(usual.activation, &C::activation), K::epsilon("rms_norm_eps", &C::eps),
          K::rate("attention_dropout", &C::attn_drop), K::number("initializer_range", &C::init),
          K::flag("tie_word_embeddings", &C::tied),
          // Left out, transformers would take tokens of its own.
          K::constant("bos_token_id", Json()), K::constant("eos_token_id", Json())};
}

// Those, and a family's own below them.
template <class C>
ConfigTable<C> with_rows(ConfigTable<C> table, ConfigTable<C> own) {
  table.insert(table.end(), own.begin(), own.end());
  return table;
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
