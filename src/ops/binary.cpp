#include "ops/binary.h"

namespace jogak {

Tensor binary(const char* op, Binary kind, const Tensor& a_in, const Tensor& b_in) {
  check_pair(op, a_in, b_in);
  const Shape shape = broadcast(op, a_in.shape(), b_in.shape());
  const Tensor a = dense(a_in), b = dense(b_in), y = empty(shape, a.dtype(), a.device());
  const Loops loops = merge_loops(shape, y.strides(), broadcast_strides(a.shape(), shape),
                                  broadcast_strides(b.shape(), shape));
  launch(y.device(), BinaryArgs{y.dtype(), kind, loops, a.raw(), b.raw(), y.raw()});
  return y;
}

}  // namespace jogak
