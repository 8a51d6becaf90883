#include "data/pair_data.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <thread>

#include "base/parallel.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

using Ids = std::vector<int64_t>;
constexpr int64_t X = kIgnored;
constexpr int kPad = 0, kEnd = 1, kStart = 2;

std::vector<int> encode(std::string_view text) {  // one id a byte, then the end
  std::vector<int> ids(text.begin(), text.end());
  ids.push_back(kEnd);
  return ids;
}

Pairs pairs_of(std::vector<std::string> source, std::vector<std::string> target) {
  return {std::move(source), std::move(target), "s", "t"};
}

PairData data_of(const Pairs& pairs, PairOptions options) {
  options.pad_id = kPad;
  options.start_id = kStart;
  return PairData(pairs, encode, encode, options);
}

// Many short pairs, few long ones; the sides differ by up to a third.
Pairs skewed(size_t count, uint64_t seed) {
  Rng rng(seed);
  Pairs out{{}, {}, "s", "t"};
  for (size_t i = 0; i < count; ++i) {
    const double u = rng.uniform();
    const size_t length = 3 + static_cast<size_t>(8 / (u + 0.06));
    out.source.emplace_back(length, 'a');
    out.target.emplace_back(length * 2 / 3 + rng.below(length * 2 / 3 + 1), 'b');
  }
  return out;
}

Ids positions_of(const PairData& data, int64_t epoch) {
  Ids out;
  for (int64_t b = 0; b < data.batches(); ++b)
    for (const int64_t at : data.batch({b, epoch}).positions) out.push_back(at);
  return out;
}

