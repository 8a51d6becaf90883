#include "tensor/cuda_device.h"

#include <cstring>
#include <vector>

#include "tensor/cuda_check.cuh"
#include "tensor/cuda_recording.cuh"
#include "tensor/devices.h"

namespace jogak {
namespace {

using cuda::check;

// What this thread asks the runtime for is asked of that GPU from here on.
void use_here(int number) {
  thread_local int used = -1;
  if (used == number) return;
  check(cudaSetDevice(number), "device");
  used = number;
}

class CudaEvent final : public Event {
 public:
  CudaEvent(int gpu, cudaStream_t stream) : gpu_(gpu) {
    use_here(gpu_);
    check(cudaEventCreate(&event_), "event");
    const bool recorded = CudaRecording::here() != nullptr;  // then it is of each start
    check(cudaEventRecordWithFlags(event_, stream, recorded ? cudaEventRecordExternal : 0),
          "event");
  }
  ~CudaEvent() override { cudaEventDestroy(event_); }
  bool done() const override {
    use_here(gpu_);
    const cudaError_t result = cudaEventQuery(event_);
    if (result != cudaErrorNotReady) check(result, "event");
    return result == cudaSuccess;
  }
  void wait() override {
    use_here(gpu_);
    check(cudaEventSynchronize(event_), "event");
  }
  double seconds_since(const Event& earlier) const override {
    float milliseconds = 0;
    check(
        cudaEventElapsedTime(&milliseconds, static_cast<const CudaEvent&>(earlier).event_, event_),
        "event");
    return 1e-3 * milliseconds;
  }

 private:
  int gpu_;
  cudaEvent_t event_ = nullptr;
};

}  // namespace

// Pinned memory that small writes pass through on their way, slot after slot: the caller's bytes
// are free at once, and nobody waits unless all slots are on their way.
struct CudaDevice::Staging {
  static constexpr size_t kSlot = size_t{1} << 18;
  static constexpr int kSlots = 32;
  std::byte* memory = nullptr;
  cudaEvent_t used[kSlots] = {};
  bool waiting[kSlots] = {};
  int next = 0;
  std::mutex mutex;

  Staging() {
    check(cudaMallocHost(reinterpret_cast<void**>(&memory), kSlot * kSlots), "pinned memory");
    for (cudaEvent_t& event : used)
      check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "event");
  }
  ~Staging() {
    for (cudaEvent_t event : used) cudaEventDestroy(event);
    cudaFreeHost(memory);
  }

  void send(std::byte* device, const void* host, size_t bytes, cudaStream_t stream) {
    const std::scoped_lock lock(mutex);
    const int slot = next;
    next = (next + 1) % kSlots;
    if (waiting[slot]) check(cudaEventSynchronize(used[slot]), "write");
    std::byte* const from = memory + static_cast<size_t>(slot) * kSlot;
    std::memcpy(from, host, bytes);
    check(cudaMemcpyAsync(device, from, bytes, cudaMemcpyHostToDevice, stream), "write");
    check(cudaEventRecord(used[slot], stream), "write");
    waiting[slot] = true;
  }
};

// Pinned memory that small reads arrive in. One that is waited for may be behind others, so each
// has a place of its own until it is dropped.
struct CudaDevice::Landing {
  static constexpr size_t kPlace = 256;
  std::vector<std::byte*> free;
  std::mutex mutex;

  ~Landing() {
    for (std::byte* place : free) cudaFreeHost(place);
  }
  std::byte* take() {
    const std::scoped_lock lock(mutex);
    void* place = nullptr;
    if (free.empty()) {
      check(cudaMallocHost(&place, kPlace), "pinned memory");
    } else {
      place = free.back();
      free.pop_back();
    }
    return static_cast<std::byte*>(place);
  }
  void give(std::byte* place) {
    const std::scoped_lock lock(mutex);
    free.push_back(place);
  }
};

class CudaDevice::Arrival final : public Arriving {
 public:
  Arrival(CudaDevice& device, const std::byte* from, size_t bytes)
      : device_(device), place_(device.landing_->take()), bytes_(bytes) {
    check(cudaMemcpyAsync(place_, from, bytes, cudaMemcpyDeviceToHost, device.stream()), "read");
    done_ = std::make_unique<CudaEvent>(device.number_, device.stream());
  }
  // Whoever takes the place next is behind in the stream.
  ~Arrival() override { device_.landing_->give(place_); }
  std::span<const std::byte> wait() override {
    done_->wait();
    device_.report_fault();
    return {place_, bytes_};
  }

 private:
  CudaDevice& device_;
  std::byte* place_;
  size_t bytes_;
  std::unique_ptr<Event> done_;
};

CudaDevice::CudaDevice(int number)
    : Device(Kind::cuda, "cuda",
             {[number](size_t bytes) -> std::byte* {
                use_here(number);
                void* block = nullptr;
                const cudaError_t result = cudaMalloc(&block, bytes);
                if (result == cudaErrorMemoryAllocation) {
                  cudaGetLastError();  // it is reported by the allocator, not by the next launch
                  return nullptr;
                }
                check(result, "memory");
                return static_cast<std::byte*>(block);
              },
              [](std::byte* block, size_t) { cudaFree(block); }}),
      number_(number) {
  use_here(number);
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
  check(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, number),
        "device");
  check(cudaDeviceGetAttribute(&shared_memory_, cudaDevAttrMaxSharedMemoryPerBlockOptin, number),
        "device");
  check(cudaHostAlloc(reinterpret_cast<void**>(&fault_), sizeof(CudaFault), cudaHostAllocMapped),
        "pinned memory");
  *fault_ = {};
  check(cudaHostGetDevicePointer(reinterpret_cast<void**>(&fault_on_device_), fault_, 0),
        "pinned memory");
  check(cudaMalloc(reinterpret_cast<void**>(&later_streams_), sizeof(uint64_t)), "memory");
  check(cudaMemset(later_streams_, 0, sizeof(uint64_t)), "memory");
  staging_ = std::make_unique<Staging>();
  landing_ = std::make_unique<Landing>();
}

