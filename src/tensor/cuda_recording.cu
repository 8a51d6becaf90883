#include "tensor/cuda_check.cuh"
#include "tensor/cuda_recording.cuh"

namespace jogak {
namespace {

using cuda::check;

thread_local CudaRecording* recording = nullptr;

}  // namespace

struct CudaRecording::Memory {
  explicit Memory(CachingAllocator& allocator) : pool(allocator) {}
  ~Memory() {
    for (void* block : kept) cudaFree(block);
  }
  CachingAllocator::Pool pool;  // what kernels use, one after the other
  std::vector<void*> kept;      // no part of it: each start finds there what was written once
};

class CudaRecording::Graph final : public Recorded {
 public:
  Graph(const CudaRecording& recorded, cudaGraph_t graph, std::unique_ptr<Memory> memory)
      : device_(recorded.device_),
        stream_(recorded.runs_in_),
        later_streams_(recorded.later_streams_),
        memory_(std::move(memory)) {
    check(cudaGraphInstantiate(&work_, graph, 0), "graph");
  }
  ~Graph() override {
    cudaStreamSynchronize(stream_);  // it may be running
    cudaGraphExecDestroy(work_);
  }
  void start(uint64_t later) override {
    if (later > 0) set_later(later);
    check(cudaGraphLaunch(work_, stream_), "graph");
    if (later > 0) set_later(0);  // what is not recorded names its streams as they are
  }

 private:
  void set_later(uint64_t streams) {
    device_.write(reinterpret_cast<std::byte*>(later_streams_), &streams, sizeof(streams));
  }

  Device& device_;
  cudaStream_t stream_;
  uint64_t* later_streams_;
  std::unique_ptr<Memory> memory_;
  cudaGraphExec_t work_ = nullptr;
};

CudaRecording* CudaRecording::here() { return recording; }

CudaRecording::CudaRecording(Device& device, CUstream_st* runs_in, uint64_t* later_streams)
    : device_(device),
      runs_in_(runs_in),
      later_streams_(later_streams),
      memory_(std::make_unique<Memory>(device.allocator())) {
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
  // Relaxed: memory may be asked for meanwhile.
  check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed), "graph");
  recording = this;
}

CudaRecording::~CudaRecording() {
  recording = nullptr;
  if (memory_) {  // it was given up
    cudaGraph_t graph = nullptr;
    cudaStreamEndCapture(stream_, &graph);
    if (graph) cudaGraphDestroy(graph);
    cudaGetLastError();
  }
  cudaStreamDestroy(stream_);
}

void CudaRecording::add(const std::function<void()>& work) {
  const RecordingHere here;
  const CachingAllocator::Pool::Open open(memory_->pool);
  work();
}

std::byte* CudaRecording::keep(size_t bytes) {
  void* block = nullptr;
  check(cudaMalloc(&block, bytes), "memory");
  memory_->kept.push_back(block);
  return static_cast<std::byte*>(block);
}

std::unique_ptr<Recorded> CudaRecording::finish() {
  cudaGraph_t graph = nullptr;
  recording = nullptr;
  std::unique_ptr<Memory> memory = std::move(memory_);
  check(cudaStreamEndCapture(stream_, &graph), "graph");
  const std::unique_ptr<CUgraph_st, cudaError_t (*)(cudaGraph_t)> held(graph, cudaGraphDestroy);
  return std::make_unique<Graph>(*this, graph, std::move(memory));
}

}  // namespace jogak
