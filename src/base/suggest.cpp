#include "base/suggest.h"

#include <algorithm>

#include "base/utf8.h"

namespace jogak {
namespace {

constexpr size_t kLongestWord = 256;  // nobody mistypes more; keeps the table small

std::u32string characters(std::string_view text) {
  std::u32string out;
  for (size_t at = 0; at < text.size();) {
    const utf8::Decoded next = utf8::decode(text, at);
    out += next.size > 0 ? next.code : utf8::kReplacement;
    at += next.size > 0 ? next.size : 1;
  }
  return out;
}

std::u32string folded(std::string_view text) {
  std::u32string out = characters(text);
  for (char32_t& c : out) {
    if (c >= U'A' && c <= U'Z') c += U'a' - U'A';
    if (c == U'_') c = U'-';
  }
  return out;
}

// Optimal string alignment: row by row, keeping the two rows before for the swaps.
size_t distance(const std::u32string& a, const std::u32string& b) {
  std::vector<size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const bool same = a[i - 1] == b[j - 1];
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + !same});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  const std::u32string typed = folded(word);
  if (typed.empty() || typed.size() > kLongestWord) return "";
  const std::string* best = nullptr;
  size_t best_distance = 0;
  for (const std::string& candidate : candidates) {
    const std::u32string known = folded(candidate);
    if (known.empty() || known.size() > kLongestWord) continue;
    // A third of the longer word may differ: one slip in three letters, three in nine.
    const size_t limit = std::max(typed.size(), known.size()) / 3;
    size_t d = distance(typed, known);
    if (typed.size() >= 3 && known.starts_with(typed)) d = std::min(d, limit);
    if (d > limit || (best && d >= best_distance)) continue;
    best = &candidate;
    best_distance = d;
  }
  return best ? *best : "";
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string known = nearest(word, candidates);
  return known.empty() ? "" : " (did you mean \"" + known + "\"?)";
}

}  // namespace jogak