CudaDevice::~CudaDevice() {
  cudaStreamSynchronize(stream_);
  allocator().trim();
  cudaFree(later_streams_);
  cudaFreeHost(fault_);
  cudaStreamDestroy(stream_);
}

void CudaDevice::enqueue(std::function<void()>) {
  fail<DeviceError>("cuda: a kernel of the host was sent to the GPU");
}

CUstream_st* CudaDevice::stream() const {
  use_here(number_);
  const CudaRecording* const open = CudaRecording::here();
  return open ? open->stream() : stream_;
}

std::unique_ptr<Event> CudaDevice::record_event() {
  decided_by_host();
  return std::make_unique<CudaEvent>(number_, stream_);
}

std::unique_ptr<Recorded> CudaDevice::record(const std::function<void()>& work) {
  try {
    CudaRecording kept(*this, stream_, later_streams_);
    kept.add(work);
    return kept.finish();
  } catch (const DeviceError&) {
    return nullptr;  // what cannot be recorded can still be done
  }
}

void CudaDevice::report_fault() {
  if (fault_->kind == CudaFault::none) return;
  const CudaFault f = *fault_;
  *fault_ = {};
  switch (f.kind) {
    case CudaFault::id:
      fail("embedding: found id ", f.value, " at place ", f.place, ", the table has ", f.limit,
           " rows");
    case CudaFault::target:
      fail("cross_entropy: target ", f.value, " of row ", f.place, ", wanted 0 to ", f.limit - 1,
           " (", f.limit, " classes) or ", f.ignored, " (ignored)");
    default:
      fail("batch_norm: training wants at least 2 rows that count, the mask leaves ", f.value);
  }
}

void CudaDevice::synchronize() {
  decided_by_host();
  check(cudaStreamSynchronize(stream_), "a kernel");
  report_fault();
}

size_t CudaDevice::free_memory() const {
  size_t left = 0, all = 0;
  use_here(number_);
  check(cudaMemGetInfo(&left, &all), "memory");
  return left;
}

void CudaDevice::read(void* host, const std::byte* device, size_t bytes) {
  decided_by_host();
  if (bytes) check(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream_), "read");
  synchronize();
}

void CudaDevice::write(std::byte* device, const void* host, size_t bytes) {
  if (bytes == 0) return;
  decided_by_host();
  send(device, host, bytes);
}

std::byte* CudaDevice::keep(const void* host, size_t bytes) {
  CudaRecording* const open = CudaRecording::here();
  if (!open) return nullptr;
  std::byte* const out = open->keep(bytes);
  send(out, host, bytes);
  return out;
}

void CudaDevice::send(std::byte* device, const void* host, size_t bytes) {
  if (bytes <= Staging::kSlot) return staging_->send(device, host, bytes, stream_);
  check(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream_), "write");
  check(cudaStreamSynchronize(stream_), "write");
}

std::unique_ptr<Arriving> CudaDevice::read_later(const std::byte* device, size_t bytes) {
  if (bytes > Landing::kPlace) return Device::read_later(device, bytes);
  return std::make_unique<Arrival>(*this, device, bytes);
}

SideStream open_side_stream(Device& device) {
  const auto here = [&device] { static_cast<CudaDevice&>(device).stream(); };  // this thread's GPU
  here();
  int least = 0, most = 0;  // of priorities: what waits for others goes first
  check(cudaDeviceGetStreamPriorityRange(&least, &most), "stream");
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, most), "stream");
  return {.handle = stream, .done = [stream, here] {
            here();
            const cudaError_t result = cudaStreamQuery(stream);
            if (result != cudaErrorNotReady) check(result, "exchange");
            return result == cudaSuccess;
          }};
}

CudaFound open_cuda(int64_t number) {
  CudaFound out;
  int count = 0;
  const cudaError_t result = cudaGetDeviceCount(&count);
  if (result != cudaSuccess || count == 0) {
    cudaGetLastError();
    out.about = result == cudaErrorInsufficientDriver ? "no NVIDIA driver, or one that is too old"
                : result == cudaSuccess || result == cudaErrorNoDevice ? "no NVIDIA GPU was found"
                                                                       : cudaGetErrorString(result);
    return out;
  }
  cudaDeviceProp about = {};
  const int chosen = static_cast<int>(number % count);
  try {
    check(cudaGetDeviceProperties(&about, chosen), "device");
    ensure<DeviceError>(about.major >= 8, "the GPU ", about.name, " has compute capability ",
                        about.major, ".", about.minor, ", wanted 8.0 or later");
    static CudaDevice* const device = new CudaDevice(chosen);  // outlives every static tensor
    char place[32] = {};
    check(cudaDeviceGetPCIBusId(place, sizeof place, chosen), "device");
    out = {.device = device,
           .about = text_of(about.name, ", compute capability ", about.major, ".", about.minor),
           .memory = about.totalGlobalMem,
           .count = count,
           .place = place};
  } catch (const Error& error) {
    out.about = error.what();
  }
  return out;
}

}  // namespace jogak
