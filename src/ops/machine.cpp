#include "ops/machine.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "base/parallel.h"
#include "ops/gemm_cpu.h"
#include "ops/machine_kernel.h"

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

double measure_fma() {
  constexpr int64_t kLoops = 20'000'000;
  const int threads = thread_count();
  const double seconds = best_seconds([&] {
    std::vector<float> results(static_cast<size_t>(threads));
    parallel_for(threads, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        results[static_cast<size_t>(i)] = cpu::fma_rounds(kLoops / 4);
    });
    sink = results[0];
  });
  return cpu::fma_flops_per_round() * (kLoops / 4) * threads / seconds * 1e-9;
}

double measure_bf16() {
  constexpr int64_t kSize = 1024;
  const Tensor a = randn({kSize, kSize}, Rng(1)), b = randn({kSize, kSize}, Rng(2), DType::bf16),
               c = empty_like(a);
  cpu::Gemm g{.m = kSize, .n = kSize, .k = kSize, .a = a.raw(), .a_row = kSize};
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

MachinePeaks measure_machine() { return {measure_fma(), measure_bf16(), ReadMeter().best()}; }

}  // namespace jogak
