#include "data/line_data.h"

#include "base/file.h"
#include "tests/data/files.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

using test::encode_bytes;

constexpr int64_t X = kIgnored;
constexpr int kLineEnd = 10;

LineData lines(const std::vector<std::string>& text, int64_t context = 32) {
  return LineData(text, "lines", encode_bytes,
                  {.separator = "=", .end_id = kLineEnd, .context = context});
}

Batch first_batch(const LineData& data) { return data.eval_batch(0, data.size()); }

TEST(LineData, OnlyTheAnswerAndItsEndCount) {
  const Batch batch = first_batch(lines({"ab=cd", "x=y"}));
  EXPECT_EQ(batch.ids.shape(), (Shape{2, 5}));
  EXPECT_EQ(to_host<int64_t>(batch.ids),
            (std::vector<int64_t>{'a', 'b', '=', 'c', 'd', 'x', '=', 'y', kLineEnd, kLineEnd}));
  EXPECT_EQ(to_host<int64_t>(batch.targets),
            (std::vector<int64_t>{X, X, 'c', 'd', kLineEnd, X, 'y', kLineEnd, X, X}));
  EXPECT_EQ(batch.tokens, 5);
  EXPECT_EQ(batch.ids.dtype(), DType::i64);
}

TEST(LineData, TheFirstSeparatorEndsThePrompt) {
  EXPECT_EQ(to_host<int64_t>(first_batch(lines({"a=b=c"})).targets),
            (std::vector<int64_t>{X, 'b', '=', 'c', kLineEnd}));
  EXPECT_EQ(to_host<int64_t>(first_batch(lines({"=b"})).targets),
            (std::vector<int64_t>{'b', kLineEnd}));
  EXPECT_EQ(to_host<int64_t>(first_batch(lines({"a="})).targets),
            (std::vector<int64_t>{X, kLineEnd}));
}

TEST(LineData, WithoutASeparatorAllCounts) {
  const LineData data({"abc"}, "lines", encode_bytes,
                      {.separator = "", .end_id = kLineEnd, .context = 9});
  EXPECT_EQ(to_host<int64_t>(first_batch(data).targets),
            (std::vector<int64_t>{'b', 'c', kLineEnd}));
  EXPECT_EQ(first_batch(data).tokens, 3);
}

TEST(LineData, PromptAndAnswerAreEncodedApart) {
  std::vector<std::string> asked;
  const Encode encode = [&](std::string_view text) {
    asked.emplace_back(text);
    return std::vector<int>{static_cast<int>(text.size())};
  };
  const LineData data({"left = right"}, "lines", encode, {.end_id = 0, .context = 9});
  EXPECT_EQ(asked, (std::vector<std::string>{"left = ", "right"}));
  EXPECT_EQ(to_host<int64_t>(first_batch(data).ids), (std::vector<int64_t>{7, 5}));
  EXPECT_EQ(to_host<int64_t>(first_batch(data).targets), (std::vector<int64_t>{5, 0}));
}

TEST(LineData, PicksComeInTheirOrderAndAreAsWideAsTheLongest) {
  const LineData data = lines({"a=1", "bbbb=2", "cc=3"});
  EXPECT_EQ(data.size(), 3);
  const Batch batch = data.batch(std::vector<Pick>{{2, 7}, {0, 1}, {2, 0}});
  EXPECT_EQ(batch.ids.shape(), (Shape{3, 4}));
  EXPECT_EQ(to_host<int64_t>(batch.ids), (std::vector<int64_t>{'c', 'c', '=', '3', 'a', '=', '1',
                                                               kLineEnd, 'c', 'c', '=', '3'}));
  EXPECT_EQ(batch.tokens, 6);
  EXPECT_EQ(data.eval_batch(1, 1).ids.dim(1), 6);
  EXPECT_EQ(data.eval_batch(2, INT64_MAX).ids.dim(0), 1);
  EXPECT_EQ(data.eval_batch(0, 2).tokens + data.eval_batch(2, 2).tokens, first_batch(data).tokens);
}

TEST(LineData, LinesTooLongAreCountedAndTold) {
  testing::internal::CaptureStderr();
  const LineData data = lines({"a=1", "", "long=1", "b=2", "longer=1"}, 4);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "jogak: warning: lines: 2 of 4 lines do not fit a context of 4 tokens and are left "
            "out; the first is line 3\n");
  EXPECT_EQ(data.size(), 2);
  EXPECT_EQ(data.too_long(), 2);
  EXPECT_EQ(to_host<int64_t>(first_batch(data).ids),
            (std::vector<int64_t>{'a', '=', '1', 'b', '=', '2'}));
  EXPECT_EQ(lines({"ab=1"}, 4).too_long(), 0);  // exactly as long as the context
}

TEST(LineData, WrongLines) {
  expect_error<FormatError>(
      [] {
        lines({"a=b", "", "no answer"});
      },
      "lines: line 3: found no \"=\", wanted a prompt and an answer around it");
  expect_error<FormatError>([] { lines({"", ""}); }, "lines: found no line to learn from");
  error_of<FormatError>([] { lines({}); });
  testing::internal::CaptureStderr();
  error_of<FormatError>([] { lines({"too=long"}, 2); });
  testing::internal::GetCapturedStderr();
  error_of<Error>([] { lines({"a=b"}, 0); });
  const LineData data = lines({"a=b"});
  error_of<Error>([&] { data.batch({}); });
  error_of<Error>([&] { data.batch(std::vector<Pick>{{1, 0}}); });
  error_of<Error>([&] { data.batch(std::vector<Pick>{{-1, 0}}); });
  error_of<Error>([&] { data.eval_batch(1, 1); });
  error_of<Error>([] {
    LineData({"a = b"}, "l", [](std::string_view) { return std::vector<int>{-1}; }, {.context = 9});
  });
}

TEST(LineData, FromAFile) {
  const TempDir dir;
  const LineOptions options{.end_id = kLineEnd, .context = 32};
  test::write_plain(dir / "f",
                    "\xEF\xBB\xBF"
                    "a = 1\r\n\n가 = 2");
  const LineData data = LineData::from_file(dir / "f", encode_bytes, options);
  EXPECT_EQ(data.size(), 2);
  EXPECT_EQ(to_host<int64_t>(data.eval_batch(0, 1).ids),
            (std::vector<int64_t>{'a', ' ', '=', ' ', '1'}));
  test::write_plain(dir / "f", "a = 1\nb = \xFF\n");
  expect_error<FormatError>(
      [&] { LineData::from_file(dir / "f", encode_bytes, options); },
      dir / "f: line 2 col 5: found a byte that is not UTF-8, wanted UTF-8 text");
  error_of<MissingError>([&] { LineData::from_file(dir / "none", encode_bytes, options); });
}

}  // namespace
}  // namespace jogak
