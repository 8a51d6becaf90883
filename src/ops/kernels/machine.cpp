#include "ops/kernels/machine.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <vector>

#include "base/parallel.h"
#include "ops/kernels/gemm_cpu.h"
#include "ops/kernels/isa_small.h"
#include "ops/kernels/machine_kernel.h"
#include "tensor/packed.h"

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

// rounds(n) on every thread at once; it gives the operations it has done.
template <class Rounds>
double measure_rounds(int64_t count, Rounds&& rounds) {
  std::vector<double> done(static_cast<size_t>(thread_count()));
  const double seconds = best_seconds([&] {
    parallel_for(thread_count(), 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) done[static_cast<size_t>(i)] = rounds(count);
    });
  });
  return std::accumulate(done.begin(), done.end(), 0.0) / seconds * 1e-9;
}

double measure_f32(int64_t rounds) {
  return measure_rounds(rounds, [](int64_t count) {
    sink = cpu::fma_rounds(count);
    return cpu::fma_flops_per_round() * static_cast<double>(count);
  });
}

double measure_bf16(int64_t rounds) {
  if (cpu::bf16_rounds(1) == 0) return measure_f32(rounds);
  const int64_t tiles = isa_has_amx() ? 16 : 1;  // each as long as so many vectors
  return measure_rounds(rounds / tiles, cpu::bf16_rounds);
}

double measure_int8(int64_t rounds) {
  if (cpu::int8_rounds(1) == 0) return 0;
  const int64_t tiles = isa_has_amx() ? 16 : 1;
  return measure_rounds(rounds / tiles, cpu::int8_rounds);
}

double peak_of(DType dtype, int value_bits) {
  constexpr int64_t kRoundsOfLayer = 500'000;
  if (dtype == DType::bf16) return measure_bf16(kRoundsOfLayer);
  const int planes = value_bits / 8;
  const double bytes = dtype == DType::packed ? measure_int8(kRoundsOfLayer) / planes : 0;
  return bytes > 0 ? bytes : measure_f32(kRoundsOfLayer);
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

LayerSpeed measure_layer(int64_t m, int64_t n, int64_t k, DType dtype, int value_bits) {
  const bool packed_weights = dtype == DType::packed;
  const DType values = packed_weights ? DType::f32 : dtype;
  const Tensor x = randn({m, k}, Rng(1), values), dy = randn({m, n}, Rng(3), values);
  Tensor w = randn({n, k}, Rng(2), values);
  if (packed_weights) w = packed(quantized(w, 8, k), value_bits);
  const Tensor y = empty_like(dy), dx = empty_like(x), dw = empty({n, k}, values);
  Gemm forward{.dtype = values, .m = m, .n = n, .k = k, .a = x.raw(), .a_row = k};
  forward.b = w.raw(), forward.b_row = 1, forward.b_col = k, forward.b_packed = packed_weights;
  forward.c = y.raw(), forward.c_row = n;
  Gemm inputs{.dtype = values, .m = m, .n = k, .k = n, .a = dy.raw(), .a_row = n};
  inputs.b = w.raw(), inputs.b_row = k, inputs.c = dx.raw(), inputs.c_row = k;
  Gemm weights{.dtype = values, .m = n, .n = k, .k = m, .a = dy.raw(), .a_row = 1, .a_col = n};
  weights.b = x.raw(), weights.b_row = k, weights.c = dw.raw(), weights.c_row = k;
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
    best.peak = std::max(best.peak, peak_of(dtype, value_bits));
    better(best.forward, forward);
    if (packed_weights) continue;  // they do not learn
    better(best.inputs, inputs);
    better(best.weights, weights);
  }
  return best;
}

MachinePeaks measure_machine() {
  constexpr int64_t kRoundsOfMachine = 5'000'000;
  return {measure_f32(kRoundsOfMachine), measure_bf16(kRoundsOfMachine),
          measure_int8(kRoundsOfMachine), ReadMeter().best()};
}

}  // namespace jogak
