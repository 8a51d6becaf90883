#include "score/exact_match.h"

#include <vector>

#include "base/error.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

using Lines = std::vector<std::string>;

TEST(ExactMatch, CountsEqualLines) {
  const ExactMatch result =
      exact_match(Lines{"2031-05-09", "a", "b ", "B"}, Lines{"2031-05-09", "a", "b", "b"});
  EXPECT_EQ(result.lines, 4);
  EXPECT_EQ(result.right, 2);
  EXPECT_DOUBLE_EQ(result.score(), 0.5);
}

TEST(ExactMatch, NothingScoresNothing) { EXPECT_EQ(exact_match({}, {}).score(), 0); }

TEST(ExactMatchErrors, AnswersAndLinesMustBeAsMany) {
  expect_error<Error>(
      [] {
        exact_match(Lines{"a"}, Lines{"a", "b"});
      },
      "exact match: found 1 answers, wanted 2");
}

}  // namespace
}  // namespace jogak
