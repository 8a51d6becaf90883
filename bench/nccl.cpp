// One GPU exchanges with itself through NCCL, as several would: are the bytes the same, what does
// it cost beside the way through the host's memory, and does a receipt that never comes let go.
//
//   nccl_bench      prints lines of text; 1 where something is wrong; scripts/check-nccl.sh runs it
#include <cuda_runtime.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "base/shortage.h"
#include "group/nccl_group.h"

namespace {

using namespace jogak;
using Clock = std::chrono::steady_clock;

void check(cudaError_t result, const char* what) {
  ensure<DeviceError>(result == cudaSuccess, what, ": ", cudaGetErrorString(result));
}

struct GpuMemory {
  explicit GpuMemory(size_t size) : bytes(size) {
    check(cudaMalloc(&at, std::max<size_t>(size, 1)), "memory");
  }
  ~GpuMemory() { cudaFree(at); }
  GpuMemory(const GpuMemory&) = delete;
  GpuMemory& operator=(const GpuMemory&) = delete;
  std::span<std::byte> span() const { return {static_cast<std::byte*>(at), bytes}; }

  void* at = nullptr;
  size_t bytes;
};

class Alone final : public ProcessGroup {  // with nobody, who may be lost all the same
 public:
  Processes processes() const override { return {}; }
  void exchange(std::span<const Outgoing>, std::span<const Incoming>) override {}
  void check() override { ensure<ProcessLost>(Clock::now() < until, "lost, as it was to be"); }
  Clock::time_point until = Clock::time_point::max();
};

SideStream side_stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
  return {.handle = stream, .done = [stream] {
            const cudaError_t result = cudaStreamQuery(stream);
            if (result != cudaErrorNotReady) check(result, "exchange");
            return result == cudaSuccess;
          }};
}

std::shared_ptr<ProcessGroup> connect(const std::shared_ptr<ProcessGroup>& host) {
  std::string why;
  auto out = connect_gpus(host, {.place = "gpu", .stream = side_stream}, why);
  ensure<DeviceError>(why.empty(), why);
  return out;
}

std::vector<std::byte> noise(size_t size, unsigned seed) {
  std::vector<std::byte> out(size);
  std::mt19937_64 numbers(seed);
  for (size_t at = 0; at < size; at += 8) {
    const uint64_t word = numbers();
    std::memcpy(&out[at], &word, std::min<size_t>(8, size - at));
  }
  return out;
}

double median_seconds(int times, const std::function<void()>& work) {
  std::vector<double> all;
  for (int i = 0; i < times + 2; ++i) {
    const auto begin = Clock::now();
    work();
    if (i >= 2) all.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
  }
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}

// Sizes of GPT-2 124M's weights, in bytes of f32: large and small ones, as gradients travel.
std::vector<size_t> gpt2_sizes() {
  std::vector<size_t> out = {size_t{50257} * 768, size_t{1024} * 768};
  for (int layer = 0; layer < 12; ++layer)
    for (const size_t n :
         {768, 768, 768 * 2304, 2304, 768 * 768, 768, 768, 768, 768 * 3072, 3072, 3072 * 768, 768})
      out.push_back(n);
  out.insert(out.end(), {768, 768});
  for (size_t& one : out) one *= 4;
  return out;
}

struct Pieces {  // of memory of the GPU, from one place to another
  std::vector<std::unique_ptr<GpuMemory>> from, to;
  std::vector<Outgoing> out;
  std::vector<Incoming> in;
  size_t bytes = 0;

  explicit Pieces(const std::vector<size_t>& sizes) {
    for (const size_t size : sizes) {
      from.push_back(std::make_unique<GpuMemory>(size));
      to.push_back(std::make_unique<GpuMemory>(size));
      out.push_back({0, from.back()->span()});
      in.push_back({0, to.back()->span()});
      bytes += size;
    }
  }
  void exchange(ProcessGroup& group) const { group.exchange_on_gpus(out, in); }
  void through_host(std::vector<std::byte>& host) const {
    for (size_t i = 0; i < from.size(); ++i) {
      check(cudaMemcpy(host.data(), from[i]->at, from[i]->bytes, cudaMemcpyDeviceToHost), "read");
      check(cudaMemcpy(to[i]->at, host.data(), from[i]->bytes, cudaMemcpyHostToDevice), "write");
    }
  }
};

