#include "score/ngrams.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "score/bleu.h"
#include "score/chrf.h"

namespace jogak {
namespace {

using Counted = std::map<std::array<uint32_t, 3>, int64_t>;

// More symbols than are counted at once, with n-grams that come again in every piece.
TEST(Grams, OfALongLineAreCountedInPartsThatAddUp) {
  std::mt19937 random(7);
  std::vector<uint32_t> symbols(kGramsAtOnce * 5 / 4);
  for (uint32_t& symbol : symbols) symbol = 1 + random() % 40;
  Counted wanted, found;
  for (size_t i = 0; i + 2 <= symbols.size(); ++i) ++wanted[{symbols[i], symbols[i + 1], 0}];
  const size_t parts = gram_parts(symbols.size());
  EXPECT_EQ(parts, 2u);
  for (size_t part = 0; part < parts; ++part) {
    const auto some = count_grams<3>(symbols, 2, {part, parts});
    EXPECT_GT(some.size(), 600u) << "of 1,600: about half";
    for (size_t i = 0; i < some.size(); ++i) {
      EXPECT_TRUE(i == 0 || some[i - 1].gram < some[i].gram) << i;
      EXPECT_TRUE(found.emplace(some[i].gram, some[i].count).second) << "in one part alone";
    }
  }
  EXPECT_TRUE(found == wanted);
  Counted whole;
  for (const auto& one : count_grams<3>(symbols, 2)) whole.emplace(one.gram, one.count);
  EXPECT_TRUE(whole == wanted);
}

TEST(Grams, OfALongLineGiveTheScoresOfAnyOther) {
  constexpr int64_t kWords = static_cast<int64_t>(kGramsAtOnce) + 3;
  std::string line;
  for (int64_t i = 0; i < kWords; ++i) line += i % 2 == 0 ? "ab " : "c ";
  const std::string half = line.substr(0, line.size() / 10 * 5);
  const std::string_view references[] = {half};
  const BleuCounts words = bleu_counts(line, references, {});
  EXPECT_EQ(words.totals, (std::array<int64_t, 4>{kWords, kWords - 1, kWords - 2, kWords - 3}));
  for (size_t n = 0; n < 4; ++n)
    EXPECT_EQ(words.matches[n], words.reference_length - static_cast<int64_t>(n));
  const ChrfCounts letters = chrf_counts(line, references, false);
  for (size_t n = 0; n < kChrfOrder; ++n) EXPECT_EQ(letters.matches[n], letters.wanted[n]);
}

}  // namespace
}  // namespace jogak
