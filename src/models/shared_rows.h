// Rows of config.json that families of several rooms share. C is a family's configuration.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "nn/config_table.h"

namespace jogak {

// Layers' kinds by transformers' names.
inline constexpr const char *kLocalLayer = "sliding_attention", *kFullLayer = "full_attention";

// One table of several, in their order.
template <class C>
ConfigTable<C> joined_rows(std::initializer_list<ConfigTable<C>> parts) {
  ConfigTable<C> out;
  for (const ConfigTable<C>& part : parts) out.insert(out.end(), part.begin(), part.end());
  return out;
}

// A table, and a family's own rows below it.
template <class C>
ConfigTable<C> with_rows(ConfigTable<C> table, ConfigTable<C> own) {
  return joined_rows<C>({std::move(table), std::move(own)});
}

template <class C>
ConfigKey<C> heads_row() {
  return ConfigKey<C>::divisor("num_attention_heads", &C::heads, "hidden_size", &C::width);
}

// Sizes of a model of text, in the order in which they are written.
template <class C>
ConfigTable<C> size_rows(const char* inner = "intermediate_size",
                         ConfigKey<C> heads = heads_row<C>()) {
  using K = ConfigKey<C>;
  return {
      K::size("vocab_size", &C::vocab),           K::size("max_position_embeddings", &C::context),
      K::size("hidden_size", &C::width),          K::size(inner, &C::inner),
      K::layers("num_hidden_layers", &C::layers), std::move(heads)};
}

// A size in the same keys, for presets.
inline std::vector<Json::Member> text_size_with(const char* inner, int layers, int heads, int width,
                                                int context) {
  return {{"num_hidden_layers", layers},
          {"num_attention_heads", heads},
          {"hidden_size", width},
          {inner, 4 * width},
          {"max_position_embeddings", context}};
}

inline std::vector<Json::Member> text_size(int layers, int heads, int width, int context) {
  return text_size_with("intermediate_size", layers, heads, width, context);
}

// Where texts begin and end is the tokenizer's to say. Left out, transformers would take tokens of
// its own.
template <class C>
ConfigTable<C> no_ends_rows() {
  using K = ConfigKey<C>;
  return {K::constant("bos_token_id", Json()), K::constant("eos_token_id", Json())};
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

}  // namespace jogak
