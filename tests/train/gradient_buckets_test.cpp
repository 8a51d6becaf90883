#include "train/gradient_buckets.h"

#include "tests/support/expect.h"
#include "tests/train/thread_group.h"

namespace jogak {
namespace {

using test::in_threads;
using test::ThreadGroup;

constexpr int64_t kMicro = 8;

// Weights of three buckets, one far larger than a unit.
std::vector<Tensor> weights() {
  std::vector<Tensor> out;
  for (const int64_t count : {int64_t{7}, kBucketElements + 3, int64_t{5000}, kBucketElements})
    out.push_back(zeros({count}));
  return out;
}

Tensor gradient_of(int64_t micro, size_t weight, int64_t count) {
  return randn({count}, Rng(static_cast<uint64_t>(micro), weight));
}

// What one process has at the end, as the whole weights.
std::vector<std::vector<float>> summed(int64_t processes) {
  const std::vector<Tensor> leaves = weights();
  const Shards shards(leaves, processes);
  std::vector<std::vector<float>> out;
  for (const Tensor& leaf : leaves) out.emplace_back(static_cast<size_t>(leaf.count()));
  in_threads(processes, [&](ThreadGroup& group) {
    const int64_t index = group.processes().index;
    GradientBuckets buckets(group, shards, leaves, kMicro);
    const auto [begin, end] = micro_batches_of(index, processes, kMicro);
    for (int64_t micro = begin; micro < end; ++micro)
      for (size_t i = 0; i < leaves.size(); ++i) {  // each process in an order of its own
        const size_t weight = (i + static_cast<size_t>(index)) % leaves.size();
        buckets.add(micro, weight, gradient_of(micro, weight, leaves[weight].count()));
      }
    const std::vector<Tensor> sums = buckets.finish();
    for (size_t i = 0; i < leaves.size(); ++i) {
      const std::vector<float> own = to_host<float>(sums[i]);
      const auto at = static_cast<ptrdiff_t>(shards.owned(index, i).begin);
      std::copy(own.begin(), own.end(), out[i].begin() + at);
    }
  });
  return out;
}

TEST(GradientBuckets, SumsHaveTheSameBitsForAnyNumberOfProcesses) {
  const auto alone = summed(1);
  EXPECT_NE(alone[1][100], 0);
  for (const int64_t processes : {2, 3, 8}) EXPECT_EQ(summed(processes), alone) << processes;
}

TEST(GradientBuckets, BeginWithTheLastWeightsAndBelongToAllInEqualParts) {
  const std::vector<Tensor> leaves = weights();
  const Shards shards(leaves, 4);
  std::vector<std::pair<size_t, size_t>> found;
  for (const WeightBucket& bucket : shards.buckets()) found.emplace_back(bucket.begin, bucket.end);
  EXPECT_EQ(found, (std::vector<std::pair<size_t, size_t>>{{3, 4}, {1, 3}, {0, 1}}));
  for (int64_t process = 0; process < 4; ++process)
    EXPECT_EQ(shards.owned(process, 3).count(), kBucketElements / 4);
}

// Others are not left waiting for buckets of a process that cannot go on.
TEST(GradientBuckets, OfAProcessThatGivesUpReachTheOthers) {
  const std::vector<Tensor> leaves = weights();
  const Shards shards(leaves, 3);
  in_threads(3, [&](ThreadGroup& group) {
    const int64_t index = group.processes().index;
    GradientBuckets buckets(group, shards, leaves, kMicro);
    const auto [begin, end] = micro_batches_of(index, 3, kMicro);
    for (int64_t micro = begin; micro < end; ++micro)
      for (size_t weight = leaves.size(); weight-- > 0;) {
        if (index == 1 && micro == end - 1 && weight == 2) return buckets.give_up();
        buckets.add(micro, weight, gradient_of(micro, weight, leaves[weight].count()));
      }
    EXPECT_EQ(buckets.finish().size(), leaves.size());
  });
}

}  // namespace
}  // namespace jogak
