#include "nn/cache.h"

#include <gtest/gtest.h>

#include <span>

namespace jogak {
namespace {

CacheShape small() {
  return {.layers = 2, .kv_heads = 1, .key_width = 2, .value_width = 3, .context = 200};
}

TEST(KvCache, SequencesGrowOnTheirOwnAndPagesComeBack) {
  KvCache cache(small());
  const int a = cache.add(), b = cache.add();
  const CacheStep step = cache.begin({a, b}, {65, 1});
  EXPECT_EQ(step.rows(), 66);
  EXPECT_EQ(step.positions[64], 64);
  EXPECT_EQ(step.positions[65], 0);
  EXPECT_EQ(step.sequences[65], b);
  EXPECT_EQ(cache.length(a), 65);
  EXPECT_EQ(cache.live_pages(), 3);
  cache.remove(a);
  EXPECT_EQ(cache.live_pages(), 1);
  EXPECT_EQ(cache.add(), a);  // the number is free again, and empty
  EXPECT_EQ(cache.length(a), 0);
  cache.remove(a);
  cache.remove(b);
  EXPECT_EQ(cache.live_pages(), 0);
}

TEST(KvCache, PagesThatWereMadeBeforeAreTakenFirst) {
  KvCache cache({.layers = 2, .kv_heads = 4, .key_width = 32, .value_width = 32, .context = 200});
  const auto live = [] { return cpu_device().allocator().stats().live_bytes; };
  const auto page = static_cast<size_t>(page_bytes(cache.shape()));
  const size_t none = live();
  cache.make_pages(3);
  cache.make_pages(2);  // there are more
  const size_t made = live();
  EXPECT_GE(made, none + 3 * page);
  EXPECT_LT(made, none + 4 * page);
  EXPECT_EQ(cache.live_pages(), 0);
  const int a = cache.add();
  cache.begin({a}, {190});
  EXPECT_EQ(cache.live_pages(), 3);
  EXPECT_LT(live(), made + page);
  for (const float x : std::span(cache.page(a, 2).data<float>(), page / sizeof(float)))
    ASSERT_EQ(x, 0);
}

TEST(KvCache, AForkSharesPagesUntilOneWrites) {
  KvCache cache(small());
  const int a = cache.add();
  cache.begin({a}, {70});
  const auto number = [&](int sequence, int64_t page) -> float& {
    return cache.page(sequence, page).data<float>()[cache.layout(1).first + 3];
  };
  number(a, 1) = 42;
  const int b = cache.fork(a);
  EXPECT_EQ(cache.live_pages(), 2);
  EXPECT_EQ(&number(b, 1), &number(a, 1));
  cache.begin({b}, {1});  // the open page becomes b's own, with what it held
  EXPECT_NE(&number(b, 1), &number(a, 1));
  EXPECT_EQ(number(b, 1), 42);
  EXPECT_EQ(&number(b, 0), &number(a, 0));
  EXPECT_EQ(cache.live_pages(), 3);
  cache.remove(a);
  EXPECT_EQ(cache.live_pages(), 2);
  cache.remove(b);
  EXPECT_EQ(cache.live_pages(), 0);
}

TEST(KvCache, LayersAndValuesDoNotOverlap) {
  KvCache cache(small());
  const int a = cache.add();
  cache.begin({a}, {1});
  const PageLayout layout = cache.layout(1);
  EXPECT_EQ(layout.key_size(), 2 * kPageTokens);
  EXPECT_EQ(layout.value_size(), 3 * kPageTokens);
  EXPECT_EQ(layout.first, 5 * kPageTokens);
  EXPECT_EQ(cache.page(a, 0).count(), 2 * 5 * kPageTokens);
}

TEST(KvCache, AStepTellsWhichPagesItsRowsSeeAndWhereTheirOwnGo) {
  KvCache cache(small());
  const int a = cache.add(), b = cache.add();
  cache.begin({a, b}, {63, 5});
  const CacheStep step = cache.begin({b, a}, {1, 2});
  const auto page = [&](int sequence, int64_t i) { return page_address(cache.page(sequence, i)); };
  EXPECT_EQ(to_host<int64_t>(step.runs.table), (std::vector<int64_t>{0, 1, 5, 1, 1, 2, 63, 1}));
  EXPECT_EQ(to_host<int64_t>(step.runs.pages),
            (std::vector<int64_t>{page(b, 0), 0, page(a, 0), page(a, 1)}));
  EXPECT_EQ(step.runs.reach, 65);
  EXPECT_EQ(to_host<int64_t>(step.slots.table),
            (std::vector<int64_t>{page(b, 0), 5, page(a, 0), 63, page(a, 1), 0}));
  const PageRuns over = cache.over({b, b, a});
  EXPECT_EQ(to_host<int64_t>(over.table), (std::vector<int64_t>{0, 2, 5, 0, 2, 1, 64, 0}));
  EXPECT_EQ(over.reach, 65);
  const auto places = to_host<int64_t>(cache.all_of({b}, 7).table);
  EXPECT_EQ(places[2 * 5], page(b, 0));
  EXPECT_EQ(places[2 * 6], 0);  // behind its end
}

TEST(KvCacheErrors, TheContextIsALimitWithBothNumbers) {
  KvCache cache(small());
  const int a = cache.add();
  cache.begin({a}, {200});
  try {
    cache.begin({a}, {1});
    FAIL();
  } catch (const ShapeError& error) {
    EXPECT_STREQ(error.what(), "a sequence of 201 tokens, but the model's context is 200");
  }
  EXPECT_EQ(cache.length(a), 200);
  EXPECT_THROW(KvCache({.layers = 0}), ShapeError);
}

}  // namespace
}  // namespace jogak
