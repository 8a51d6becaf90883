#include "score/chrf.h"

#include <vector>

#include "base/error.h"
#include "base/version.h"
#include "score/bootstrap.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

ChrfCounts counts(const std::string& hypothesis, const std::vector<std::string>& references,
                  bool lowercase = false) {
  const std::vector<std::string_view> views(references.begin(), references.end());
  return chrf_counts(hypothesis, views, lowercase);
}

TEST(Chrf, CountsCharactersAndNotBytesNorSpaces) {
  const ChrfCounts c = counts("가나 다", {"가나\u3000라마"});
  EXPECT_EQ(c.found, (std::array<int64_t, 6>{3, 2, 1, 0, 0, 0}));
  EXPECT_EQ(c.wanted, (std::array<int64_t, 6>{4, 3, 2, 1, 0, 0}));
  EXPECT_EQ(c.matches, (std::array<int64_t, 6>{2, 1, 0, 0, 0, 0}));
}

TEST(Chrf, ByHand) {
  // Of "ab" against "abc": precisions 1, 1; recalls 2/3, 1/2. Three characters were wanted once,
  // but none were found: that order does not count.
  const double p = 1, r = (2.0 / 3 + 1.0 / 2) / 2;
  EXPECT_NEAR(chrf(counts("ab", {"abc"})), 100 * 5 * p * r / (4 * p + r), 1e-9);
  EXPECT_EQ(chrf(counts("abc", {"abc"})), 100);
  EXPECT_EQ(chrf(counts("abc", {"xyz"})), 0);
  EXPECT_EQ(chrf(counts("", {"abc"})), 0);
  EXPECT_EQ(chrf(counts("", {""})), 0);
  EXPECT_EQ(chrf(counts("ABC", {"abc"})), 0);
  EXPECT_EQ(chrf(counts("ABC", {"abc"}, true)), 100);
}

// A reference too short for an order takes the hypothesis out of it as well.
TEST(Chrf, AShortReferenceLeavesHighOrdersOut) {
  const ChrfCounts c = counts("abcdef", {"ab"});
  EXPECT_EQ(c.found, (std::array<int64_t, 6>{6, 5, 0, 0, 0, 0}));
  EXPECT_EQ(c.wanted, (std::array<int64_t, 6>{2, 1, 0, 0, 0, 0}));
}

TEST(Chrf, TheBestReferenceCounts) {
  const ChrfCounts best = counts("hello there", {"goodbye", "hello here", "help me"});
  EXPECT_EQ(best.wanted[0], 9);
  EXPECT_EQ(counts("abc", {"abd", "abe"}).matches, counts("abc", {"abd"}).matches);
  error_of<Error>([] { counts("a", {}); });
}

TEST(Chrf, LinesAddUpAndSignatures) {
  ChrfCounts sum = counts("ab", {"ab"});
  sum += counts("c", {"d"});
  EXPECT_EQ(sum.found[0], 3);
  EXPECT_EQ(sum.matches[1], 1);
  EXPECT_EQ(chrf_signature(false, 1, {}),
            "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:jogak-" + std::string(kVersion));
  EXPECT_EQ(chrf_signature(true, 2, {.resamples = 10}),
            "nrefs:2|bs:10|seed:12345|case:lc|eff:yes|nc:6|nw:0|space:no|version:jogak-" +
                std::string(kVersion));
}

}  // namespace
}  // namespace jogak
