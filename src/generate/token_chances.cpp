#include "generate/token_chances.h"

#include <algorithm>
#include <cmath>

namespace jogak {

TokenChances chances_in(std::span<const float> scores, int chosen, size_t best) {
  const float largest = *std::max_element(scores.begin(), scores.end());
  double total = 0;
  for (const float score : scores) total += std::exp(static_cast<double>(score) - largest);
  const double log_total = static_cast<double>(largest) + std::log(total);
  const auto of = [&](int id) {
    return TokenChance{id, static_cast<float>(scores[static_cast<size_t>(id)] - log_total)};
  };
  TokenChances out{.chosen = of(chosen), .known = true};
  std::vector<int> top;  // best first
  const auto better = [&](int a, int b) {
    const float x = scores[static_cast<size_t>(a)], y = scores[static_cast<size_t>(b)];
    return x != y ? x > y : a < b;
  };
  for (int id = 0; best > 0 && id < static_cast<int>(scores.size()); ++id) {
    if (top.size() == best && !better(id, top.back())) continue;
    top.insert(std::upper_bound(top.begin(), top.end(), id, better), id);
    if (top.size() > best) top.pop_back();
  }
  for (const int id : top) out.best.push_back(of(id));
  return out;
}

}  // namespace jogak
