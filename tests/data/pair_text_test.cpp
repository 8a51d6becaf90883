#include "data/pair_text.h"

#include <filesystem>

#include "base/file.h"
#include "data/line_data.h"
#include "data/make/dates.h"
#include "data/make/sort.h"
#include "tests/data/files.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

using test::write_plain;
using Strings = std::vector<std::string>;

// "ab\ncd\n" by gzip.
constexpr unsigned char kPacked[] = {31, 139, 8,   0, 0, 0,   0,   0,   2,  3, 75, 76, 226,
                                     74, 78,  225, 2, 0, 209, 139, 240, 85, 6, 0,  0,  0};

TEST(PairText, LinesOfTwoFilesBelongTogether) {
  const TempDir dir;
  write_plain(dir / "a", "\xEF\xBB\xBFone\r\n\ntwo \n");
  write_plain(dir / "b", "하나\n\n둘");
  const Pairs pairs = read_pairs(dir / "a", dir / "b");
  EXPECT_EQ(pairs.source, (Strings{"one", "", "two "}));
  EXPECT_EQ(pairs.target, (Strings{"하나", "", "둘"}));
  EXPECT_EQ(pairs.size(), 3u);
  EXPECT_EQ(pairs.name(), dir / "a and " + dir / "b");
  EXPECT_EQ(read_pairs(dir / "a", dir / "a").name(), dir / "a");
}

TEST(PairText, PackedFilesAreReadDirectly) {
  const TempDir dir;
  write_plain(dir / "a.gz", std::string(std::begin(kPacked), std::end(kPacked)));
  write_plain(dir / "b", "x\ny\n");
  const Pairs pairs = read_pairs(dir / "a.gz", dir / "b");
  EXPECT_EQ(pairs.source, (Strings{"ab", "cd"}));
  EXPECT_EQ(pairs.target, (Strings{"x", "y"}));
}

TEST(PairText, DifferentCountsAreToldWithBothFiles) {
  const TempDir dir;
  write_plain(dir / "a", "1\n2\n3\n");
  write_plain(dir / "b", "1\n2\n");
  write_plain(dir / "c", "");
  expect_error<FormatError>(
      [&] { read_pairs(dir / "a", dir / "b"); },
      dir / "a: found 3 lines, and 2 in " + dir / "b" + ", wanted as many in both");
  expect_error<FormatError>(
      [&] { read_pairs(dir / "c", dir / "b"); },
      dir / "c: found 0 lines, and 2 in " + dir / "b" + ", wanted as many in both");
  EXPECT_EQ(read_pairs(dir / "c", dir / "c").size(), 0u);
  error_of<MissingError>([&] { read_pairs(dir / "a", dir / "none"); });
}

TEST(PairText, WhatIsNotUtf8TextIsToldByPlace) {
  const TempDir dir;
  write_plain(dir / "good", "a\nb\nc\n");
  const auto expect_refused = [&](const std::string& bytes, const std::string& message) {
    write_plain(dir / "bad", bytes);
    expect_error<FormatError>([&] { read_pairs(dir / "good", dir / "bad"); },
                              dir / "bad: " + message);
  };
  expect_refused("a\nab\xC3(\nc\n",
                 "line 2 col 3: found a byte that is not UTF-8, wanted UTF-8 text");
  expect_refused("a\nb\n\xED\xA0\x80\n",
                 "line 3 col 1: found a byte that is not UTF-8, wanted UTF-8 text");
  expect_refused("a\nb\nc\xEA\xB0",
                 "line 3 col 2: found a byte that is not UTF-8, wanted UTF-8 text");
  expect_refused(std::string("a\nb\0\nc\n", 7),
                 "line 2 col 2: found a zero byte, wanted UTF-8 text");
  expect_refused(std::string("\xFF\xFE"
                             "a\0\n\0",
                             6),
                 "byte 0: found the byte order mark of UTF-16, wanted UTF-8 text");
  expect_refused(std::string("\xFE\xFF\0a\0\n", 6),
                 "byte 0: found the byte order mark of UTF-16, wanted UTF-8 text");
}

TEST(PairText, MixedLineEndsAreAccepted) {
  const TempDir dir;
  write_plain(dir / "a", "one\r\ntwo\rand a half\nthree\r\r\n");
  EXPECT_EQ(read_lines(dir / "a"), (Strings{"one", "two\rand a half", "three\r"}));
}

TEST(PairText, ALineWithoutEndIsRefusedBeforeItFillsMemory) {
  const TempDir dir;
  write_plain(dir / "fits", "a\n" + std::string(kLongestLine, 'x') + "\n");
  EXPECT_EQ(read_lines(dir / "fits").size(), 2u);
  write_plain(dir / "a", "a\n" + std::string(kLongestLine + 1, 'x'));
  const std::string told = ": found a line of more than 16777216 bytes, wanted text in lines";
  expect_error<FormatError>([&] { read_lines(dir / "a"); }, dir / "a: line 2" + told);
  std::filesystem::resize_file(dir / "a", uint64_t{1} << 36);  // a hole of 64 GiB
  expect_error<FormatError>([&] { read_lines(dir / "a"); }, dir / "a: line 2" + told);
}

