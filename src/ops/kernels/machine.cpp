#include "ops/kernels/machine.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "base/parallel.h"
#include "ops/kernels/gemm_cpu.h"
#include "ops/kernels/machine_kernel.h"

namespace jogak {
namespace {

constexpr int kRounds = 7;  // the best counts: others may be using the machine

template <class Body>
double best_seconds(Body&& body) {
  using Clock = std::chrono::steady_clock;
  double best = 1e30;
  for (int i = 0; i < kRounds; ++i) {
    const auto start = Clock::now();
    body();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}

volatile float sink;  // keeps results alive

double measure_fma(int64_t rounds) {
  const int threads = thread_count();
  const double seconds = best_seconds([&] {
    std::vector<float> results(static_cast<size_t>(threads));
    parallel_for(threads, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        results[static_cast<size_t>(i)] = cpu::fma_rounds(rounds);
    });
    sink = results[0];
  });
  return cpu::fma_flops_per_round() * static_cast<double>(rounds) * threads / seconds * 1e-9;
}

double measure_bf16() {
  constexpr int64_t kSize = 1024;
  const Tensor a = randn({kSize, kSize}, Rng(1)), b = randn({kSize, kSize}, Rng(2), DType::bf16),
               c = empty_like(a);
  Gemm g{.m = kSize, .n = kSize, .k = kSize, .a = a.raw(), .a_row = kSize};
  g.b = b.raw(), g.b_row = 1, g.b_col = kSize, g.b_bf16 = true;
  g.c = c.raw(), g.c_row = kSize;
  const double seconds = best_seconds([&] { cpu::gemm(g); });
  return 2.0 * kSize * kSize * kSize / seconds * 1e-9;
}

}  // namespace

ReadMeter::ReadMeter() : memory_(zeros({kFloats})) {}

double ReadMeter::once() const {
  constexpr int64_t kPiece = int64_t{1} << 18;
  const float* const data = memory_.data<float>();
  const auto start = std::chrono::steady_clock::now();
  parallel_for(kFloats / kPiece, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) sink = cpu::sum_of(data + i * kPiece, kPiece);
  });
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  return static_cast<double>(kFloats) * sizeof(float) / passed.count() * 1e-9;
}

double ReadMeter::best() const {
  double out = 0;
  for (int i = 0; i < kRounds; ++i) out = std::max(out, once());
  return out;
}

LayerSpeed measure_layer(int64_t m, int64_t n, int64_t k) {
  const Tensor x = randn({m, k}, Rng(1)), w = randn({n, k}, Rng(2)), dy = randn({m, n}, Rng(3));
  const Tensor y = empty_like(dy), dx = empty_like(x), dw = empty_like(w);
  const Gemm forward{.m = m,
                     .n = n,
                     .k = k,
                     .a = x.raw(),
                     .a_row = k,
                     .b = w.raw(),
                     .b_row = 1,
                     .b_col = k,
                     .c = y.raw(),
                     .c_row = n};
  const Gemm inputs{.m = m,
                    .n = k,
                    .k = n,
                    .a = dy.raw(),
                    .a_row = n,
                    .b = w.raw(),
                    .b_row = k,
                    .c = dx.raw(),
                    .c_row = k};
  const Gemm weights{.m = n,
                     .n = k,
                     .k = m,
                     .a = dy.raw(),
                     .a_row = 1,
                     .a_col = n,
                     .b = x.raw(),
                     .b_row = k,
                     .c = dw.raw(),
                     .c_row = k};
  const double flops =
      2e-9 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  const auto times = static_cast<int>(2 / flops) + 1;  // about a hundredth of a second and more
  LayerSpeed best;
  const auto better = [&](double& value, const Gemm& g) {
    const double seconds = best_seconds([&] {
      for (int i = 0; i < times; ++i) cpu::gemm(g);
    });
    value = std::max(value, flops * times / seconds);
  };
  for (int round = 0; round < 3; ++round) {
    best.peak = std::max(best.peak, measure_fma(500'000));
    better(best.forward, forward);
    better(best.inputs, inputs);
    better(best.weights, weights);
  }
  return best;
}

MachinePeaks measure_machine() {
  return {measure_fma(5'000'000), measure_bf16(), ReadMeter().best()};
}

}  // namespace jogak
