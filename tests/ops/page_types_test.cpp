// Pages in bf16 and 8 bits: attention over what they hold, which is what rounding leaves.
#include <gtest/gtest.h>

#include <cmath>

#include "ops/paged_attention.h"
#include "tensor/devices.h"
#include "tests/ops/case.h"

namespace jogak::test {
namespace {

struct Sizes {
  int64_t tokens, rows, heads, kv_heads, key, value;
};

// The numbers of one token and head, as a page of that type keeps them.
std::vector<double> kept(CacheType type, const float* x, int64_t width) {
  std::vector<double> out;
  float most = 0;
  for (int64_t i = 0; i < width; ++i) most = std::max(most, std::fabs(x[i]));
  const float steps = most > 0 ? 127 / most : 0;
  for (int64_t i = 0; i < width; ++i)
    out.push_back(type == CacheType::bf16 ? static_cast<float>(BFloat16(x[i]))
                  : type == CacheType::q8 ? most / 127 * std::nearbyint(x[i] * steps)
                                          : x[i]);
  return out;
}

std::vector<Tensor> inputs_of(const Sizes& n) {
  return make_inputs({{{n.rows, n.heads, n.key}, Fill::normal},
                      {{n.tokens, n.kv_heads, n.key}, Fill::normal},
                      {{n.tokens, n.kv_heads, n.value}, Fill::normal}},
                     DType::f32);
}

// Where pages lie, and what queries and the rows that fill them are.
struct Place {
  Device& device = cpu_device();
  DType dtype = DType::f32;
};

// The last rows of a sequence whose pages were filled `step` tokens at a time.
std::vector<float> over_pages(const Sizes& n, CacheType type, std::span<const Tensor> in,
                              int64_t step, Place place = {}) {
  PageLayout layout{n.kv_heads, n.key, n.value, 0, type};
  layout.first = layout.key_size() + layout.value_size();  // the second of two layers
  std::vector<Tensor> memory;
  PageRun run{.first = 0, .rows = n.rows, .position = n.tokens - n.rows, .pages = {}};
  for (int64_t t = 0; t < n.tokens; t += kPageTokens) {
    memory.push_back(zeros({2 * layout.first}, DType::f32, place.device));
    run.pages.push_back(page_address(memory.back()));
  }
  const int64_t width = n.kv_heads * (n.key + n.value);
  const Tensor rows = empty({n.tokens, width});
  for (int64_t t = 0; t < n.tokens; ++t) {
    std::copy_n(in[1].data<float>() + t * n.kv_heads * n.key, n.kv_heads * n.key,
                rows.data<float>() + t * width);
    std::copy_n(in[2].data<float>() + t * n.kv_heads * n.value, n.kv_heads * n.value,
                rows.data<float>() + t * width + n.kv_heads * n.key);
  }
  const Tensor there = to_device(cast(rows, place.dtype), place.device);
  for (int64_t t = 0; t < n.tokens; t += step) {
    const int64_t count = std::min(step, n.tokens - t);
    std::vector<int64_t> pages, places;
    for (int64_t i = t; i < t + count; ++i)
      pages.push_back(run.pages[static_cast<size_t>(i / kPageTokens)]),
          places.push_back(i % kPageTokens);
    cache_rows(there.view({count, width}, {width, 1}, t * width),
               page_slots(pages, places, place.device), layout);
  }
  const Tensor q = to_device(cast(in[0], place.dtype), place.device);
  return to_host<float>(paged_attention(q, page_runs({run}, place.device), layout));
}

std::vector<double> plain(const Sizes& n, CacheType type, std::span<const Tensor> in) {
  std::vector<double> out;
  for (int64_t r = 0; r < n.rows; ++r)
    for (int64_t h = 0; h < n.heads; ++h) {
      const int64_t kv = h / (n.heads / n.kv_heads), seen = n.tokens - n.rows + r + 1;
      std::vector<double> sum(static_cast<size_t>(n.value));
      double all = 0;
      for (int64_t t = 0; t < seen; ++t) {
        const int64_t at = t * n.kv_heads + kv;
        const auto k = kept(type, in[1].data<float>() + at * n.key, n.key);
        const auto v = kept(type, in[2].data<float>() + at * n.value, n.value);
        double score = 0;
        for (int64_t c = 0; c < n.key; ++c)
          score += in[0].data<float>()[(r * n.heads + h) * n.key + c] * k[static_cast<size_t>(c)];
        const double weight = std::exp(score / std::sqrt(static_cast<double>(n.key)));
        all += weight;
        for (size_t c = 0; c < sum.size(); ++c) sum[c] += weight * v[c];
      }
      for (const double s : sum) out.push_back(s / all);
    }
  return out;
}

constexpr Sizes kSizes[] = {{1, 1, 1, 1, 4, 4},     {65, 1, 4, 2, 8, 8},
                            {70, 20, 2, 2, 5, 7},   {150, 40, 2, 1, 16, 24},
                            {130, 2, 4, 1, 64, 64}, {64, 64, 1, 1, 20, 33}};

// f32 sums of at most 150 terms of size 1: as those of the op's other cases.
TEST(PageTypes, AttentionIsOverWhatThePagesKeep) {
  for (const CacheType type : {CacheType::f32, CacheType::bf16, CacheType::q8})
    for (const Sizes& n : kSizes) {
      const std::vector<Tensor> in = inputs_of(n);
      const std::vector<float> got = over_pages(n, type, in, n.tokens);
      const std::vector<double> wanted = plain(n, type, in);
      ASSERT_EQ(got.size(), wanted.size());
      for (size_t i = 0; i < got.size(); ++i)
        ASSERT_NEAR(got[i], wanted[i], 4e-6) << static_cast<int>(type) << " " << n.tokens;
    }
}

// A value is off by at most half a step of its type. A score is off by |q|_1 times half a step of
// the keys (over the root of the width), which changes a weight by at most that factor twice (its
// own and the sum's); so the result is off by the values' half step and twice that times their
// size. Normal numbers here stay below 5.
TEST(PageTypes, ResultsAreAsNearAsHalfAStepAllows) {
  for (const auto& [type, half] :
       {std::pair{CacheType::bf16, 5.0 / 256 / 2}, std::pair{CacheType::q8, 5.0 / 127 / 2}})
    for (const Sizes& n : kSizes) {
      const std::vector<Tensor> in = inputs_of(n);
      double most = 0;  // of |q|_1
      for (int64_t r = 0; r < n.rows * n.heads; ++r) {
        double sum = 0;
        for (int64_t c = 0; c < n.key; ++c) sum += std::fabs(in[0].data<float>()[r * n.key + c]);
        most = std::max(most, sum);
      }
      const double score = half * most / std::sqrt(static_cast<double>(n.key));
      const double allowed = half + 5 * (std::exp(2 * score) - 1);
      const std::vector<float> exact = over_pages(n, CacheType::f32, in, n.tokens);
      const std::vector<float> got = over_pages(n, type, in, n.tokens);
      for (size_t i = 0; i < got.size(); ++i) ASSERT_LE(std::fabs(got[i] - exact[i]), allowed);
    }
}

TEST(PageTypes, HowManyTokensComeTogetherChangesNoBit) {
  for (const CacheType type : {CacheType::f32, CacheType::bf16, CacheType::q8})
    for (const Sizes& n : kSizes) {
      const std::vector<Tensor> in = inputs_of(n);
      const std::vector<float> whole = over_pages(n, type, in, n.tokens);
      for (const int64_t step : {1, 7}) EXPECT_EQ(over_pages(n, type, in, step), whole);
    }
}

TEST(PageTypes, NumbersThatAreNotFiniteAreNotHidden) {
  const Sizes n{3, 1, 1, 1, 8, 8};
  for (const CacheType type : {CacheType::bf16, CacheType::q8}) {
    std::vector<Tensor> in = inputs_of(n);
    in[2].data<float>()[5] = NAN;
    bool any = false;
    for (const float x : over_pages(n, type, in, 3)) any |= std::isnan(x);
    EXPECT_TRUE(any);
  }
}

TEST(PageTypes, OnAGpuRowsOfBf16AreKeptAsTheyAre) {
  if (!find_cuda().device) GTEST_SKIP() << find_cuda().about;
  for (const Sizes& n : kSizes) {
    const std::vector<Tensor> in = inputs_of(n);
    const Place rows{*find_cuda().device, DType::bf16};
    EXPECT_EQ(over_pages(n, CacheType::bf16, in, n.tokens, rows),
              over_pages(n, CacheType::f32, in, n.tokens, rows))
        << n.tokens;
  }
}

// f32 sums as on the CPU, with the GPU's exp.
TEST(PageTypes, OnAGpuAttentionIsOverWhatThePagesKeep) {
  if (!find_cuda().device) GTEST_SKIP() << find_cuda().about;
  for (const CacheType type : {CacheType::f32, CacheType::bf16})
    for (const Sizes& n : kSizes) {
      const std::vector<Tensor> in = inputs_of(n);
      const std::vector<float> got =
          over_pages(n, type, in, n.tokens, {*find_cuda().device, DType::f32});
      const std::vector<double> wanted = plain(n, type, in);
      ASSERT_EQ(got.size(), wanted.size());
      for (size_t i = 0; i < got.size(); ++i)
        ASSERT_NEAR(got[i], wanted[i], 4e-6) << static_cast<int>(type) << " " << n.tokens;
    }
}

TEST(PageTypes, RoomIsAHalfAndAQuarter) {
  const PageLayout f32{4, 64, 64}, bf16{4, 64, 64, 0, CacheType::bf16},
      q8{4, 64, 64, 0, CacheType::q8};
  EXPECT_EQ(f32.key_size(), 4 * 64 * 64);
  EXPECT_EQ(bf16.key_size(), 4 * 64 * 64 / 2);
  EXPECT_EQ(q8.key_size(), 4 * 64 * 64 / 4 + 4 * 64);  // and a scale for each token and head
  EXPECT_EQ(q8.value_size(), q8.key_size());
}

}  // namespace
}  // namespace jogak::test
