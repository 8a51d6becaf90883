#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

#include "base/error.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

class Threads {  // for the length of a test
 public:
  explicit Threads(int count) : before_(thread_count()) { set_thread_count(count); }
  ~Threads() { set_thread_count(before_); }

 private:
  int before_;
};

using Pieces = std::vector<std::pair<int64_t, int64_t>>;

Pieces pieces_of(int64_t count, int64_t grain, int threads) {
  const Threads limit(threads);
  std::mutex lock;
  Pieces pieces;
  parallel_for(count, grain, [&](int64_t begin, int64_t end) {
    const std::lock_guard hold(lock);
    pieces.emplace_back(begin, end);
  });
  std::sort(pieces.begin(), pieces.end());
  return pieces;
}

TEST(Parallel, TheCutDependsOnSizeAlone) {
  for (const int64_t count : {1, 2, 63, 64, 65, 1000})
    for (const int64_t grain : {1, 7, 64, 2000}) {
      Pieces wanted;
      for (int64_t at = 0; at < count; at += grain)
        wanted.emplace_back(at, std::min(count, at + grain));
      for (const int threads : {1, 2, 4}) EXPECT_EQ(pieces_of(count, grain, threads), wanted);
    }
}

TEST(Parallel, NothingToDoAndOddGrains) {
  EXPECT_TRUE(pieces_of(0, 4, 2).empty());
  EXPECT_TRUE(pieces_of(-3, 4, 2).empty());
  EXPECT_EQ(pieces_of(3, 0, 2).size(), 3u);  // a grain below one counts as one
  EXPECT_EQ(pieces_of(5, INT64_MAX, 2), (Pieces{{0, 5}}));
  EXPECT_EQ(pieces_of(INT64_MAX, INT64_MAX - 1, 2),
            (Pieces{{0, INT64_MAX - 1}, {INT64_MAX - 1, INT64_MAX}}));
}

TEST(Parallel, AnExceptionReachesTheCaller) {
  for (const int threads : {1, 2, 4}) {
    const Threads limit(threads);
    const auto work = [] {
      parallel_for(
          100, 1, [](int64_t begin, int64_t) { ensure<ShapeError>(begin != 37, "piece ", begin); });
    };
    expect_error<ShapeError>(work, "piece 37");
    std::atomic<int> done{0};  // and the pool still works
    parallel_for(50, 1, [&](int64_t, int64_t) { ++done; });
    EXPECT_EQ(done, 50);
  }
}

TEST(Parallel, EveryPieceFailingIsOneException) {
  const Threads limit(4);
  EXPECT_THROW(parallel_for(64, 1, [](int64_t, int64_t) { fail<Error>("each"); }), Error);
}

TEST(Parallel, NestedWorkIsDoneOnce) {
  const Threads limit(4);
  std::vector<std::atomic<int>> seen(32 * 16);
  parallel_for(32, 1, [&](int64_t outer, int64_t) {
    parallel_for(16, 3, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) ++seen[static_cast<size_t>(outer * 16 + i)];
    });
  });
  for (const auto& n : seen) ASSERT_EQ(n, 1);
}

TEST(Parallel, SumsInPiecesAreTheSameBits) {
  std::vector<float> values(100003);
  for (size_t i = 0; i < values.size(); ++i) values[i] = 1.0f / static_cast<float>(i + 1);
  const auto sum_with = [&](int threads) {
    const Threads limit(threads);
    std::vector<float> parts((values.size() + 999) / 1000);
    parallel_for(static_cast<int64_t>(values.size()), 1000, [&](int64_t begin, int64_t end) {
      float part = 0;
      for (int64_t i = begin; i < end; ++i) part += values[static_cast<size_t>(i)];
      parts[static_cast<size_t>(begin / 1000)] = part;
    });
    float sum = 0;
    for (const float part : parts) sum += part;
    return sum;
  };
  const float alone = sum_with(1);
  EXPECT_EQ(sum_with(2), alone);
  EXPECT_EQ(sum_with(4), alone);
}

// Awake or asleep, helpers find the next work, and each number is one thread's at a time.
TEST(Parallel, WorksFollowEachOtherAtAnyPace) {
  const Threads limit(4);
  std::vector<std::atomic<int>> within(4);
  for (int round = 0; round < 2000; ++round) {
    if (round % 100 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::atomic<int64_t> sum{0};
    parallel_for(1 + round % 9, 1, [&](int64_t begin, int64_t) {
      const auto own = static_cast<size_t>(thread_index());
      ASSERT_LT(own, within.size());
      ASSERT_EQ(++within[own], 1);
      sum += begin + 1;
      --within[own];
    });
    ASSERT_EQ(sum, (1 + round % 9) * (2 + round % 9) / 2) << round;
  }
  EXPECT_EQ(thread_index(), 0);
}

TEST(Parallel, ThreadsThatWorkAtTheSameTimeHaveHelpersOfTheirOwn) {
  const Threads limit(3);
  std::vector<std::atomic<int>> done(6);
  std::vector<std::thread> callers;
  for (auto& count : done)
    callers.emplace_back([&count] {
      for (int i = 0; i < 200; ++i) parallel_for(7, 1, [&](int64_t, int64_t) { ++count; });
    });
  for (std::thread& caller : callers) caller.join();
  for (const auto& count : done) EXPECT_EQ(count, 1400);
}

// More threads than processors: nobody waits for a helper that has not begun. Each work would
// otherwise last as long as others may keep a processor, milliseconds.
TEST(Parallel, NobodyWaitsForHelpersThatHaveNotBegun) {
  const Threads limit(64);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 500; ++i) parallel_for(64, 1, [](int64_t, int64_t) {});
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

TEST(Parallel, AForkedProcessComputesAlone) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer's own locks may be held by a thread that fork() leaves behind";
#endif
  const Threads limit(4);
  const auto pieces = [] {
    std::atomic<int> count{0};
    parallel_for(100, 1, [&](int64_t, int64_t) { ++count; });
    return count.load();
  };
  EXPECT_EQ(pieces(), 100);
  EXPECT_EXIT(std::exit(pieces() == 100 ? 0 : 1), testing::ExitedWithCode(0), "");
}

TEST(Parallel, ThreadCountIsChecked) {
  expect_error<UsageError>([] { set_thread_count(0); }, "threads: found 0, wanted 1 to 1024");
  expect_error<UsageError>([] { set_thread_count(1025); }, "threads: found 1025, wanted 1 to 1024");
}

}  // namespace
}  // namespace jogak
