#include "app/models/device.h"

#include "ops/kernels/cuda_library.h"
#include "ops/kernels/isa.h"
#include "tensor/devices.h"

namespace jogak {
namespace {

Device*& chosen() {
  static Device* device = &cpu_device();
  return device;
}

// What is there already, or undefined, stays as it is, with its history.
struct Bring {
  Device* device;
  Tensor operator()(const Tensor& x) const {
    return !x.defined() || &x.device() == device ? x : to_device(x, *device);
  }
  Source operator()(const Source& x) const { return {(*this)(x.ids), (*this)(x.mask)}; }
  EncoderInput operator()(const EncoderInput& x) const {
    return {(*this)(x.values), (*this)(x.mask), (*this)(x.token_types), (*this)(x.positions),
            (*this)(x.wanted)};
  }
  Run& operator()(Run& run) const {
    run.key_mask = (*this)(run.key_mask);
    return run;
  }
  double operator()(double x) const { return x; }
  Reduction operator()(Reduction x) const { return x; }
};

template <class... In>
void bring_to(std::function<Tensor(In...)>& f, Bring bring) {
  if (!f) return;
  f = [bring, inner = std::move(f)](In... in) { return inner(bring(in)...); };
}

}  // namespace

std::vector<DeviceInfo> list_devices() {
  const CudaFound& cuda = find_cuda();
  const std::string missing = cuda.device ? missing_cuda_libraries() : std::string();
  return {{.name = "cpu", .about = isa_name(), .device = &cpu_device()},
          {.name = "cuda",
           .about = missing.empty() ? cuda.about : missing,
           .memory = cuda.memory,
           .device = missing.empty() ? cuda.device : nullptr}};
}

void use_device(const std::string& name) {
  for (const DeviceInfo& found : list_devices()) {
    if (found.name != name) continue;
    ensure<UsageError>(found.device != nullptr, "--device ", name, ": ", found.about);
    chosen() = found.device;
    return;
  }
  fail<UsageError>("--device: found ", name, ", wanted cpu or cuda");
}

Device& model_device() { return *chosen(); }

void bring_inputs(Model& model) {
  const Bring bring{&model.store->device()};
  if (bring.device == &cpu_device()) return;
  bring_to(model.causal.forward, bring);
  bring_to(model.loss_sum, bring);
  bring_to(model.read, bring);
  bring_to(model.seq2seq.encode, bring);
  bring_to(model.seq2seq.decode, bring);
  bring_to(model.seq2seq.read, bring);
  bring_to(model.seq2seq.loss_sum, bring);
  bring_to(model.seq2seq.decoder.forward, bring);
  bring_to(model.encoder.hidden, bring);
  bring_to(model.encoder.pooled, bring);
  bring_to(model.encoder.predict, bring);
  bring_to(model.encoder.read, bring);
  bring_to(model.encoder.loss, bring);
}

}  // namespace jogak
