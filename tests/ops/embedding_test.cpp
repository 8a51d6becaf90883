#include "ops/embedding.h"

#include "autograd/autograd.h"
#include "base/parallel.h"
#include "ops/add.h"
#include "ops/linear.h"
#include "tests/support/expect.h"
#include "tests/support/gradcheck.h"
#include "tests/support/guarded_device.h"

namespace jogak {
namespace {

Tensor ids_of(const std::vector<int64_t>& ids) {
  return from_values(ids, {static_cast<int64_t>(ids.size())});
}

TEST(Embedding, TakesRows) {
  const Tensor w = from_values(std::vector<float>{1, 2, 3, 4, 5, 6}, {3, 2});
  EXPECT_EQ(to_host<float>(embedding(w, ids_of({2, 0, 2}))),
            (std::vector<float>{5, 6, 1, 2, 5, 6}));
}

// 300 ones in bf16: adding in bf16 itself would stop at 256.
TEST(Embedding, HalfGradientsAreSummedInFloat) {
  const Tensor w = leaf(zeros({2, 1}, DType::bf16));
  const Tensor y = embedding(w, ids_of(std::vector<int64_t>(300, 1)));
  Tensor loss = zeros({}, DType::bf16);
  record_many("sum", std::span(&loss, 1), std::span(&y, 1), [](std::span<const Tensor>) {
    return Grads{full({300, 1}, 1, DType::bf16)};
  });
  EXPECT_EQ(to_host<double>(gradients(loss, {{w}})[0]), (std::vector<double>{0, 300}));
}

TEST(Embedding, GradientOfALargeTableHasTheSameBitsForAnyThreadCount) {
  constexpr int64_t V = 5000, C = 37, n = 3000;
  std::vector<int64_t> ids(n);
  Rng rng(5);
  for (int64_t& id : ids) id = static_cast<int64_t>(rng.below(50) * rng.below(100));
  const int before = thread_count();
  std::vector<float> first;
  for (const int threads : {1, 2, 3, 4}) {
    set_thread_count(threads);
    const Tensor w = leaf(zeros({V, C}));
    const Tensor y = embedding(w, ids_of(ids));
    const auto g = to_host<float>(gradients(test::weighted_sum({{y}}), {{w}})[0]);
    if (threads == 1) {
      first = g;
      const auto dy = to_host<float>(randn({n, C}, Rng(7, 0)));
      std::vector<float> wanted(V * C, 0);  // in order of the places
      for (int64_t i = 0; i < n; ++i)
        for (int64_t c = 0; c < C; ++c)
          wanted[static_cast<size_t>(ids[static_cast<size_t>(i)] * C + c)] +=
              dy[static_cast<size_t>(i * C + c)];
      ASSERT_EQ(g, wanted);
    }
    ASSERT_EQ(g, first) << threads;
  }
  set_thread_count(before);
}

// The table's gradient through another op is there first: places are added to it, and no second
// table of zeros is made. The same bits as the sum of both gradients.
TEST(Embedding, AddsToAGradientThatIsThere) {
  constexpr int64_t V = 70000, C = 37;
  const Tensor ids = ids_of({3, 69999, 3, 0, 12, 3}), values = randn({V, C}, Rng(3));
  for (const DType dtype : {DType::f32, DType::f64, DType::bf16}) {
    const Tensor w = leaf(cast(values, dtype)), x = cast(randn({2, C}, Rng(4)), dtype);
    const auto of_rows = [&] { return test::weighted_sum({{embedding(w, ids, 12)}}); };
    const auto of_table = [&] { return test::weighted_sum({{linear(x, w)}}); };
    const Tensor wanted = gradients(of_table(), {{w}})[0], rows = gradients(of_rows(), {{w}})[0];
    accumulate(wanted, rows);
    const Tensor first = of_rows(), both = add(first, of_table());
    CachingAllocator& memory = cpu_device().allocator();
    const size_t before = memory.stats().live_bytes;
    memory.reset_peak();
    const Tensor got = gradients(both, {{w}})[0];
    const size_t most = memory.stats().peak_bytes - before;
    EXPECT_EQ(to_host<double>(got), to_host<double>(wanted)) << name_of(dtype);
    if (dtype == DType::f32) {  // bf16 is widened on the way
      EXPECT_LT(most, V * C * sizeof(float) * 3 / 2);
    }
  }
}

TEST(EmbeddingErrors, NameTheFirstBadId) {
  const Tensor w = zeros({3, 2});
  expect_error<Error>(
      [&] {
        embedding(w, ids_of({0, 2, 3, -1}));
      },
      "embedding: found id 3 at place 2, the table has 3 rows");
  expect_error<Error>([&] { embedding(w, ids_of({-7})); },
                      "embedding: found id -7 at place 0, the table has 3 rows");
  expect_error<Error>(
      [&] {
        embedding(zeros({0, 2}), ids_of({0}));
      },
      "embedding: found id 0 at place 0, the table has 0 rows");
}

TEST(EmbeddingErrors, ABadIdOnAnotherDeviceIsFoundWhenItsQueueRuns) {
  test::GuardedDevice device;
  const Tensor w = zeros({3, 2}, DType::f32, device);
  const Tensor ids = to_device(ids_of({1, 5}), device);
  const Tensor y = embedding(w, ids);
  expect_error<Error>([&] { device.synchronize(); },
                      "embedding: found id 5 at place 1, the table has 3 rows");
}

TEST(EmbeddingErrors, WrongKinds) {
  expect_error<ShapeError>(
      [] { embedding(zeros({3}), ids_of({0})); },
      "embedding: found a weight of f32 [3], wanted a float type and shape [V, C]");
  expect_error<ShapeError>(
      [] {
        embedding(zeros({3, 2}), zeros({1}));
      },
      "embedding: found ids of f32, wanted i64");
  test::GuardedDevice device;
  expect_error<DeviceError>(
      [&] {
        embedding(zeros({3, 2}), zeros({1}, DType::i64, device));
      },
      "embedding: found the weight on cpu and ids on guarded");
}

}  // namespace
}  // namespace jogak
