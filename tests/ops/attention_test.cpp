#include "ops/attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "base/parallel.h"
#include "ops/alibi.h"
#include "tests/support/expect.h"
#include "tests/support/few_threads.h"
#include "tests/support/gradcheck.h"

namespace jogak {
namespace {

Tensor values(std::vector<double> v, const Shape& shape) { return from_values(v, shape); }

struct Textbook {  // the worked example: three tokens of width four, one head
  Tensor q = values({1, 0, 1, 0, 0, 1, 0, 1, 1, 1, 0, 0}, {1, 3, 1, 4});
  Tensor k = values({1, 1, 0, 0, 0, 0, 1, 1, 1, 0, 1, 0}, {1, 3, 1, 4});
  Tensor v = values({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, {1, 3, 1, 4});
};

void expect_near(const Tensor& got, const std::vector<double>& wanted) {
  const auto g = to_host<double>(got);
  ASSERT_EQ(g.size(), wanted.size());
  for (size_t i = 0; i < g.size(); ++i) EXPECT_NEAR(g[i], wanted[i], 5e-7) << "element " << i;
}

TEST(Attention, TheNumbersOfTheTextbook) {
  const Textbook t;
  expect_near(attention_weights(t.q, t.k, {}), {0.274069, 0.274069, 0.451863, 0.383652, 0.383652,
                                                0.232697, 0.506480, 0.186324, 0.307196});
  expect_near(attention(t.q, t.k, t.v, {}),
              {5.711177, 6.711177, 7.711177, 8.711177, 4.396179, 5.396179, 6.396179, 7.396179,
               4.202862, 5.202862, 6.202862, 7.202862});
  expect_near(attention_weights(t.q, t.k, {.causal = true}),
              {1, 0, 0, 0.5, 0.5, 0, 0.506480, 0.186324, 0.307196});
  expect_near(attention(t.q, t.k, t.v, {.causal = true}),
              {1, 2, 3, 4, 3, 4, 5, 6, 4.202862, 5.202862, 6.202862, 7.202862});
}

TEST(Attention, ARowWhoseKeysAreAllMaskedGivesZeros) {
  const Textbook t;
  const Tensor mask = zeros({1, 3}, DType::boolean);
  for (const double y : to_host<double>(attention(t.q, t.k, t.v, {.key_mask = mask})))
    EXPECT_EQ(y, 0.0);
  const test::Function f = [&](std::span<const Tensor> in) {
    return std::vector{attention(in[0], in[1], in[2], {.key_mask = mask})};
  };
  const std::vector<Tensor> inputs = {t.q, t.k, t.v};
  for (const Tensor& g : test::gradients_of(f, inputs))
    for (const double x : to_host<double>(g)) EXPECT_EQ(x, 0.0);
}

TEST(Attention, ANanIsNotHidden) {
  const Tensor q = randn({1, 3, 1, 4}, Rng(1)), k = randn({1, 3, 1, 4}, Rng(2));
  q.data<float>()[5] = NAN;  // of the second query
  const auto y = to_host<float>(attention(q, k, k, {}));
  EXPECT_FALSE(std::isnan(y[0]));
  EXPECT_TRUE(std::isnan(y[4]));
}

// A masked-out or future key must not move a single bit of a row that does not see it.
TEST(Attention, UnseenKeysMoveNoBit) {
  const Tensor q = randn({2, 70, 2, 8}, Rng(1)), k = randn({2, 70, 2, 8}, Rng(2));
  const Tensor v = randn({2, 70, 2, 8}, Rng(3)), k2 = clone(k), v2 = clone(v);
  for (int64_t i = 40 * 16; i < 70 * 16; ++i) k2.data<float>()[i] = v2.data<float>()[i] = 100;
  const Tensor a = attention(q, k, v, {.causal = true}), b = attention(q, k2, v2, {.causal = true});
  EXPECT_EQ(0, std::memcmp(a.raw(), b.raw(), 40 * 16 * sizeof(float)));
  EXPECT_NE(0, std::memcmp(a.data<float>() + 40 * 16, b.data<float>() + 40 * 16, 64));
}

TEST(Attention, DropoutDropsTheShareAskedForAndIsTheSameForAnyThreadCount) {
  // Values of one: without dropout every output is one; with it the mean stays near one.
  const Tensor q = randn({4, 100, 2, 8}, Rng(1)), k = randn({4, 100, 2, 8}, Rng(2));
  const Tensor v = full({4, 100, 2, 8}, 1.0);
  const AttentionOptions o{.dropout = 0.25, .seed = 5, .stream = 9};
  const int before = thread_count();
  set_thread_count(1);
  const auto one = to_host<float>(attention(q, k, v, o));
  set_thread_count(4);
  EXPECT_EQ(one, to_host<float>(attention(q, k, v, o)));
  set_thread_count(before);
  double mean = 0;
  for (const float x : one) mean += x / static_cast<double>(one.size());
  EXPECT_NEAR(mean, 1.0, 0.02);
  EXPECT_NE(one, to_host<float>(attention(q, k, v, {.dropout = 0.25, .seed = 5, .stream = 10})));
}

TEST(Attention, GradientThroughDropout) {
  const std::vector<Tensor> inputs = {randn({1, 5, 2, 3}, Rng(1), DType::f64),
                                      randn({1, 6, 2, 3}, Rng(2), DType::f64),
                                      randn({1, 6, 2, 4}, Rng(3), DType::f64)};
  test::expect_gradient(
      [](std::span<const Tensor> in) {
        return std::vector{attention(in[0], in[1], in[2], {.dropout = 0.4, .seed = 1})};
      },
      inputs);
}

TEST(Attention, LongSequencesNeedLittleMemory) {
  const test::FewThreads two;
  const int64_t T = 4096, H = 4, D = 64;
  const Tensor q = leaf(randn({1, T, H, D}, Rng(1))), k = leaf(randn({1, T, H, D}, Rng(2)));
  const Tensor v = leaf(randn({1, T, H, D}, Rng(3)));
  CachingAllocator& memory = cpu_device().allocator();
  memory.reset_peak();
  const size_t before = memory.stats().live_bytes;
  const std::vector<Tensor> leaves = {q, k, v};
  gradients(test::weighted_sum(std::vector{attention(q, k, v, {.causal = true})}), leaves);
  const size_t peak = memory.stats().peak_bytes - before;
  EXPECT_LT(peak, static_cast<size_t>(H * T * T) * sizeof(float) / 8);
  RecordProperty("peak_bytes", std::to_string(peak));
}

// A line that falls by a number a step is what ALiBi's distances make: the same weights.
TEST(Attention, AKeyBiasOfPlacesIsOneOfDistances) {
  const Tensor q = randn({1, 9, 2, 4}, Rng(1)), k = randn({1, 9, 2, 4}, Rng(2));
  const Tensor slopes = from_values(alibi_slopes(2), {2});
  const Tensor weights = attention_weights(q, k, {.causal = true, .key_bias = alibi(slopes, 9)});
  const auto got = to_host<double>(weights), m = to_host<double>(slopes);
  const auto qs = to_host<double>(q), ks = to_host<double>(k);
  for (size_t h = 0; h < 2; ++h)
    for (size_t i = 0; i < 9; ++i) {
      std::vector<double> row;
      double sum = 0;
      for (size_t j = 0; j <= i; ++j) {
        double score = 0;
        for (size_t c = 0; c < 4; ++c) score += qs[(i * 2 + h) * 4 + c] * ks[(j * 2 + h) * 4 + c];
        row.push_back(std::exp(score / 2 - m[h] * static_cast<double>(i - j)));
        sum += row.back();
      }
      for (size_t j = 0; j <= i; ++j) EXPECT_NEAR(got[(h * 9 + i) * 9 + j], row[j] / sum, 1e-6);
    }
}

TEST(AttentionErrors, TheKeyBiasMustFitAndHasNoGradient) {
  const Tensor x = zeros({2, 3, 4, 4});
  const auto with = [&](const Tensor& bias) { attention(x, x, x, {.key_bias = bias}); };
  expect_error<ShapeError>(
      [&] {
        with(zeros({1, 4, 2}));
      },
      "attention: the key bias is f32 [1, 4, 2], wanted floats [1 or 2, 4, 3]");
  expect_error<GradError>(
      [&] {
        with(leaf(zeros({1, 4, 3})));
      },
      "attention: the key bias is a constant, it has no gradient");
}

// A bias by distance has as many numbers as there are distances, and so has its gradient.
TEST(Attention, ABiasByDistanceNeedsNoMatrixOfScores) {
  const test::FewThreads two;
  const int64_t T = 2048, H = 2, D = 16;
  const Tensor qkv = leaf(randn({1, T, 3 * H * D}, Rng(1)));
  const Tensor bias = leaf(randn({H, 2 * T - 1}, Rng(2)));
  CachingAllocator& memory = cpu_device().allocator();
  memory.reset_peak();
  const size_t before = memory.stats().live_bytes;
  const std::vector<Tensor> leaves = {qkv, bias};
  const auto grads = gradients(
      test::weighted_sum(std::vector{attention_packed(qkv, H, H, {.distance_bias = bias})}),
      leaves);
  EXPECT_EQ(grads[1].shape(), bias.shape());
  EXPECT_LT(memory.stats().peak_bytes - before, static_cast<size_t>(T * T) * sizeof(float) / 2);
}

TEST(AttentionErrors, ABiasByDistanceMustFitAndGoesAlone) {
  const Tensor x = zeros({2, 3, 4, 4}), right = zeros({4, 5});
  expect_error<ShapeError>(
      [&] {
        attention(x, x, x, {.distance_bias = zeros({4, 3})});
      },
      "attention: the bias by distance is f32 [4, 3], wanted floats [4, 5]: a "
      "number for each head and each of so many distances");
  for (const AttentionOptions& o :
       {AttentionOptions{.cap = 1, .distance_bias = right},
        AttentionOptions{.key_bias = zeros({1, 4, 3}), .distance_bias = right}})
    expect_error<ShapeError>([&] { attention(x, x, x, o); },
                             "attention: a bias by distance goes with no cap and no key bias");
}

TEST(AttentionErrors, HeadsMustShareEvenly) {
  try {
    attention(zeros({1, 2, 3, 4}), zeros({1, 2, 2, 4}), zeros({1, 2, 2, 4}), {});
    FAIL();
  } catch (const ShapeError& error) {
    EXPECT_STREQ(error.what(), "attention: 3 query heads cannot share 2 key heads evenly");
  }
}

}  // namespace
}  // namespace jogak
