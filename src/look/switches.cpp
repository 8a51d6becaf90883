#include "look/switches.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>

#include "base/error.h"
#include "base/suggest.h"
#include "base/terminal.h"
#include "ops/attention.h"

namespace jogak {
namespace {

using What = Switch::What;

constexpr std::string_view kNames[] = {"head",  "residual", "norm", "ffn",   "attention",
                                       "layer", "cross",    "mask", "scale", "positions"};

What what_of(std::string_view name, std::string_view text) {
  for (size_t i = 0; i < std::size(kNames); ++i)
    if (name == kNames[i]) return static_cast<What>(i);
  const std::vector<std::string> known(std::begin(kNames), std::end(kNames));
  fail<UsageError>("found ", quoted(text), ", wanted one of head:L.H, residual:L, norm:L, ffn:L, ",
                   "attention:L, layer:L, cross:L, mask, scale, positions",
                   did_you_mean(name, known));
}

int64_t number_of(std::string_view digits, std::string_view text) {
  int64_t value = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  ensure<UsageError>(error == std::errc() && end == digits.data() + digits.size() && value >= 0,
                     quoted(text), ": found ", quoted(digits),
                     ", wanted the number of a layer, or of a layer and a head, as in head:0.1");
  return value;
}

// "encoder.3.2", "3.2", "3", "encoder"
void read_place(std::string_view place, Switch& out) {
  out.side = Switch::Side::target;
  for (const auto& [word, side] :
       {std::pair{"encoder", Switch::Side::source}, std::pair{"decoder", Switch::Side::target}}) {
    if (!place.starts_with(word)) continue;
    out.side = side;
    place.remove_prefix(std::string_view(word).size());
    if (place.empty()) return;
    ensure<UsageError>(place[0] == '.', quoted(out.text), ": wanted a dot after ", word);
    place.remove_prefix(1);
  }
  const size_t dot = place.find('.');
  out.layer = number_of(place.substr(0, dot), out.text);
  if (dot == std::string_view::npos) return;
  ensure<UsageError>(out.what == What::head || out.what == What::cross, quoted(out.text),
                     ": only heads have a number within their layer");
  out.head = number_of(place.substr(dot + 1), out.text);
}

Switch parse_switch(std::string_view text) {
  Switch out;
  out.text = text;
  const size_t colon = text.find(':');
  out.what = what_of(text.substr(0, colon), text);
  if (colon == std::string_view::npos) {
    ensure<UsageError>(out.what != What::head, "found ", quoted(text),
                       ", wanted a layer and a head, as in head:0.1");
    return out;
  }
  read_place(text.substr(colon + 1), out);
  return out;
}

Part part_of(const Switch& s) {
  switch (s.what) {
    case What::head:
    case What::mask:
    case What::scale: return Part::heads;
    case What::residual: return Part::skip;
    case What::norm: return Part::norm;
    case What::ffn: return Part::ffn;
    case What::attention: return Part::attention;
    case What::layer: return Part::layer;
    case What::cross: return s.head >= 0 ? Part::cross_heads : Part::cross;
    case What::positions: break;
  }
  return Part::positions;
}

}  // namespace

bool Switch::holds(const ProbeStep& step) const {
  if (step.part != part_of(*this) || (layer >= 0 && step.layer != layer)) return false;
  return side == Side::any || (side == Side::source) == step.source;
}

std::vector<Switch> parse_switches(std::string_view list) {
  std::vector<Switch> out;
  for (size_t at = 0; at <= list.size();) {
    const size_t end = std::min(list.find(',', at), list.size());
    out.push_back(parse_switch(list.substr(at, end - at)));
    at = end + 1;
  }
  return out;
}

}  // namespace jogak
