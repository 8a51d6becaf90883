#include "text/models/merges.h"

#include <gtest/gtest.h>

#include <array>

#include "base/random.h"

namespace jogak::text {
namespace {

// The definition: the pair of lowest rank, of those the leftmost, until there is none.
std::vector<int> slow_merge(const MergeTable& table, std::vector<int> ids) {
  while (true) {
    uint32_t best = kNone;
    size_t place = 0;
    for (size_t i = 0; i + 1 < ids.size(); ++i) {
      const uint32_t rank = table.rank(ids[i], ids[i + 1]);
      if (rank < best) best = rank, place = i;
    }
    if (best == kNone) return ids;
    ids[place] = table[best].result;
    ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(place) + 1);
  }
}

std::vector<Token> as_tokens(const std::vector<int>& ids) {
  std::vector<Token> tokens;
  for (const int id : ids) tokens.push_back({id, static_cast<uint32_t>(tokens.size() + 1)});
  return tokens;
}

std::vector<int> ids_of(const std::vector<Token>& tokens) {
  std::vector<int> ids;
  for (const Token& token : tokens) ids.push_back(token.id);
  return ids;
}

// Merges in no order: a pair may rank before the merges that make its parts.
MergeTable random_table(Rng& rng, int letters, int merges) {
  MergeTable table;
  for (int next = letters; next < letters + merges; ++next)
    table.add({static_cast<int>(rng.below(letters + merges)),
               static_cast<int>(rng.below(letters + merges)), next});
  return table;
}

TEST(Merges, AreThoseOfTheDefinition) {
  Rng rng(1);
  for (int round = 0; round < 300; ++round) {
    const int letters = 2 + static_cast<int>(rng.below(3));
    const MergeTable table = random_table(rng, letters, 1 + static_cast<int>(rng.below(40)));
    Merger merger(table);
    for (int word = 0; word < 10; ++word) {
      std::vector<int> ids(rng.below(word % 2 ? 300 : 30));
      for (int& id : ids) id = static_cast<int>(rng.below(letters));
      std::vector<Token> tokens = as_tokens(ids);
      merger.merge(tokens, 0);
      ASSERT_EQ(ids_of(tokens), slow_merge(table, ids)) << "round " << round;
      ASSERT_EQ(tokens.empty() ? 0 : tokens.back().end, ids.size());
    }
  }
}

TEST(Merges, LeaveTokensBeforeTheWordAlone) {
  MergeTable table;
  table.add({0, 0, 1});
  Merger merger(table);
  for (const size_t size : {5, 100}) {
    std::vector<Token> tokens = as_tokens(std::vector<int>(size, 0));
    merger.merge(tokens, 3);
    EXPECT_EQ(tokens.size(), 3 + (size - 3 + 1) / 2);
    EXPECT_EQ(tokens[2].id, 0);
    EXPECT_EQ(tokens[3].end, 5u);
  }
}

TEST(Merges, SecondTableEntryOfAPairIsRefused) {
  MergeTable table;
  EXPECT_TRUE(table.add({0, 1, 2}));
  EXPECT_FALSE(table.add({0, 1, 3}));
  EXPECT_EQ(table.size(), 1u);
}

// Work, not time: twice the word is twice the steps, whatever the word.
TEST(Merges, WorkGrowsWithTheWord) {
  MergeTable doubling;  // a a -> 1, 1 1 -> 2, ..., and 1 a, as runs of one letter have them
  for (int i = 0; i < 12; ++i) doubling.add({i, i, i + 1});
  doubling.add({1, 0, 20});
  Rng rng(7);
  const MergeTable random = random_table(rng, 2, 200);
  const auto steps = [](const MergeTable& table, size_t size, bool mixed) {
    Rng letters(3);
    std::vector<int> ids(size, 0);
    if (mixed)
      for (int& id : ids) id = static_cast<int>(letters.below(2));
    std::vector<Token> tokens = as_tokens(ids);
    Merger merger(table);
    merger.merge(tokens, 0);
    return static_cast<double>(merger.steps());
  };
  for (const bool mixed : {false, true}) {
    for (const MergeTable* table : std::array<const MergeTable*, 2>{&doubling, &random}) {
      const double once = steps(*table, 100'000, mixed), twice = steps(*table, 200'000, mixed);
      EXPECT_LT(twice, 2.05 * once);
      EXPECT_LT(twice, 6.0 * 200'000);
    }
  }
}

}  // namespace
}  // namespace jogak::text
