#include "ops/swiglu.h"

#include "autograd/autograd.h"
#include "ops/swiglu_kernel.h"

namespace jogak {

Tensor swiglu(const Tensor& gate_in, const Tensor& up_in) {
  ensure<ShapeError>(is_float(gate_in.dtype()), "swiglu: found dtype ", gate_in.dtype(),
                     ", wanted a float type");
  ensure<ShapeError>(gate_in.shape() == up_in.shape() && gate_in.dtype() == up_in.dtype(),
                     "swiglu: found a gate of ", gate_in.dtype(), " ", gate_in.shape(), " beside ",
                     up_in.dtype(), " ", up_in.shape());
  ensure<DeviceError>(&gate_in.device() == &up_in.device(), "swiglu: found the gate on ",
                      gate_in.device().name(), " and its twin on ", up_in.device().name());
  const Tensor gate = dense(gate_in), up = dense(up_in), y = empty_like(gate);
  launch(y.device(), SwigluArgs{y.dtype(), gate.raw(), up.raw(), y.raw(), y.count()});
  return record(
      "swiglu", y, {gate_in, up_in}, [gate = Saved(gate), up = Saved(up)](const Tensor& dy_in) {
        const Tensor dy = dense(dy_in), d_gate = empty_like(dy), d_up = empty_like(dy);
        launch(dy.device(), SwigluBackwardArgs{dy.dtype(), gate.get().raw(), up.get().raw(),
                                               dy.raw(), d_gate.raw(), d_up.raw(), dy.count()});
        return Grads{d_gate, d_up};
      });
}

Tensor swiglu_packed(const Tensor& in) {
  ensure<ShapeError>(is_float(in.dtype()), "swiglu_packed: found dtype ", in.dtype(),
                     ", wanted a float type");
  ensure<ShapeError>(in.rank() >= 1 && in.dim(-1) % 2 == 0, "swiglu_packed: ", in.shape(),
                     " does not hold two halves side by side");
  const Tensor x = dense(in);
  const Tensor y = empty(x.shape().with(-1, x.dim(-1) / 2), x.dtype(), x.device());
  launch(x.device(), SwigluPackedArgs{x.dtype(), y.rows(), y.dim(-1), x.raw(), y.raw()});
  return record("swiglu_packed", y, {in}, [x = Saved(x)](const Tensor& dy_in) {
    const Tensor dy = dense(dy_in), dx = empty_like(x.get());
    launch(dy.device(), SwigluPackedBackwardArgs{dy.dtype(), dy.rows(), dy.dim(-1), x.get().raw(),
                                                 dy.raw(), dx.raw()});
    return Grads{dx};
  });
}

}  // namespace jogak
