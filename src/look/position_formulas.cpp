#include "look/position_formulas.h"

#include <cmath>

#include "nn/positions.h"
#include "nn/rope.h"
#include "ops/alibi.h"

namespace jogak {

PositionTable position_formula(const PositionFormula& f) {
  ensure<UsageError>(f.length >= 2 && f.length <= 512, "length: wanted 2 to 512");
  ensure<UsageError>(f.width >= 2 && f.width <= 1024 && f.width % 2 == 0,
                     "width: wanted an even number from 2 to 1024");
  ensure<UsageError>(f.heads >= 1 && f.heads <= 64, "heads: wanted 1 to 64");
  ensure<UsageError>(f.theta >= 2 && f.theta <= 1e9, "theta: wanted 2 to 1e9");
  PositionTable out{PositionTable::Kind::added, f.kind, {}};
  if (f.kind == "sinusoidal") {
    out.values = Matrix(f.length, f.width);
    out.values.values = to_host<double>(sinusoids(f.length, f.width, SinusoidLayout::interleaved));
    return out;
  }
  if (f.kind == "rotary") {
    out.kind = PositionTable::Kind::rotary;
    out.values = Matrix(f.length, f.width);
    const auto turns = rope_frequencies({.theta = f.theta}, f.width, f.length);
    for (int64_t p = 0; p < f.length; ++p)
      for (int64_t i = 0; i < f.width / 2; ++i) {
        const double angle = static_cast<double>(p) * turns[static_cast<size_t>(i)];
        out.values.at(p, i) = std::cos(angle);
        out.values.at(p, f.width / 2 + i) = std::sin(angle);
      }
    return out;
  }
  ensure<UsageError>(f.kind == "alibi", "kind: found \"", f.kind,
                     "\", wanted sinusoidal, rotary or alibi");
  out.kind = PositionTable::Kind::alibi;
  out.values = Matrix(f.heads, f.length);
  const auto slopes = alibi_slopes(f.heads);
  for (int64_t h = 0; h < f.heads; ++h)
    for (int64_t p = 0; p < f.length; ++p)
      out.values.at(h, p) = slopes[static_cast<size_t>(h)] * static_cast<double>(p);
  return out;
}

}  // namespace jogak
