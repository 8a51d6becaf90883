#include "data/masked_data.h"

#include "tests/data/files.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

Masking bytes_masking() {
  Masking m;
  m.mask_id = 3, m.pad_id = 0, m.opening = {1}, m.closing = {2}, m.vocab = 256, m.seed = 5;
  m.special = {true, true, true, true};
  return m;
}

std::string letters(size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += static_cast<char>('a' + i * 7 % 26);
  return text;
}

TEST(MaskedData, WhatIsHiddenFollowsFromSeedEpochAndExample) {
  const TempDir dir;
  const MaskedData data(test::tokens_of(dir, letters(1000)), 34, bytes_masking());
  EXPECT_EQ(data.size(), 1000 / 32 - 1);
  EXPECT_EQ(data.eval_size(), 32);
  const std::vector<Pick> picks = {{3, 0}, {5, 0}}, other = {{3, 1}, {5, 1}};
  const MaskedBatch a = data.batch(picks), b = data.batch(picks), c = data.batch(other);
  EXPECT_EQ(to_host<int64_t>(a.ids), to_host<int64_t>(b.ids));
  EXPECT_EQ(to_host<int64_t>(a.wanted), to_host<int64_t>(b.wanted));
  EXPECT_NE(to_host<int64_t>(a.wanted), to_host<int64_t>(c.wanted));
  const std::vector<Pick> alone = {{5, 0}};
  const auto row = to_host<int64_t>(data.batch(alone).ids), both = to_host<int64_t>(a.ids);
  EXPECT_TRUE(std::equal(row.begin(), row.end(), both.begin() + 34));  // neighbours do not matter
}

TEST(MaskedData, FifteenInAHundredOfWhichEightyTenTen) {
  const TempDir dir;
  const std::string text = letters(200'000);
  const MaskedData data(test::tokens_of(dir, text), 102, bytes_masking());
  double chosen = 0, masked = 0, same = 0, random = 0;
  for (int64_t i = 0; i < data.eval_size(); i += 50) {
    const MaskedBatch b = data.eval_batch(i, 50);
    const auto ids = to_host<int64_t>(b.ids), wanted = to_host<int64_t>(b.wanted),
               targets = to_host<int64_t>(b.targets);
    for (size_t k = 0; k < wanted.size(); ++k) {
      const auto place = static_cast<size_t>(wanted[k]);
      const size_t row = static_cast<size_t>(i) + place / 102, column = place % 102;
      ASSERT_TRUE(column >= 1 && column <= 100);  // neither opening nor closing
      ASSERT_EQ(targets[k], text[row * 100 + column - 1]);
      ASSERT_TRUE(ids[place] >= 3);
      masked += ids[place] == 3;
      same += ids[place] == targets[k];
      random += ids[place] != 3 && ids[place] != targets[k];
      ++chosen;
    }
  }
  EXPECT_NEAR(chosen / static_cast<double>(text.size()), 0.15, 0.003);
  EXPECT_NEAR(masked / chosen, 0.8, 0.01);
  EXPECT_NEAR(random / chosen, 0.1, 0.01);
  EXPECT_NEAR(same / chosen, 0.1, 0.01);
}

TEST(MaskedData, LinesOfAnyLength) {
  const MaskedData data({"hello", "", "a", std::string(50, 'x')}, "lines", test::encode_bytes, 12,
                        bytes_masking());
  EXPECT_EQ(data.size(), 3);
  EXPECT_EQ(data.shortened(), 1);
  const MaskedBatch b = data.eval_batch(0, 3);
  EXPECT_EQ(b.ids.shape(), (Shape{3, 12}));
  std::vector<int> rows(3);
  for (const int64_t place : to_host<int64_t>(b.wanted)) ++rows[static_cast<size_t>(place / 12)];
  for (const int count : rows) EXPECT_GE(count, 1);  // every line has something to learn
  EXPECT_EQ(to_host<int64_t>(b.ids)[11], 0);
}

TEST(MaskedData, SpecialTokensWithinATextAreNeverHidden) {
  Masking m = bytes_masking();
  m.special.resize('x' + 1);
  m.special['x'] = true;
  m.share = 1;
  const MaskedBatch b =
      MaskedData({"axbx", "xxx"}, "lines", test::encode_bytes, 12, m).eval_batch(0, 2);
  EXPECT_EQ(to_host<int64_t>(b.targets), (std::vector<int64_t>{'a', 'b'}));
  EXPECT_EQ(to_host<int64_t>(b.wanted), (std::vector<int64_t>{1, 3}));
  const auto ids = to_host<int64_t>(b.ids);
  for (const size_t place : {2, 4, 7, 8, 9}) EXPECT_EQ(ids[place], 'x') << place;
}

TEST(MaskedDataErrors, WhatCannotBeHidden) {
  expect_error<FormatError>(
      [] {
        MaskedData({"", ""}, "lines", test::encode_bytes, 12, bytes_masking());
      },
      "lines: found no line to learn from");
  error_of<Error>([] { MaskedData({"a"}, "lines", test::encode_bytes, 2, bytes_masking()); });
  Masking m = bytes_masking();
  m.mask_id = 300;
  error_of<Error>([&] { MaskedData({"a"}, "lines", test::encode_bytes, 12, m); });
  const TempDir dir;
  const MaskedData text(test::tokens_of(dir, "short"), 34, bytes_masking());
  EXPECT_EQ(text.eval_size(), 1);
  EXPECT_NE(error_of<FormatError>([&] { text.size(); }).find("found 5 tokens, wanted at least 32"),
            std::string::npos);
}

}  // namespace
}  // namespace jogak
