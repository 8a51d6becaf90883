#include "base/korean/message.h"

#include <optional>
#include <vector>

#include "base/korean/particle.h"

namespace jogak {
namespace {

using Holes = std::vector<std::string_view>;

// Each piece of the pattern where it comes first, the last one at the end.
std::optional<Holes> match(std::string_view pattern, std::string_view text) {
  Holes holes;
  for (size_t at = 0;;) {
    const size_t hole = pattern.find("{}", at);
    const std::string_view piece = pattern.substr(at, hole - at);
    if (hole == std::string_view::npos && !holes.empty()) {  // the last piece
      if (!text.ends_with(piece)) return std::nullopt;
      holes.back() = text.substr(0, text.size() - piece.size());
      return holes;
    }
    if (holes.empty()) {
      if (!text.starts_with(piece)) return std::nullopt;
      text.remove_prefix(piece.size());
      if (hole == std::string_view::npos) return text.empty() ? std::optional(holes) : std::nullopt;
    } else {
      const size_t place = text.find(piece);
      if (place == std::string_view::npos) return std::nullopt;
      holes.back() = text.substr(0, place);
      text.remove_prefix(place + piece.size());
    }
    holes.push_back(text);
    at = hole + 2;
  }
}

// Both forms of a particle, as the tables write them behind a hole.
struct BothForms {
  std::string_view written, one;
};
constexpr BothForms kBothForms[] = {
    {"이(가)", "이"}, {"은(는)", "은"}, {"을(를)", "을"}, {"와(과)", "과"}, {"(으)로", "으로"}};

// What stands behind a hole begins with the form that fits what is in it; both stay where nobody
// knows how that is read aloud.
std::string fitting_particle(const std::string& hole, std::string_view& rest) {
  const size_t quote = rest.starts_with('\'') ? 1 : 0;
  for (const auto& [written, one] : kBothForms)
    if (rest.substr(quote).starts_with(written) && korean::ending_of(hole)) {
      const std::string out = std::string(quote, '\'') + std::string(korean::particle(hole, one));
      rest.remove_prefix(quote + written.size());
      return out;
    }
  return {};
}

std::string filled(std::string_view pattern, const std::vector<std::string>& holes) {
  std::string out;
  while (!pattern.empty()) {
    if (pattern.size() < 3 || pattern[0] != '{' || pattern[2] != '}') {
      out += pattern[0];
      pattern.remove_prefix(1);
      continue;
    }
    const std::string& hole = holes.at(static_cast<size_t>(pattern[1] - '0'));
    pattern.remove_prefix(3);
    out += hole;
    out += fitting_particle(hole, pattern);
  }
  return out;
}

std::string phrase(std::string_view text);

// By the first line of the table that fits; what its holes hold may be phrases again.
std::optional<std::string> by(std::span<const KoreanLine> table, std::string_view text) {
  for (const KoreanLine& line : table) {
    const auto holes = match(line.en, text);
    if (!holes) continue;
    // A sentence may begin with anything but a place.
    if (line.en.starts_with("{}") && holes->front().find(": ") != std::string_view::npos) continue;
    std::vector<std::string> parts;
    for (const std::string_view hole : *holes) parts.push_back(phrase(hole));
    return filled(line.ko, parts);
  }
  return std::nullopt;
}

std::string phrase(std::string_view text) {
  return by(korean_phrases(), text).value_or(std::string(text));
}

}  // namespace

std::string in_korean(std::string_view message) {
  for (const auto table :
       {korean_use_errors(), korean_file_errors(), korean_sentences(), korean_warnings()})
    if (const auto whole = by(table, message)) return *whole;
  const size_t colon = message.find(": ");
  if (colon == std::string_view::npos) return std::string(message);
  const std::string_view place = message.substr(0, colon);
  return by(korean_places(), place).value_or(std::string(place)) + ": " +
         in_korean(message.substr(colon + 2));
}

}  // namespace jogak
