#include <functional>
#include <utility>

#include "app/models/device.h"
#include "app/models/model.h"

namespace jogak {
namespace {

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
    run.positions = (*this)(run.positions);
    run.token_types = (*this)(run.token_types);
    return run;
  }
  double operator()(double x) const { return x; }
  const CrossEntropyOptions& operator()(const CrossEntropyOptions& x) const { return x; }
};

template <class... In>
void bring_to(std::function<Tensor(In...)>& f, Bring bring) {
  if (!f) return;
  f = [bring, inner = std::move(f)](In... in) { return inner(bring(in)...); };
}

}  // namespace

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
  bring_to(model.match.image, bring);
  bring_to(model.match.text, bring);
  bring_to(model.match.scores, bring);
}

}  // namespace jogak
