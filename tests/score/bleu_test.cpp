#include "score/bleu.h"

#include <cmath>

#include "base/error.h"
#include "base/version.h"
#include "score/bootstrap.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

using Strings = std::vector<std::string>;

BleuCounts counts(const std::string& hypothesis, const Strings& references,
                  const BleuOptions& options = {}) {
  const std::vector<std::string_view> views(references.begin(), references.end());
  return bleu_counts(hypothesis, views, options);
}

TEST(BleuTokens, MtevalCutsPunctuationButNotNumbers) {
  const auto cut = [](const char* line) { return bleu_tokens(line, BleuTokens::t13a); };
  EXPECT_EQ(cut("Hello, world!"), (Strings{"Hello", ",", "world", "!"}));
  EXPECT_EQ(cut("3.14 or 1,000."), (Strings{"3.14", "or", "1,000", "."}));
  EXPECT_EQ(cut("1999-2001 well-known"), (Strings{"1999", "-", "2001", "well-known"}));
  EXPECT_EQ(cut("it's (a) b/c"), (Strings{"it's", "(", "a", ")", "b", "/", "c"}));
  EXPECT_EQ(cut("a.. .b"), (Strings{"a", ".", ".", ".", "b"}));
  EXPECT_EQ(cut("&quot;x&quot; &amp;lt; &gt;"), (Strings{"\"", "x", "\"", "<", ">"}));
  EXPECT_EQ(cut("a<skipped>b"), (Strings{"ab"}));
  EXPECT_EQ(cut("end-\nof line\nnext"), (Strings{"endof", "line", "next"}));
  EXPECT_EQ(cut("안녕, 세계。😀."), (Strings{"안녕", ",", "세계。😀", "."}));
  EXPECT_EQ(cut(" \t\u3000"), Strings{});
  EXPECT_EQ(cut(""), Strings{});
}

TEST(BleuTokens, CharactersAndWords) {
  EXPECT_EQ(bleu_tokens("가 b\u00a0😀", BleuTokens::characters), (Strings{"가", "b", "😀"}));
  EXPECT_EQ(bleu_tokens("e\u0301", BleuTokens::characters), (Strings{"e", "\u0301"}));
  EXPECT_EQ(bleu_tokens(" a.b\u3000c,\x1C"
                        "d ",
                        BleuTokens::none),
            (Strings{"a.b", "c,", "d"}));
  EXPECT_EQ(parse_bleu_tokens("char"), BleuTokens::characters);
  expect_error<UsageError>([] { parse_bleu_tokens("intl"); },
                           "found the tokenizer \"intl\" for BLEU, wanted 13a, char or none");
}

// Papineni et al.: a word counts as often as one reference has it.
TEST(Bleu, MatchesAreClipped) {
  const BleuCounts c = counts("the the the the the the the",
                              {"The cat is on the mat .", "There is a cat on the mat ."});
  EXPECT_EQ(c.matches, (std::array<int64_t, 4>{1, 0, 0, 0}));
  EXPECT_EQ(c.totals, (std::array<int64_t, 4>{7, 6, 5, 4}));
  const BleuCounts lower =
      counts("the the the the the the the",
             {"The cat is on the mat .", "There is a cat on the mat ."}, {.lowercase = true});
  EXPECT_EQ(lower.matches[0], 2);
}

TEST(Bleu, TheNearestReferenceGivesTheLengthAndTheShorterOfTwo) {
  EXPECT_EQ(counts("a b c d", {"a", "a b c d e f", "a b c"}).reference_length, 3);
  EXPECT_EQ(counts("a b c d", {"a b c d e", "a b c"}).reference_length, 3);
  EXPECT_EQ(counts("a b c d", {"a b c", "a b c d e"}).reference_length, 3);
  EXPECT_EQ(counts("", {"a b", ""}).reference_length, 0);
}

TEST(Bleu, ByHand) {
  // a b c d e f against a b c x e f: 5/6, 3/5, 1/4; the four-grams have none.
  const BleuCounts c = counts("a b c d e f", {"a b c x e f"});
  EXPECT_EQ(c.matches, (std::array<int64_t, 4>{5, 3, 1, 0}));
  const auto score = [&](BleuSmooth smooth, std::optional<double> value = {}) {
    return bleu(c, {.smooth = smooth, .smooth_value = value}).score;
  };
  const double first = 5.0 / 6, second = 3.0 / 5, third = 1.0 / 4;
  const auto mean = [](double a, double b, double x, double y) {
    return 100 * std::pow(a * b * x * y, 0.25);
  };
  EXPECT_NEAR(score(BleuSmooth::exp), mean(first, second, third, 1.0 / 2 / 3), 1e-9);
  EXPECT_NEAR(score(BleuSmooth::floor), mean(first, second, third, 0.1 / 3), 1e-9);
  EXPECT_NEAR(score(BleuSmooth::floor, 0.5), mean(first, second, third, 0.5 / 3), 1e-9);
  EXPECT_NEAR(score(BleuSmooth::add_k), mean(first, 4.0 / 6, 2.0 / 5, 1.0 / 4), 1e-9);
  EXPECT_EQ(score(BleuSmooth::none), 0);
}

TEST(Bleu, ShortIsPunishedAndLongIsNot) {
  BleuCounts c = counts("a b c d e", {"a b c d e f g h i j"});
  EXPECT_NEAR(bleu(c, {}).brevity_penalty, std::exp(-1.0), 1e-12);
  EXPECT_NEAR(bleu(c, {}).score, 100 * std::exp(-1.0), 1e-9);
  c = counts("a b c d e f g h i j", {"a b c d e"});
  EXPECT_EQ(bleu(c, {}).brevity_penalty, 1);
  EXPECT_EQ(bleu(counts("", {"a b"}), {}).score, 0);
  EXPECT_EQ(bleu(counts("", {"a b"}), {}).brevity_penalty, 0);
  EXPECT_EQ(bleu(counts("", {""}), {}).score, 0);
  EXPECT_EQ(bleu(counts("a b c", {"a b c"}), {}).score, 0);  // no four-gram anywhere
  EXPECT_NEAR(bleu(counts("a b c d", {"a b c d"}), {}).score, 100, 1e-9);
}

TEST(Bleu, LinesAddUp) {
  BleuCounts sum = counts("a b", {"a c"});
  sum += counts("x y z", {"x y z w"});
  EXPECT_EQ(sum.length, 5);
  EXPECT_EQ(sum.reference_length, 6);
  EXPECT_EQ(sum.matches, (std::array<int64_t, 4>{4, 2, 1, 0}));
  EXPECT_EQ(sum.totals, (std::array<int64_t, 4>{5, 3, 1, 0}));
}

TEST(Bleu, Signatures) {
  EXPECT_EQ(bleu_signature({}, 1, {}),
            "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:jogak-" + std::string(kVersion));
  EXPECT_EQ(bleu_signature(
                {.tokens = BleuTokens::characters, .smooth = BleuSmooth::floor, .lowercase = true},
                3, {.resamples = 1000, .seed = 5}),
            "nrefs:3|bs:1000|seed:5|case:lc|eff:no|tok:char|smooth:floor[0.10]|version:jogak-" +
                std::string(kVersion));
  EXPECT_EQ(parse_bleu_smooth("add-k"), BleuSmooth::add_k);
  error_of<UsageError>([] { parse_bleu_smooth("x"); });
  error_of<Error>([] { counts("a", {}); });
}

}  // namespace
}  // namespace jogak
