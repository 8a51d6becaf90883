#include "data/window_data.h"

#include <cstdlib>
#include <set>

#include "data/sampler.h"
#include "tests/data/files.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

using test::tokens_of;

std::string text_of_length(int64_t n) {
  std::string text;
  for (int64_t i = 0; i < n; ++i) text += static_cast<char>('0' + i % 75);
  return text;
}

WindowData windows(const TempDir& dir, int64_t tokens, int64_t context, uint64_t seed = 5) {
  return WindowData(tokens_of(dir, text_of_length(tokens)), context, seed);
}

TEST(WindowData, TargetsAreTheIdsOneFurther) {
  const TempDir dir;
  const std::string text = text_of_length(100);
  const WindowData data = windows(dir, 100, 8);
  const std::vector<Pick> picks = {{0, 0}, {3, 0}, {10, 2}};
  const Batch batch = data.batch(picks);
  EXPECT_EQ(batch.ids.shape(), (Shape{3, 8}));
  EXPECT_EQ(batch.targets.shape(), (Shape{3, 8}));
  EXPECT_EQ(batch.ids.dtype(), DType::i64);
  EXPECT_EQ(batch.tokens, 24);
  for (size_t row = 0; row < 3; ++row)
    for (int64_t t = 0; t < 8; ++t) {
      const int64_t at = picks[row].index * 8 + data.shift(picks[row].epoch) + t;
      const auto place = static_cast<int64_t>(row) * 8 + t;
      EXPECT_EQ(batch.ids.data<int64_t>()[place], text[static_cast<size_t>(at)]);
      EXPECT_EQ(batch.targets.data<int64_t>()[place], text[static_cast<size_t>(at) + 1]);
    }
}

TEST(WindowData, ShiftsDifferBetweenEpochsAndStayInside) {
  const TempDir dir;
  for (const int64_t context : {1, 2, 7, 16})
    for (int64_t n = context + 1; n < 5 * context + 3; ++n) {
      const WindowData data = windows(dir, n, context);
      std::set<int64_t> shifts;
      for (int64_t epoch = 0; epoch < 200; ++epoch) {
        const int64_t shift = data.shift(epoch);
        ASSERT_GE(shift, 0);
        ASSERT_LE((data.size() - 1) * context + shift + context + 1, n);  // the last window fits
        shifts.insert(shift);
      }
      const int64_t room = n - 1 - data.size() * context;
      EXPECT_EQ(static_cast<int64_t>(shifts.size()), std::min(context, room + 1)) << n;
      EXPECT_GE((data.size() + 2) * context, n) << n;  // at most two windows go unused
      data.batch(std::vector<Pick>{{data.size() - 1, 0}, {0, 1}});
    }
  const WindowData one = windows(dir, 1000, 16, 1), other = windows(dir, 1000, 16, 2);
  int same = 0;
  for (int64_t epoch = 0; epoch < 100; ++epoch) same += one.shift(epoch) == other.shift(epoch);
  EXPECT_LT(same, 25);
}

TEST(WindowData, AnEpochSeesATextOnce) {
  const TempDir dir;
  const WindowData data = windows(dir, 1000, 10);
  Sampler sampler(data.size(), 1);
  std::multiset<int64_t> begins;
  for (const Pick& pick : sampler.next(data.size()))
    begins.insert(pick.index * 10 + data.shift(pick.epoch));
  int64_t expected = data.shift(0);
  for (const int64_t begin : begins) {
    EXPECT_EQ(begin, expected);
    expected += 10;
  }
  EXPECT_EQ(begins.size(), 99u);
}

TEST(WindowData, EvaluationPredictsEveryTokenButTheFirstOnce) {
  const TempDir dir;
  for (const int64_t context : {1, 3, 8})
    for (int64_t n = 2; n < 40; ++n)
      for (const int64_t rows : {1, 2, 5}) {
        const std::string text = text_of_length(n);
        const WindowData data = windows(dir, n, context);
        std::string predicted;
        int64_t counted = 0;
        for (int64_t first = 0; first < data.eval_windows(); first += rows) {
          const Batch batch = data.eval_batch(first, rows);
          const int64_t width = batch.ids.dim(1);
          ASSERT_LE(width, context);
          for (int64_t i = 0; i < batch.ids.count(); ++i) {
            const int64_t target = batch.targets.data<int64_t>()[i];
            if (target == kIgnored) continue;
            // The id is the token before, and the window begins at a multiple of the context.
            const int64_t at = (first + i / width) * context + i % width;
            ASSERT_EQ(batch.ids.data<int64_t>()[i], text[static_cast<size_t>(at)]);
            predicted += static_cast<char>(target);
          }
          counted += batch.tokens;
        }
        ASSERT_EQ(predicted, text.substr(1)) << n << " " << context << " " << rows;
        ASSERT_EQ(counted, data.eval_tokens());
        ASSERT_EQ(counted, n - 1);
      }
}

TEST(WindowData, TheShortLastWindow) {
  const TempDir dir;
  const WindowData data = windows(dir, 12, 8);  // eleven targets: 8 and 3
  EXPECT_EQ(data.eval_windows(), 2);
  const Batch both = data.eval_batch(0, 99);
  EXPECT_EQ(both.ids.shape(), (Shape{2, 8}));
  EXPECT_EQ(both.tokens, 11);
  const Batch last = data.eval_batch(1, 1);
  EXPECT_EQ(last.ids.shape(), (Shape{1, 3}));
  EXPECT_EQ(last.tokens, 3);
}

TEST(WindowData, WhatDoesNotFit) {
  const TempDir dir;
  const WindowData data = windows(dir, 8, 8);  // enough to evaluate, not to train
  expect_error<FormatError>([&] { data.size(); },
                            dir / "text: found 8 tokens, wanted at least 9 for a context of 8");
  EXPECT_EQ(data.eval_batch(0, 1).tokens, 7);
  expect_error<FormatError>([&] { windows(dir, 1, 8); },
                            dir / "text: found 1 tokens, wanted at least two");
  error_of<Error>([&] { windows(dir, 9, 0); });
  const WindowData fits = windows(dir, 9, 8);
  EXPECT_EQ(fits.size(), 1);
  error_of<Error>([&] { fits.batch({}); });
  error_of<Error>([&] { fits.batch(std::vector<Pick>{{1, 0}}); });
  error_of<Error>([&] { fits.batch(std::vector<Pick>{{-1, 0}}); });
  error_of<Error>([&] { fits.eval_batch(1, 1); });
  error_of<Error>([&] { fits.eval_batch(0, 0); });
  EXPECT_EQ(fits.eval_batch(0, INT64_MAX).tokens, 8);
}

TEST(WindowData, TinyShakespeareCountsAllButOneValidationCharacter) {
  if (!std::getenv("JOGAK_DATA")) GTEST_SKIP() << "JOGAK_DATA is not set";
  const WindowData data(TokenFile({.text = "text-tinyshakespeare/input.txt",
                                   .encode = test::encode_bytes,
                                   .vocab_size = 256,
                                   .from = 0.9}),
                        64, 1);
  int64_t counted = 0;
  for (int64_t first = 0; first < data.eval_windows(); first += 100)
    counted += data.eval_batch(first, 100).tokens;
  EXPECT_EQ(counted, 111'539);
  EXPECT_EQ(data.eval_windows(), 1743);
}

}  // namespace
}  // namespace jogak
