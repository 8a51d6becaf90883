// Rows of config.json that forecasters share. C has `scaling`, `patch` and `context`.
#pragma once

#include <string>

#include "models/family.h"
#include "models/series/series_parts.h"
#include "models/shared_rows.h"

namespace jogak {

// What transformers can do and a forecaster here cannot: named, not guessed.
template <class C>
ConfigKey<C> point_forecasts_only(const std::string& architecture) {
  return ConfigKey<C>::rule([architecture](const Fields& f, C&) {
    if (f.has("architectures") && !f.list("architectures").empty()) {
      const Json& first = f.list("architectures")[0];
      if (!first.is_string() || first.text() != architecture)
        f.wrong(first, "architectures", architecture);
    }
    if (!f.has("loss") ? f.json().find("loss") != nullptr : f.text("loss") != "mse")
      f.wrong(*f.json().find("loss"), "loss",
              "\"mse\": heads that give a distribution are not read");
    if (f.integer_or("scaling_dim", 1, {-3, 2}) != 1)
      f.wrong(f.at("scaling_dim"), "scaling_dim", "1: series are scaled along time");
  });
}

// The window and its patches; `more` stands before what must fit.
template <class C>
ConfigTable<C> window_rows(ConfigTable<C> more = {}) {
  using K = ConfigKey<C>;
  ConfigTable<C> rows = {K::constant("loss", "mse"),
                         K::size("num_input_channels", &C::series, {1, 1 << 16}),
                         K::size("context_length", &C::context),
                         K::size("prediction_length", &C::horizon),
                         K::size("patch_length", &C::patch),
                         K::size("patch_stride", &C::stride)};
  rows.insert(rows.end(), more.begin(), more.end());
  rows.push_back(K::rule([](const Fields& f, C& c) {
    if (c.patch >= c.context)
      f.wrong(place_of(f, "patch_length"), "patch_length",
              text_of("less than context_length ", c.context));
  }));
  return rows;
}

// "positional_encoding_type".
inline const ConfigWords<SeriesPositions>& series_position_words() {
  static const ConfigWords<SeriesPositions> words = {{SeriesPositions::sincos, "sincos"},
                                                     {SeriesPositions::learned, "random"}};
  return words;
}

// The rows, and below them those of scaling. "scaling" may be true, which each family reads in its
// own way; false is none.
template <class C>
ConfigTable<C> with_scaling(ConfigTable<C> rows, SeriesScaling when_true) {
  using K = ConfigKey<C>;
  static const ConfigWords<SeriesScaling> words = {{SeriesScaling::deviation, "std"},
                                                   {SeriesScaling::mean, "mean"},
                                                   {SeriesScaling::none, nullptr}};
  K kind = K::word(
      "scaling", [](auto& c) -> auto& { return c.scaling.kind; }, words);
  kind.read = [read = kind.read, when_true](const Fields& f, const char* key, C& c) {
    if (!f.has(key) || !f.at(key).is_bool()) return read(f, key, c);
    c.scaling.kind = f.at(key).boolean() ? when_true : SeriesScaling::none;
  };
  const auto usual = [](const C& c) {
    return c.scaling.kind == SeriesScaling::mean ? 1e-10 : 1e-5;
  };
  const auto read_scale = [](const Fields& f, const char* key, double otherwise) {
    const double out = f.number_or(key, otherwise);
    if (out < 0) f.wrong(f.at(key), key, "0 or more");
    return out;
  };
  const auto as_it_is = [](double x) { return Json(x); };
  const ConfigTable<C> more = {
      kind,
      K::value(
          "minimum_scale", [](auto& c) -> auto& { return c.scaling.minimum; }, read_scale, as_it_is)
          .otherwise([usual](C& c) { c.scaling.minimum = usual(c); })
          .written_if([usual](const C& c) {
            return c.scaling.kind != SeriesScaling::none && c.scaling.minimum != usual(c);
          }),
      K::value(
          "default_scale", [](auto& c) -> auto& { return c.scaling.otherwise; }, read_scale,
          as_it_is)
          .written_if([](const C& c) { return c.scaling.otherwise > 0; })};
  rows.insert(rows.end(), more.begin(), more.end());
  return rows;
}

}  // namespace jogak
