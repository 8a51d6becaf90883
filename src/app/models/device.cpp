#include "app/models/device.h"

#include "base/error.h"
#include "group/place.h"
#include "ops/kernels/cuda_library.h"
#include "ops/kernels/isa.h"
#include "tensor/devices.h"

namespace jogak {
namespace {

Device*& chosen() {
  static Device* device = &cpu_device();
  return device;
}

}  // namespace

std::vector<DeviceInfo> list_devices() {
  const CudaFound& cuda = find_cuda();
  const std::string missing = cuda.device ? missing_cuda_libraries() : std::string();
  return {{.name = "cpu", .about = isa_name(), .device = &cpu_device()},
          {.name = "cuda",
           .about = missing.empty() ? cuda.about : missing,
           .libraries = cuda.device && missing.empty() ? attention_library() : std::string(),
           .memory = cuda.memory,
           .device = missing.empty() ? cuda.device : nullptr}};
}

void use_device(const std::string& name) {
  prefer_gpu(number_on_this_machine());
  for (const DeviceInfo& found : list_devices()) {
    if (found.name != name) continue;
    ensure<UsageError>(found.device != nullptr, "--device ", name, ": ", found.about);
    chosen() = found.device;
    return;
  }
  fail<UsageError>("--device: found ", name, ", wanted cpu or cuda");
}

Device& model_device() { return *chosen(); }

}  // namespace jogak
