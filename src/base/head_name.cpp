#include "base/head_name.h"

#include <cmath>

#include "base/error.h"
#include "base/format.h"

namespace jogak {

std::string_view head_name(const HeadMeasures& h) {
  constexpr double kHalf = 0.5, kFewBits = 1, kEvenShare = 0.9;
  const std::pair<double, std::string_view> habits[] = {
      {h.previous, "previous"}, {h.next, "next"}, {h.first, "first"},
      {h.itself, "itself"},     {h.same, "same"}, {h.induction, "induction"}};
  double most = 0;
  std::string_view out;
  for (const auto& [share, name] : habits)  // NaN is never more
    if (share >= kHalf && share > most) most = share, out = name;
  if (!out.empty()) return out;
  if (h.near >= kHalf) return "near";
  if (h.entropy <= kFewBits) return "few";
  if (h.entropy >= kEvenShare * h.even) return "even";
  return "spread";
}

Words head_words(std::string_view name) {
  struct Named {
    std::string_view name;
    Words words;
  };
  constexpr Named kNames[] = {
      {"previous", {"앞 토큰", "previous token"}},
      {"next", {"뒤 토큰", "next token"}},
      {"first", {"첫 토큰", "first token"}},
      {"itself", {"자기", "itself"}},
      {"same", {"같은 토큰", "same token"}},
      {"induction", {"귀납", "induction"}},
      {"near", {"둘레", "near"}},
      {"few", {"한두 곳", "one or two"}},
      {"even", {"고르게", "even"}},
      {"spread", {"흩어짐", "spread"}},
  };
  for (const Named& one : kNames)
    if (one.name == name) return one.words;
  fail<Error>("no head is called ", name);
}

std::string head_text(const HeadMeasures& h, Lang lang) {
  const std::string_view name = head_name(h);
  if (name != "spread") return std::string(head_words(name)(lang));
  const std::string places = fixed(std::exp2(h.entropy), 1), away = fixed(h.distance, 1);
  return lang == Lang::ko ? text_of("토큰 ", places, "개, 거리 ", away)
                          : text_of(places, " tokens, ", away, " away");
}

}  // namespace jogak
