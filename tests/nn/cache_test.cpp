#include "nn/cache.h"

#include <gtest/gtest.h>

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

TEST(KvCache, AForkSharesPagesUntilOneWrites) {
  KvCache cache(small());
  const int a = cache.add();
  cache.begin({a}, {70});
  cache.key_page(1, a, 1)[3] = 42;
  const int b = cache.fork(a);
  EXPECT_EQ(cache.live_pages(), 2);
  EXPECT_EQ(cache.key_page(1, b, 1), cache.key_page(1, a, 1));
  cache.begin({b}, {1});  // the open page becomes b's own, with what it held
  EXPECT_NE(cache.key_page(1, b, 1), cache.key_page(1, a, 1));
  EXPECT_EQ(cache.key_page(1, b, 1)[3], 42);
  EXPECT_EQ(cache.key_page(0, b, 0), cache.key_page(0, a, 0));
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
  EXPECT_EQ(cache.value_page(0, a, 0) - cache.key_page(0, a, 0), 2 * kPageTokens);
  EXPECT_EQ(cache.key_page(1, a, 0) - cache.value_page(0, a, 0), 3 * kPageTokens);
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
