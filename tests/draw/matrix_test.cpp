#include "draw/matrix.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/error.h"
#include "base/random.h"

namespace jogak {
namespace {

TEST(ParseMatrix, ReadsBothWritings) {
  const Matrix wanted = {{1, 0, 1}, {0, -1.5, 2e3}};
  for (const char* text : {"1,0,1;0,-1.5,2e3", " 1 , 0 , 1 ; 0, -1.5 ,+2e3 ;", "1 0 1; 0 -1.5 2000",
                           "1 0 1\n0 -1.5 2000\n", "1,0,1\r\n\r\n0,-1.5,2000",
                           "[[1,0,1],[0,-1.5,2e3]]", " [ [1, 0, 1],\n [0, -1.5, 2000] ] "})
    EXPECT_EQ(parse_matrix(text, "q"), wanted) << text;
  EXPECT_EQ(parse_matrix("2,1,0.1", "x"), (Matrix{{2, 1, 0.1}}));
  EXPECT_EQ(parse_matrix("[2,1,0.1]", "x"), (Matrix{{2, 1, 0.1}}));
  EXPECT_EQ(parse_matrix("7", "d"), (Matrix{{7}}));
}

struct Bad {
  std::string text, message;
};

class BadMatrix : public ::testing::TestWithParam<Bad> {};

TEST_P(BadMatrix, IsRefusedInOneLine) {
  try {
    parse_matrix(GetParam().text, "q");
    FAIL() << "accepted";
  } catch (const UsageError& error) {
    EXPECT_EQ(error.what(), GetParam().message);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Look, BadMatrix,
    ::testing::Values(
        Bad{"", "q: found nothing, wanted a matrix such as \"1,0;0,1\""},
        Bad{" \n ", "q: found nothing, wanted a matrix such as \"1,0;0,1\""},
        Bad{"1,2;3", "q: row 2: found 1 number, wanted 2 as in row 1"},
        Bad{"1,2;3,4,5", "q: row 2: found 3 numbers, wanted 2 as in row 1"},
        Bad{"1,x;3,4", "q: row 1, column 2: found \"x\", wanted a number"},
        Bad{"1,2;3,4a", "q: row 2, column 2: found \"4a\", wanted a number"},
        Bad{"1,,2", "q: row 1, column 2: found nothing, wanted a number"},
        Bad{"1,2,", "q: row 1, column 3: found nothing, wanted a number"},
        Bad{";", "q: row 1: found no numbers, wanted some"},
        Bad{"1;;2", "q: row 2: found no numbers, wanted some"},
        Bad{"1,nan", "q: row 1, column 2: found \"nan\", wanted a finite number"},
        Bad{"inf", "q: row 1, column 1: found \"inf\", wanted a finite number"},
        Bad{"1e999", "q: row 1, column 1: found \"1e999\", wanted a number double can hold"},
        Bad{"0x10", "q: row 1, column 1: found \"0x10\", wanted a number"},
        Bad{"2e6", "q: row 1, column 1: found 2e+06, wanted a number from -1000000 to 1000000"},
        Bad{"[[1,2],[3]]", "q: row 2: found 1 number, wanted 2 as in row 1"},
        Bad{"[[1,\"2\"]]", "q: row 1, column 2: found a string, wanted a number"},
        Bad{"[[1,null]]", "q: row 1, column 2: found null, wanted a number"},
        Bad{"[[1,[2]]]", "q: row 1, column 2: found an array, wanted a number"},
        Bad{"[[1],2]", "q: byte 5: found an integer, wanted a row such as [1,0]"},
        Bad{"[]", "q: found 0 rows of 0 numbers, wanted 1 to 64 rows of 1 to 256"},
        Bad{"[[]]", "q: row 1: found no numbers, wanted some"},
        Bad{"[[1,2]", "q: byte 6: found the end of the text, wanted ',' or ']'"},
        Bad{"[NaN]", "q: byte 1: found 'N', wanted a JSON value"}));

TEST(ParseMatrix, HasLimits) {
  const auto message = [](const std::string& text) -> std::string {
    try {
      parse_matrix(text, "q");
      return "accepted";
    } catch (const UsageError& error) {
      return error.what();
    }
  };
  std::string row = "1", column = "1";
  for (int i = 1; i < 256; ++i) row += ",1";
  for (int i = 1; i < 64; ++i) column += ";1";
  EXPECT_EQ(message(row), "accepted");
  EXPECT_EQ(message(column), "accepted");
  EXPECT_EQ(message(row + ",1"), "q: row 1: found more than 256 numbers, wanted at most 256");
  EXPECT_EQ(message(column + ";1"), "q: found more than 64 rows, wanted at most 64");
  EXPECT_EQ(message(std::string(2 << 20, '1')), "q: found 2097152 bytes, wanted at most 1048576");
  EXPECT_EQ(message(std::string(100, 'z')),
            "q: row 1, column 1: found \"" + std::string(40, 'z') + "...\", wanted a number");
}

TEST(ParseMatrix, NeverBreaksOnRandomText) {
  constexpr char kLetters[] = "01.-+e,; \n[]\"naif{}:\xff\xec";
  Rng rng(3);
  int accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (uint64_t size = rng.below(12); text.size() < size;)
      text += kLetters[rng.below(sizeof kLetters - 1)];
    try {
      const Matrix m = parse_matrix(text, "q");
      EXPECT_EQ(m.values.size(), static_cast<size_t>(m.size()));
      ++accepted;
    } catch (const UsageError& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    }
  }
  EXPECT_GT(accepted, 100);
}

TEST(CheckMatrix, HoldsForMatricesMadeInCode) {
  Matrix m = {{1, 2}};
  check_matrix(m, "x");
  m.values[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(check_matrix(m, "x"), UsageError);
  m.values.pop_back();
  EXPECT_THROW(check_matrix(m, "x"), UsageError);
  EXPECT_THROW(check_matrix(Matrix(), "x"), UsageError);
}

TEST(ShapeText, VectorsHaveOneNumber) {
  EXPECT_EQ(shape_text(Matrix(3, 4)), "[3,4]");
  EXPECT_EQ(shape_text(Matrix(1, 4)), "[4]");
}

}  // namespace
}  // namespace jogak
