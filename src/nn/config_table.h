// A family's config.json as one table: a row says what a key is called, which member it fills and
// what it may hold, and serves reading and writing alike. Rows stand in the order in which they
// are written; what follows from another key stands below it.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "nn/config_keys.h"
#include "nn/labels.h"
#include "nn/rope.h"

namespace jogak {

// What a word of a configuration stands for; a null pointer is null.
template <class Kind>
using ConfigWords = std::vector<std::pair<Kind, const char*>>;

template <class Kind>
const char* word_for(Kind kind, const ConfigWords<Kind>& words) {
  for (const auto& [known, word] : words)
    if (known == kind) return word;
  return nullptr;
}

// One key of a configuration C, or a few that are understood together. `At` is a member, or a
// function that finds one: [](auto& c) -> auto& { return c.encoder.layers; }.
template <class C>
struct ConfigKey {
  using When = std::function<bool(const C&)>;

  std::vector<std::string> names;    // as they are written; the first is read
  std::vector<std::string> aliases;  // read, too: a later one wins
  std::function<void(C&)> start;     // a value to start from that follows from other rows
  std::function<void(const Fields&, const char* key, C&)> read;
  std::function<void(const Fields&, const Json& place, const C&)> check;  // what was read
  std::function<void(const C&, Json&)> write;
  When means, says;

  // Another spelling, for reading.
  ConfigKey also(const char* alias) && {
    aliases.emplace_back(alias);
    return std::move(*this);
  }
  // Where the key is missing: what follows from the rows above.
  ConfigKey otherwise(std::function<void(C&)> from) && {
    start = std::move(from);
    return std::move(*this);
  }
  // Neither read nor written where it means nothing.
  ConfigKey only_if(When when) && {
    means = std::move(when);
    return std::move(*this);
  }
  // Read, and written where it says something.
  ConfigKey written_if(When when) && {
    says = std::move(when);
    return std::move(*this);
  }

  void read_from(const Fields& f, C& c) const {
    if (!read || (means && !means(c))) return;
    if (start) start(c);
    std::string last = names.empty() ? "" : names[0];
    read(f, last.c_str(), c);
    for (const std::string& alias : aliases) {
      read(f, alias.c_str(), c);
      if (f.has(alias)) last = alias;
    }
    if (check) check(f, place_of(f, last), c);
  }
  void write_to(Json& json, const C& c) const {
    if (write && (!means || means(c)) && (!says || says(c))) write(c, json);
  }

