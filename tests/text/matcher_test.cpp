#include "text/matcher.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace jogak::text {
namespace {

std::vector<Matcher::Hit> slow_find(const std::vector<std::string>& patterns,
                                    const std::string& text) {
  std::vector<Matcher::Hit> hits;
  for (size_t at = 0; at < text.size();) {
    int best = -1;
    for (size_t p = 0; p < patterns.size(); ++p)
      if (text.compare(at, patterns[p].size(), patterns[p]) == 0 &&
          (best < 0 || patterns[p].size() > patterns[best].size()))
        best = static_cast<int>(p);
    if (best < 0) {
      ++at;
      continue;
    }
    hits.push_back({at, at + patterns[best].size(), best});
    at += patterns[best].size();
  }
  return hits;
}

std::string random_text(Rng& rng, size_t size, int letters) {
  std::string out(size, 'a');
  for (char& c : out) c = static_cast<char>('a' + rng.below(letters));
  return out;
}

TEST(Matcher, FindsTheLongestOfTheLeftmost) {
  Rng rng(2);
  for (int round = 0; round < 500; ++round) {
    const int letters = 1 + static_cast<int>(rng.below(3));
    std::vector<std::string> patterns;
    Matcher matcher;
    for (uint64_t i = 0, count = 1 + rng.below(8); i < count; ++i) {
      patterns.push_back(random_text(rng, 1 + rng.below(6), letters));
      matcher.add(patterns.back());
    }
    matcher.finish();
    const std::string text = random_text(rng, rng.below(60), letters);
    const auto got = matcher.find(text), wanted = slow_find(patterns, text);
    ASSERT_EQ(got.size(), wanted.size()) << text;
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(got[i].from, wanted[i].from) << text;
      EXPECT_EQ(got[i].to, wanted[i].to) << text;
    }
  }
}

TEST(Matcher, WithoutPatternsIsEmpty) {
  Matcher matcher;
  matcher.finish();
  EXPECT_TRUE(matcher.empty());
  EXPECT_TRUE(matcher.find("text").empty());
}

// A trie walked anew from every place would need 10^11 steps here.
TEST(Matcher, LongPatternsInLongRuns) {
  Matcher matcher;
  matcher.add(std::string(300'000, 'a') + "b");
  matcher.add("b" + std::string(300'000, 'a'));
  matcher.finish();
  EXPECT_TRUE(matcher.find(std::string(600'000, 'a')).empty());
}

}  // namespace
}  // namespace jogak::text