bool same_bits(ProcessGroup& group) {
  std::vector<std::vector<size_t>> cases = {
      {1}, {3, 5, 7}, {4096}, {1 << 20, 1, 12345}, gpt2_sizes()};
  size_t bytes = 0, wrong = 0;
  for (unsigned round = 0; round < 3; ++round)
    for (const std::vector<size_t>& sizes : cases) {
      const Pieces pieces(sizes);
      std::vector<std::vector<std::byte>> sent;
      for (size_t i = 0; i < sizes.size(); ++i) {
        sent.push_back(noise(sizes[i], round * 1000 + static_cast<unsigned>(i)));
        check(cudaMemcpy(pieces.from[i]->at, sent[i].data(), sizes[i], cudaMemcpyHostToDevice),
              "write");
      }
      check(cudaDeviceSynchronize(), "write");
      pieces.exchange(group);
      for (size_t i = 0; i < sizes.size(); ++i) {
        std::vector<std::byte> got(sizes[i]);
        check(cudaMemcpy(got.data(), pieces.to[i]->at, sizes[i], cudaMemcpyDeviceToHost), "read");
        wrong += got != sent[i];
      }
      bytes += pieces.bytes;
    }
  std::printf("bits: %zu bytes in %zu exchanges, %zu pieces wrong\n", bytes, 3 * cases.size(),
              wrong);
  return wrong == 0;
}

void cost(ProcessGroup& group) {
  std::printf("%14s %12s %10s %14s %10s\n", "bytes", "NCCL us", "GB/s", "by host us", "GB/s");
  std::vector<std::byte> host(size_t{1} << 29);
  const auto line = [&](const char* name, const std::vector<size_t>& sizes) {
    const Pieces pieces(sizes);
    const int times = pieces.bytes > (1 << 26) ? 5 : 30;
    const double nccl = median_seconds(times, [&] { pieces.exchange(group); });
    const double by_host = median_seconds(times, [&] { pieces.through_host(host); });
    const auto size = static_cast<double>(pieces.bytes);
    std::printf("%14s %12.1f %10.2f %14.1f %10.2f\n", name, 1e6 * nccl, 1e-9 * size / nccl,
                1e6 * by_host, 1e-9 * size / by_host);
  };
  for (size_t size = 4; size <= host.size(); size *= 8) line(std::to_string(size).c_str(), {size});
  line("GPT-2's 148", gpt2_sizes());
}

bool lets_go() {
  const auto host = std::make_shared<Alone>();
  const auto group = connect(host);
  const GpuMemory memory(1 << 20);
  // Nobody sends it. From itself NCCL may refuse such a receipt; then, too, the loss is what is
  // told.
  const Incoming in[] = {{0, memory.span()}};
  host->until = Clock::now() + std::chrono::seconds(1);
  const auto begin = Clock::now();
  std::string said;
  try {
    group->exchange_on_gpus({}, in);
  } catch (const ProcessLost& error) {
    said = error.what();
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  std::printf("a receipt that never comes: \"%s\" after %.2f s\n", said.c_str(), seconds);
  return !said.empty() && seconds < 5;
}

}  // namespace

int main() {
  try {
    cudaDeviceProp about = {};
    check(cudaGetDeviceProperties(&about, 0), "GPU");
    std::printf("%s, %s\n", about.name, Nccl().about.c_str());
    const auto begin = Clock::now();
    const auto group = connect(std::make_shared<Alone>());
    std::printf("connected in %.2f s\n",
                std::chrono::duration<double>(Clock::now() - begin).count());
    bool good = same_bits(*group);
    cost(*group);
    good &= lets_go();
    std::puts(good ? "good" : "WRONG");
    std::fflush(stdout);
    ::_exit(good ? 0 : 1);  // a kernel that was given up may still hold the driver
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
