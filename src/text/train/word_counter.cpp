#include "text/train/word_counter.h"

#include <algorithm>
#include <utility>

#include "base/utf8.h"
#include "text/unicode/code_table.h"
#include "text/unicode/unicode.h"

namespace jogak::text {

void each_normalized(std::span<const std::string_view> texts, const Normalizer* normalizer,
                     bool origins, const char* stage, const TrainReport& report,
                     FunctionRef<void(const AlignedText&)> take) {
  constexpr size_t kBetween = size_t{1} << 16;  // bytes from one report to the next
  const auto total = static_cast<int64_t>(texts.size());
  size_t since = kBetween;
  for (int64_t i = 0; i < total; ++i) {
    const std::string_view text = texts[i];
    const size_t bad = utf8::first_invalid(text);
    ensure<FormatError>(bad == std::string_view::npos, "text ", i, ": byte ", bad,
                        ": found bytes that are not UTF-8, wanted UTF-8 text");
    AlignedText all(text, {0, text.size()}, origins);
    take(normalizer ? normalizer->apply(std::move(all)) : std::move(all));
    since += text.size();
    if (report && (since >= kBetween || i + 1 == total)) {
      report({stage, i + 1, total});
      since = 0;
    }
  }
}

void WordCounter::count(std::span<const std::string_view> texts, const TrainReport& report) {
  each_normalized(texts, normalizer_, splitter_.needs_origins(), "counting words", report,
                  [&](const AlignedText& text) {
                    splitter_.split(whole(text), [&](const Piece& piece) { add(piece); });
                  });
}

void WordCounter::add(const Piece& piece) {
  const std::string_view word = piece.text();
  const auto [number, fresh] = index_.insert(word, [&](uint32_t i) { return words_[i].text; });
  if (fresh) words_.push_back({piece.of->is_changed() ? own_.emplace_back(word) : word, 0});
  ++words_[number].count;
}

std::vector<char32_t> covering_characters(std::span<const CountedWord> words, double share) {
  CodeTable<int64_t> counts;
  std::vector<char32_t> found;
  int64_t total = 0;
  for (const CountedWord& word : words) {
    for (size_t at = 0; at < word.text.size();) {
      const Code next = code_at(word.text.data() + at);
      int64_t& count = counts.at(next.value);
      if (count == 0) found.push_back(next.value);
      count += word.count;
      total += word.count;
      at += static_cast<size_t>(next.size);
    }
  }
  std::sort(found.begin(), found.end(), [&](char32_t a, char32_t b) {
    return counts[a] != counts[b] ? counts[a] > counts[b] : a < b;
  });
  const auto wanted = static_cast<double>(total) * share;
  double covered = 0;
  size_t kept = 0;
  while (kept < found.size() && covered < wanted)
    covered += static_cast<double>(counts[found[kept++]]);
  found.resize(kept);
  return found;
}

}  // namespace jogak::text