TEST(PairData, WhatABatchHolds) {
  const PairData data = data_of(pairs_of({"abc", "d"}, {"x", "yz"}), {.batch_sentences = 8});
  ASSERT_EQ(data.batches(), 1);
  const PairBatch b = data.eval_batch(0);
  EXPECT_EQ(b.positions, (Ids{1, 0}));  // in order of length
  EXPECT_EQ(b.source.shape(), (Shape{2, 4}));
  EXPECT_EQ(to_host<int64_t>(b.source), (Ids{'d', kEnd, kPad, kPad, 'a', 'b', 'c', kEnd}));
  EXPECT_EQ(b.source_mask.dtype(), DType::boolean);
  EXPECT_EQ(b.source_mask.shape(), (Shape{2, 4}));
  EXPECT_EQ(to_host<int64_t>(b.source_mask), (Ids{1, 1, 0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(b.decoder_ids.shape(), (Shape{2, 3}));
  EXPECT_EQ(to_host<int64_t>(b.decoder_ids), (Ids{kStart, 'y', 'z', kStart, 'x', kPad}));
  EXPECT_EQ(to_host<int64_t>(b.targets), (Ids{'y', 'z', kEnd, 'x', kEnd, X}));
  EXPECT_EQ(b.tokens, 5);
  EXPECT_EQ(b.padding, 3);
  EXPECT_DOUBLE_EQ(data.padding_waste(), 3.0 / 14);
  EXPECT_EQ(data.describe(),
            "s and t: 2 pairs, 6 source and 5 target tokens in 1 batches, 21.4 % padding");
}

TEST(PairData, WithoutPaddingThereIsNoMask) {
  const PairData data = data_of(pairs_of({"ab", "cd"}, {"x", "yz"}), {.batch_sentences = 2});
  EXPECT_FALSE(data.eval_batch(0).source_mask.defined());
  EXPECT_EQ(data.eval_batch(0).padding, 1);
}

TEST(PairData, EveryPairOnceAnEpochAndTheLimitHolds) {
  const Pairs pairs = skewed(3000, 5);
  for (const PairOptions options : {PairOptions{.batch_tokens = 300}, {.batch_sentences = 7}}) {
    const PairData data = data_of(pairs, options);
    EXPECT_EQ(data.size(), 3000);
    for (const int64_t epoch : {0, 1, 5}) {
      std::set<int64_t> seen;
      int64_t tokens = 0, padding = 0, places = 0;
      for (int64_t i = 0; i < data.batches(); ++i) {
        const PairBatch b = data.batch({i, epoch});
        const int64_t rows = b.source.dim(0);
        const int64_t widest = std::max(b.source.dim(1), b.targets.dim(1));
        const bool by_tokens = options.batch_tokens > 0;
        EXPECT_LE(by_tokens ? rows * widest : rows,
                  by_tokens ? options.batch_tokens : options.batch_sentences);
        EXPECT_EQ(b.positions.size(), static_cast<size_t>(rows));
        for (const int64_t at : b.positions) EXPECT_TRUE(seen.insert(at).second);
        EXPECT_EQ(rows, data.eval_batch(i).source.dim(0));  // the same number in every epoch
        tokens += b.tokens;
        padding += b.padding;
        places += rows * (b.source.dim(1) + b.targets.dim(1));
      }
      EXPECT_EQ(seen.size(), 3000u);
      EXPECT_EQ(*seen.rbegin(), 2999);
      EXPECT_EQ(tokens, data.target_tokens());
      EXPECT_EQ(places, padding + data.source_tokens() + data.target_tokens());
      const double waste = static_cast<double>(padding) / static_cast<double>(places);
      if (epoch == 0) {
        EXPECT_DOUBLE_EQ(data.padding_waste(), waste);
      }
    }
  }
}

TEST(PairData, LittleIsWastedOnASkewedSet) {
  const Pairs pairs = skewed(20000, 6);
  double longest = 0, used = 0;
  for (size_t i = 0; i < pairs.size(); ++i) {
    const double a = static_cast<double>(pairs.source[i].size()) + 1;
    const double b = static_cast<double>(pairs.target[i].size()) + 1;
    longest = std::max({longest, a, b});
    used += a + b;
  }
  const PairData data = data_of(pairs, {.batch_tokens = 2000});
  EXPECT_GT(1 - used / (2 * longest * static_cast<double>(pairs.size())), 0.8);  // one wide batch
  EXPECT_LT(data.padding_waste(), 0.1);
  EXPECT_GT(data.padding_waste(), 0.0);
}

TEST(PairData, NeighboursChangeWithTheEpochAndTheSeed) {
  const Pairs pairs = skewed(4000, 7);
  const PairData data = data_of(pairs, {.batch_tokens = 500, .seed = 3});
  const auto share_kept = [](const PairData& a, int64_t x, const PairData& b, int64_t y) {
    std::set<std::pair<int64_t, int64_t>> together;  // pairs that share a batch
    const auto all = [](const PairData& d, int64_t epoch, auto use) {
      for (int64_t i = 0; i < d.batches(); ++i) {
        Ids rows = d.batch({i, epoch}).positions;
        std::sort(rows.begin(), rows.end());
        for (size_t j = 0; j < rows.size(); ++j)
          for (size_t k = j + 1; k < rows.size(); ++k) use(std::pair(rows[j], rows[k]));
      }
    };
    int64_t kept = 0, of = 0;
    all(a, x, [&](auto pair) { together.insert(pair); });
    all(b, y, [&](auto pair) { ++of, kept += together.count(pair); });
    return static_cast<double>(kept) / static_cast<double>(of);
  };
  EXPECT_EQ(share_kept(data, 4, data, 4), 1);
  EXPECT_LT(share_kept(data, 0, data, 1), 0.7);
  const PairData again = data_of(pairs, {.batch_tokens = 500, .seed = 3});
  EXPECT_EQ(positions_of(data, 2), positions_of(again, 2));
  const PairData other = data_of(pairs, {.batch_tokens = 500, .seed = 4});
  EXPECT_LT(share_kept(data, 0, other, 0), 0.7);
}

TEST(PairData, TheOrderDoesNotDependOnThreadsNorOnWhatWasAskedBefore) {
  const Pairs pairs = skewed(500, 8);
  const PairData data = data_of(pairs, {.batch_tokens = 200});
  std::map<int64_t, Ids> wanted;
  for (int64_t epoch = 0; epoch < 4; ++epoch) wanted[epoch] = positions_of(data, epoch);
  const int before = thread_count();
  set_thread_count(4);
  const PairData fresh = data_of(pairs, {.batch_tokens = 200});
  std::vector<std::thread> threads;
  std::vector<Ids> found(8);
  for (int64_t i = 0; i < 8; ++i)
    threads.emplace_back(
        [&, i] { found[static_cast<size_t>(i)] = positions_of(fresh, 3 - i % 4); });
  for (std::thread& thread : threads) thread.join();
  set_thread_count(before);
  for (int64_t i = 0; i < 8; ++i) EXPECT_EQ(found[static_cast<size_t>(i)], wanted[3 - i % 4]);
}

TEST(PairData, EvalBatchesComeInOrderOfLengthAndCanBePutBack) {
  const Pairs pairs = skewed(300, 9);
  const PairData data = data_of(pairs, {.batch_sentences = 16});
  std::vector<int64_t> lengths(300, -1);
  int64_t last = 0;
  for (int64_t i = 0; i < data.batches(); ++i) {
    const PairBatch b = data.eval_batch(i);
    const int64_t width = std::max(b.source.dim(1), b.targets.dim(1));
    EXPECT_GE(width, last);
    last = width;
    const Ids mask = b.source_mask.defined() ? to_host<int64_t>(b.source_mask)
                                             : Ids(static_cast<size_t>(b.source.count()), 1);
    for (size_t row = 0; row < b.positions.size(); ++row) {
      const auto first = mask.begin() + static_cast<int64_t>(row) * b.source.dim(1);
      lengths[static_cast<size_t>(b.positions[row])] =
          std::count(first, first + b.source.dim(1), int64_t{1});
    }
  }
  for (size_t i = 0; i < 300; ++i)
    EXPECT_EQ(lengths[i], static_cast<int64_t>(pairs.source[i].size()) + 1);
}

TEST(PairData, EmptyAndLongPairsAreCountedAndTold) {
  const Pairs pairs = pairs_of({"a", "", "toolong", "b", " \t", "c", "d"},
                               {"x", "y", "z", "", "w", "toolong", "y"});
  testing::internal::CaptureStderr();
  const PairData data = data_of(pairs, {.batch_sentences = 4, .max_source = 3, .max_target = 4});
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "jogak: warning: s and t: 3 of 7 pairs have an empty side and are left out; the first "
            "is line 2\n"
            "jogak: warning: s and t: 2 of 7 pairs are longer than 3 source and 4 target tokens "
            "and are left out; the first is line 3\n");
  EXPECT_EQ(data.size(), 2);
  EXPECT_EQ(data.empty(), 3);
  EXPECT_EQ(data.too_long(), 2);
  EXPECT_EQ(data.eval_batch(0).positions, (Ids{0, 6}));
  testing::internal::CaptureStderr();
  EXPECT_EQ(data_of(pairs, {.batch_tokens = 3}).size(), 2);  // no batch could hold the others
  EXPECT_NE(testing::internal::GetCapturedStderr().find("longer than 3 tokens a side"),
            std::string::npos);
}

TEST(PairData, ExactlyAsLongAsTheLimitFits) {
  const PairData data = data_of(pairs_of({"ab", "abc"}, {"abc", "ab"}),
                                {.batch_tokens = 4, .max_source = 4, .max_target = 4});
  EXPECT_EQ(data.too_long(), 0);
  EXPECT_EQ(data.batches(), 2);
}

// One id a word: real lengths, without a tokenizer.
std::vector<int> encode_words(std::string_view text) {
  return std::vector<int>(static_cast<size_t>(std::count(text.begin(), text.end(), ' ')) + 2, 3);
}

TEST(PairData, Multi30kWastesLittle) {
  if (!std::getenv("JOGAK_DATA")) GTEST_SKIP() << "JOGAK_DATA is not set";
  const Pairs pairs = read_pairs("parallel-multi30k/train.lc.norm.tok.de.gz",
                                 "parallel-multi30k/train.lc.norm.tok.en.gz");
  EXPECT_EQ(pairs.size(), 29000u);
  const PairData data(pairs, encode_words, encode_words, {.batch_tokens = 4096});
  EXPECT_EQ(data.size(), 29000);
  EXPECT_LT(data.padding_waste(), 0.06);
  const Pairs table = read_pair_file("parallel-ko-en/tatoeba_manythings_kor-eng_2022-09-06.txt",
                                     {.source = 1, .target = 0});
  EXPECT_EQ(table.size(), 3853u);
  EXPECT_EQ(table.source[0], "가.");
}

TEST(PairData, OddInputs) {
  expect_error<FormatError>([] { data_of(pairs_of({}, {}), {.batch_sentences = 1}); },
                            "s and t: found no pair to learn from");
  testing::internal::CaptureStderr();
  error_of<FormatError>([] { data_of(pairs_of({""}, {""}), {.batch_sentences = 1}); });
  testing::internal::GetCapturedStderr();
  const Pairs one = pairs_of({"a"}, {"b"});
  error_of<Error>([] { data_of(pairs_of({"a"}, {}), {.batch_sentences = 1}); });
  expect_error<UsageError>([&] { data_of(one, {}); },
                           "batches of 0 tokens or 0 sentences asked for, wanted one of the two");
  error_of<UsageError>([&] { data_of(one, {.batch_tokens = 9, .batch_sentences = 9}); });
  error_of<UsageError>([&] { data_of(one, {.batch_tokens = 9, .batch_sentences = -1}); });
  error_of<UsageError>([&] { data_of(one, {.batch_tokens = 9, .max_source = -1}); });
  const PairData data = data_of(one, {.batch_tokens = 9});
  error_of<Error>([&] { data.batch({1, 0}); });
  error_of<Error>([&] { data.batch({-1, 0}); });
  error_of<Error>([&] { data.batch({0, -1}); });
  error_of<Error>([&] { data.eval_batch(1); });
  const Encode wrong = [](std::string_view) { return std::vector<int>{-1}; };
  const Encode nothing = [](std::string_view) { return std::vector<int>{}; };
  error_of<Error>([&] { PairData(one, encode, wrong, {.batch_tokens = 9}); });
  error_of<Error>([&] { PairData(one, nothing, encode, {.batch_tokens = 9}); });
}

}  // namespace
}  // namespace jogak
