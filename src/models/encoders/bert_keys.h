// Rows of config.json, and sides of a record, that BERT and its kin share. C is a BertConfig.
#pragma once

#include <optional>
#include <vector>

#include "models/encoders/bert.h"
#include "models/family.h"
#include "models/shared_rows.h"

namespace jogak {

template <class C>
ConfigKey<C> encoder_only_rule() {
  return ConfigKey<C>::rule([](const Fields& f, C& c) {
    for (const char* key : {"is_decoder", "add_cross_attention"})
      if (f.flag_or(key, false))
        f.wrong(f.at(key), key, text_of("false: ", c.style.title, " is read as an encoder"));
    constexpr const char* kPositions = "position_embedding_type";
    if (f.text_or(kPositions, "absolute") != "absolute")
      f.wrong(f.at(kPositions), kPositions, "\"absolute\"");
  });
}

// A rate, or null: that of the layers.
template <class C>
ConfigKey<C> classifier_drop_row(const char* name = "classifier_dropout") {
  return ConfigKey<C>::value(
      name, &C::classifier_drop,
      [](const Fields& f, const char* key, std::optional<double>) {
        return f.has(key) ? std::optional(read_rate(f, key, 0)) : std::nullopt;
      },
      [](std::optional<double> rate) { return rate ? Json(*rate) : Json(); });
}

// "pad_token_id": null is none; without a key it is `missing`.
template <class C>
ConfigKey<C> bert_pad_row(int64_t missing) {
  constexpr const char* kKey = "pad_token_id";
  return ConfigKey<C>::together(
      {kKey},
      [missing](const Fields& f, C& c) {
        const bool none = f.json().find(kKey) != nullptr && !f.has(kKey);
        if (none && c.style.places_after_pad)
          f.wrong(*f.json().find(kKey), kKey, "a token's id: positions count from it");
        c.pad = none ? -1 : f.integer_or(kKey, missing, {0, c.vocab - 1});
      },
      [](const C& c, Json& json) { json.set(kKey, c.pad < 0 ? Json() : Json(c.pad)); });
}

// An answer has two ends, whatever else a configuration calls labels.
template <class C>
ConfigKey<C> span_rule() {
  return ConfigKey<C>::rule([](const Fields& f, C& c) {
    if (c.head == BertHead::spans && c.labels.count() != 2)
      f.wrong(place_of(f, f.has("id2label") ? "id2label" : "num_labels"),
              f.has("id2label") ? "id2label" : "num_labels", "2: where an answer begins and ends");
  });
}

inline bool bert_has_labels(const BertConfig& c) {
  return c.head == BertHead::sequence || c.head == BertHead::tokens;
}

// Rows that stand in all their tables: layers,
template <class C>
ConfigTable<C> bert_layer_rows() {
  using K = ConfigKey<C>;
  return {K::size("hidden_size", &C::width),
          K::layers("num_hidden_layers", &C::layers),
          heads_row<C>(),
          K::size("intermediate_size", &C::inner),
          K::activation("hidden_act", &C::activation),
          K::rate("hidden_dropout_prob", &C::dropout),
          K::rate("attention_probs_dropout_prob", &C::attention_drop)};
}

// numbers,
template <class C>
ConfigTable<C> bert_number_rows() {
  using K = ConfigKey<C>;
  return {K::epsilon("layer_norm_eps", &C::eps), K::number("initializer_range", &C::init)};
}

// and heads.
template <class C>
ConfigTable<C> bert_head_rows() {
  using K = ConfigKey<C>;
  return {K::flag("tie_word_embeddings", &C::tied),
          K::labels(&C::labels).written_if(bert_has_labels), span_rule<C>()};
}

// The table of BERT and RoBERTa; `pad` where a configuration names none.
template <class C>
ConfigTable<C> bert_rows(const ConfigWords<BertHead>& classes, int64_t pad) {
  using K = ConfigKey<C>;
  return joined_rows<C>(
      {{encoder_only_rule<C>(), K::head(&C::head, classes), K::size("vocab_size", &C::vocab),
        K::size("max_position_embeddings", &C::context), K::size("type_vocab_size", &C::types)},
       bert_layer_rows<C>(),
       {classifier_drop_row<C>()},
       bert_number_rows<C>(),
       {bert_pad_row<C>(pad)},
       bert_head_rows<C>()});
}

}  // namespace jogak
