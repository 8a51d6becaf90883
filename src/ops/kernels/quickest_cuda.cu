#include "ops/kernels/quickest_cuda.h"

#include <limits>

#include "tensor/cuda.cuh"

namespace jogak::cuda {
namespace {

struct Seen {
  unsigned long long hash, zeros;
  bool operator==(const Seen&) const = default;
};

// Of each number its bits and its place, mixed and added: integers, in whatever order.
__global__ void see_kernel(const uint16_t* numbers, int64_t count, Seen* out) {
  unsigned long long hash = 0, zeros = 0;
  for (int64_t i = first_index(); i < count; i += index_step()) {
    unsigned long long v = static_cast<unsigned long long>(i) << 16 | numbers[i];
    v = (v ^ v >> 31) * 0x9E3779B97F4A7C15ull;
    hash += v ^ v >> 29;
    zeros += (numbers[i] & 0x7fff) == 0;
  }
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    hash += __shfl_xor_sync(~0u, hash, lanes);
    zeros += __shfl_xor_sync(~0u, zeros, lanes);
  }
  if (threadIdx.x % 32 > 0) return;
  atomicAdd(&out->hash, hash);
  atomicAdd(&out->zeros, zeros);
}

Seen seen(OnCuda on, std::span<const Written> results) {
  const Workspace place(on, sizeof(Seen));
  check(cudaMemsetAsync(place.as<Seen>(), 0, sizeof(Seen), device_of(on).stream()), "memory");
  for (const Written& w : results)
    start(on, {.blocks = blocks_for(on, w.count)}, see_kernel,
          static_cast<const uint16_t*>(w.numbers), w.count, place.as<Seen>());
  Seen out = {};
  on.device.read(&out, place.as<std::byte>(), sizeof(out));
  return out;
}

double seconds_of(OnCuda on, int way, const std::function<bool(int)>& run) {
  constexpr int kTimes = 3;
  const auto begin = on.device.record_event();
  for (int i = 0; i < kTimes; ++i) run(way);
  const auto end = on.device.record_event();
  end->wait();
  return end->seconds_since(*begin) / kTimes;
}

}  // namespace

int quickest_alike(OnCuda on, int ways, const std::function<bool(int)>& way,
                   std::span<const Written> results) {
  constexpr double kWorth = 0.98;  // less is noise
  int64_t count = 0;
  for (const Written& w : results) count += w.count;
  if (!way(0)) return 0;
  const Seen first = seen(on, results);
  // Sums of zeros come out alike in every order, and would say nothing.
  if (static_cast<int64_t>(first.zeros) > count / 4) return 0;
  double best = kWorth * seconds_of(on, 0, way);
  int out = 0;
  for (int i = 1; i < ways; ++i) {
    if (!way(i) || seen(on, results) != first) continue;
    if (const double seconds = seconds_of(on, i, way); seconds < best) best = seconds, out = i;
  }
  return out;
}

bool recording(OnCuda on) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  check(cudaStreamIsCapturing(device_of(on).stream(), &status), "stream");
  return status != cudaStreamCaptureStatusNone;
}

}  // namespace jogak::cuda