  // reader(fields, key, value) gives the value to have, to_json(value) what is written.
  template <class At, class Reader, class ToJson>
  static ConfigKey value(std::string name, At at, Reader reader, ToJson to_json) {
    ConfigKey out = together({name}, nullptr, [name, at, to_json](const C& c, Json& json) {
      json.set(name, to_json(std::invoke(at, c)));
    });
    out.read = [at, reader](const Fields& f, const char* key, C& c) {
      std::invoke(at, c) = reader(f, key, std::invoke(at, c));
    };
    return out;
  }
  template <class At, class Reader>
  static ConfigKey plain(std::string name, At at, Reader reader) {
    return value(name, at, reader, [](const auto& x) { return Json(x); });
  }
  template <class At>
  static ConfigKey size(std::string name, At at, Fields::Range range = kSize) {
    return plain(name, at, [range](const Fields& f, const char* key, int64_t x) {
      return f.integer_or(key, x, range);
    });
  }
  template <class At>
  static ConfigKey layers(std::string name, At at) {
    return size(name, at, {1, 10000});
  }
  // One that divides the number of a row above.
  template <class At, class Of>
  static ConfigKey divisor(std::string name, At at, std::string of_name, Of of) {
    ConfigKey out = size(name, at);
    out.check = [name, at, of_name, of](const Fields& f, const Json& place, const C& c) {
      if (std::invoke(of, c) % std::invoke(at, c) != 0)
        f.wrong(place, name, text_of("a divisor of ", of_name, " ", std::invoke(of, c)));
    };
    return out;
  }
  template <class At>
  static ConfigKey number(std::string name, At at) {
    return plain(name, at,
                 [](const Fields& f, const char* key, double x) { return f.number_or(key, x); });
  }
  template <class At>
  static ConfigKey rate(std::string name, At at) {  // of dropout
    return plain(name, at, read_rate);
  }
  template <class At>
  static ConfigKey epsilon(std::string name, At at) {
    return plain(name, at, read_epsilon);
  }
  template <class At>
  static ConfigKey flag(std::string name, At at) {
    return plain(name, at,
                 [](const Fields& f, const char* key, bool x) { return f.flag_or(key, x); });
  }
  template <class At>
  static ConfigKey activation(std::string name, At at) {
    return value(name, at, read_activation, activation_name);
  }
  template <class At, class Kind>
  static ConfigKey word(std::string name, At at, const ConfigWords<Kind>& words) {
    const auto reader = [words](const Fields& f, const char* key, Kind otherwise) {
      const Json* const found = f.json().find(key);
      if (!found) return otherwise;
      std::string known;
      for (const auto& [kind, text] : words) {
        if (text ? found->is_string() && found->text() == text : found->is_null()) return kind;
        known += (known.empty() ? "" : ", ") + (text ? json_quote(text) : "null");
      }
      f.wrong(*found, key, "one of " + known);
    };
    return value(name, at, reader, [words](Kind kind) {
      const char* const text = word_for(kind, words);
      return text ? Json(text) : Json();
    });
  }
  // "architectures": the class of transformers, which says what head a model has.
  template <class At, class Kind>
  static ConfigKey head(At at, const ConfigWords<Kind>& classes) {
    const auto reader = [classes](const Fields& f, const char* key, Kind otherwise) {
      if (!f.has(key) || f.list(key).empty()) return otherwise;
      const Json& first = f.list(key)[0];
      std::string known;
      for (const auto& [kind, text] : classes) {
        if (first.is_string() && first.text() == text) return kind;
        known += (known.empty() ? "" : ", ") + std::string(text);
      }
      f.wrong(first, key, "one of " + known);
    };
    return value("architectures", at, reader, [classes](Kind kind) {
      const char* const text = word_for(kind, classes);
      return text ? Json::array({text}) : Json::array();
    });
  }
  // `positions`: how many the model has.
  template <class At, class Positions>
  static ConfigKey rope(At at, Positions positions, const RopeUsage& usage = {}) {
    return together(
        {"rope_parameters"},
        [at, positions, usage](const Fields& f, C& c) {
          std::invoke(at, c) = read_rope(f, std::invoke(positions, c), usage);
        },
        [at](const C& c, Json& json) {
          json.set("rope_parameters", write_rope(std::invoke(at, c)));
        });
  }
  template <class At>
  static ConfigKey labels(At at) {
    return together(
        {"id2label", "label2id", "problem_type", "num_labels"},
        [at](const Fields& f, C& c) { std::invoke(at, c) = read_labels(f); },
        [at](const C& c, Json& json) { write_labels(std::invoke(at, c), json); });
  }
  // Written, too, never read.
  template <class At>
  static ConfigKey copy(std::string name, At at) {
    return together({name}, nullptr, [name, at](const C& c, Json& json) {
      json.set(name, Json(std::invoke(at, c)));
    });
  }
  // Always written so, never read.
  static ConfigKey constant(std::string name, Json json) {
    return together({name}, nullptr, [name, json](const C&, Json& to) { to.set(name, json); });
  }
  // What is read, or refused, and never written.
  static ConfigKey rule(std::function<void(const Fields&, C&)> reader) {
    return together({}, std::move(reader), nullptr);
  }
  static ConfigKey together(std::vector<std::string> keys,
                            std::function<void(const Fields&, C&)> reader,
                            std::function<void(const C&, Json&)> writer) {
    ConfigKey out;
    out.names = std::move(keys);
    if (reader)
      out.read = [reader = std::move(reader)](const Fields& f, const char*, C& c) { reader(f, c); };
    out.write = std::move(writer);
    return out;
  }
};

template <class C>
using ConfigTable = std::vector<ConfigKey<C>>;

// C::table() has the rows.
template <class C>
C read_config(const Json& json, const std::string& file) {
  const Fields fields(json, file);
  C c;
  for (const ConfigKey<C>& key : C::table()) key.read_from(fields, c);
  return c;
}

template <class C>
void write_config(const C& c, Json& json) {
  for (const ConfigKey<C>& key : C::table()) key.write_to(json, c);
}

}  // namespace jogak