TEST(PairText, ColumnsOfATable) {
  const TempDir dir;
  write_plain(dir / "t", "Go.\t가.\tby \"someone\n\nHi.\t\t\r\n=1+2\t'x\t@y\n");
  const Pairs pairs = read_pair_file(dir / "t");
  EXPECT_EQ(pairs.source, (Strings{"Go.", "", "Hi.", "=1+2"}));  // text, never a formula
  EXPECT_EQ(pairs.target, (Strings{"가.", "", "", "'x"}));
  EXPECT_EQ(pairs.name(), dir / "t");
  const Pairs other = read_pair_file(dir / "t", {.source = 1, .target = 2});
  EXPECT_EQ(other.source, (Strings{"가.", "", "", "'x"}));
  EXPECT_EQ(other.target, (Strings{"by \"someone", "", "", "@y"}));
}

TEST(PairText, LinesThatDataMakeWritesAreRead) {
  const TempDir dir;
  write_plain(dir / "t", "\n21-Mar-1981 = 1981-03-21\na = b = c\n\n");
  const Pairs pairs = read_pair_file(dir / "t");
  EXPECT_EQ(pairs.source, (Strings{"", "21-Mar-1981", "a", ""}));
  EXPECT_EQ(pairs.target, (Strings{"", "1981-03-21", "b = c", ""}));
  EXPECT_EQ(pairs.name(), dir / "t");
  write_plain(dir / "t", "x = y\tz\n");  // with a tab it is a table
  EXPECT_EQ(read_pair_file(dir / "t").source, (Strings{"x = y"}));
  write_plain(dir / "t", "a = b\nc\n");
  expect_error<FormatError>(
      [&] { read_pair_file(dir / "t"); },
      dir / "t: line 2: found no \" = \", wanted a text and its translation around it");
}

TEST(PairText, RaggedRowsAreToldByLineAndCounts) {
  const TempDir dir;
  write_plain(dir / "t", "\na\tb\nc\td\te\n");
  expect_error<FormatError>([&] { read_pair_file(dir / "t"); },
                            dir / "t: line 3: found 3 columns between tabs, wanted 2 as in line 2");
  write_plain(dir / "t", "a\tb\nc\n");
  expect_error<FormatError>([&] { read_pair_file(dir / "t"); },
                            dir / "t: line 2: found 1 column between tabs, wanted 2 as in line 1");
  expect_error<FormatError>([&] { read_pair_file(dir / "t", {.source = 0, .target = 4}); },
                            dir / "t: line 1: found 2 columns between tabs, wanted at least 5");
  error_of<UsageError>([&] { read_pair_file(dir / "t", {.source = -1, .target = 0}); });
  write_plain(dir / "wide", std::string(100000, '\t') + "\n");
  EXPECT_EQ(read_pair_file(dir / "wide", {.source = 99999, .target = 100000}).size(), 1u);
}

TEST(PairText, GeneratedLinesBecomePairs) {
  const Pairs dates = pairs_from_lines(make_dates(50, 3, Split::train), "dates");
  const Pairs sorts = pairs_from_lines(make_sort(50, 3, Split::train), "sort");
  ASSERT_EQ(dates.size(), 50u);
  for (const std::string& iso : dates.target) EXPECT_EQ(iso.size(), 10u) << iso;
  for (size_t i = 0; i < 50; ++i) EXPECT_EQ(sorts.source[i].size(), sorts.target[i].size());
  const Pairs pairs = pairs_from_lines({"a = b = c", "", " = x"}, "lines");
  EXPECT_EQ(pairs.source, (Strings{"a", "", ""}));
  EXPECT_EQ(pairs.target, (Strings{"b = c", "", "x"}));
  expect_error<FormatError>(
      [] {
        pairs_from_lines({"a = b", "no translation"}, "lines");
      },
      "lines: line 2: found no \" = \", wanted a text and its translation around it");
  error_of<UsageError>([] { pairs_from_lines({"a"}, "lines", ""); });
}

TEST(PairText, APartOfPairs) {
  const Pairs pairs{{"a", "b", "c"}, {"1", "2", "3"}, "x", "y"};
  const Pairs part = some_pairs(pairs, 1, 3);
  EXPECT_EQ(part.source, (Strings{"b", "c"}));
  EXPECT_EQ(part.target, (Strings{"2", "3"}));
  EXPECT_EQ(part.name(), "x and y");
  EXPECT_EQ(some_pairs(pairs, 2, 2).size(), 0u);
  error_of<Error>([&] { some_pairs(pairs, 2, 4); });
  error_of<Error>([&] { some_pairs(pairs, 2, 1); });
}

}  // namespace
}  // namespace jogak
