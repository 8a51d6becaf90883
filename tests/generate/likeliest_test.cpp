// The best of a row of chances, of which most are passed over many at a time.
#include "generate/likeliest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

// Chances of which some are equal.
std::vector<float> chances(size_t count) {
  Rng rng(3);
  std::vector<float> out;
  for (size_t i = 0; i < count; ++i)
    out.push_back(static_cast<float>(std::floor(rng.uniform() * 200) / 200));
  return out;
}

std::vector<int> best_of(const std::vector<float>& all, size_t count,
                         const std::vector<int>& never) {
  std::vector<int> order(all.size());
  std::iota(order.begin(), order.end(), 0);
  std::erase_if(order, [&](int token) {
    return all[static_cast<size_t>(token)] <= 0 ||
           std::find(never.begin(), never.end(), token) != never.end();
  });
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return all[static_cast<size_t>(a)] > all[static_cast<size_t>(b)];
  });
  order.resize(std::min(order.size(), count));
  return order;
}

TEST(Likeliest, AreTheFirstOfASortedRowWhateverItsLength) {
  for (const size_t size : {1, 31, 32, 33, 64, 100, 1000})
    for (const size_t count : {1, 3, 12})
      for (const std::vector<int>& never : {std::vector<int>{}, {0, 5, 31, 32, 63, 999}}) {
        SCOPED_TRACE(text_of(size, " chances, ", count, " wanted"));
        const std::vector<float> all = chances(size);
        for (const bool renormalize : {false, true}) {
          std::vector<int> found;
          for (const NextToken& one :
               likeliest(all, {.count = count, .never = never, .renormalize = renormalize}))
            found.push_back(one.token);
          EXPECT_EQ(found, best_of(all, count, never));
        }
      }
}

TEST(LikeliestErrors, ANumberThatIsNoneIsFoundAmongThosePassedOver) {
  for (const size_t place : {0, 31, 40, 95, 96, 99}) {
    std::vector<float> all(100, 0.001f);
    all[0] = 0.5f;
    all[place] = NAN;
    expect_error<Error>([&] { likeliest(all, {}); },
                        text_of("beam search: found no number as the probability of token ", place,
                                ": the model's weights or its input are broken"));
  }
}

}  // namespace
}  // namespace jogak
