#include "ops/embedding.h"

#include "autograd/autograd.h"
#include "base/parallel.h"
#include "ops/embedding_kernel.h"
#include "tensor/packed.h"

namespace jogak {

// Rows of small integers become floats.
static void unpack_rows(const Tensor& weight, const Tensor& ids, const Tensor& y) {
  const int64_t rows = weight.dim(0), cols = weight.dim(1);
  const int64_t* const id = ids.data<int64_t>();
  for (int64_t i = 0; i < ids.count(); ++i)
    ensure(id[i] >= 0 && id[i] < rows, "embedding: found id ", id[i], " at place ", i,
           ", the table has ", rows, " rows");
  float* const out = y.data<float>();
  parallel_for(ids.count(), (1 << 12) / (cols + 1) + 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) unpack_row(weight.raw(), id[i], out + i * cols);
  });
}

static void forward(const Tensor& weight, const Tensor& ids, const Tensor& y) {
  if (weight.dtype() == DType::packed) return unpack_rows(weight, ids, y);
  const size_t row_bytes = static_cast<size_t>(weight.dim(1)) * size_of(weight.dtype());
  launch(weight.device(), EmbeddingArgs{ids.data<int64_t>(), ids.count(), weight.dim(0), row_bytes,
                                        weight.raw(), y.raw()});
}

static void backward(const Tensor& ids, const Tensor& dy, int64_t constant, bool add,
                     const Tensor& dw) {
  const int64_t V = dw.dim(0), n = ids.count();
  const Tensor first = empty({V + 1}, DType::i64, dw.device());
  const Tensor places = empty({n}, DType::i64, dw.device());
  launch(dw.device(), EmbeddingBackwardArgs{.dtype = dw.dtype(),
                                            .ids = ids.data<int64_t>(),
                                            .n = n,
                                            .vocab = V,
                                            .cols = dw.dim(1),
                                            .first = first.data<int64_t>(),
                                            .places = places.data<int64_t>(),
                                            .constant = constant,
                                            .add = add,
                                            .dy = dy.raw(),
                                            .dw = dw.raw()});
}

Tensor embedding(const Tensor& weight_in, const Tensor& ids_in, int64_t constant) {
  const bool small = weight_in.dtype() == DType::packed;
  ensure<ShapeError>(weight_in.rank() == 2 && (small || is_float(weight_in.dtype())),
                     "embedding: found a weight of ", weight_in.dtype(), " ", weight_in.shape(),
                     ", wanted a float type and shape [V, C]");
  ensure<ShapeError>(ids_in.dtype() == DType::i64, "embedding: found ids of ", ids_in.dtype(),
                     ", wanted i64");
  ensure<DeviceError>(&weight_in.device() == &ids_in.device(), "embedding: found the weight on ",
                      weight_in.device().name(), " and ids on ", ids_in.device().name());
  const Tensor weight = dense(weight_in), ids = dense(ids_in);
  const DType values = small ? DType::f32 : weight.dtype();
  const Tensor y = empty(ids.shape().plus(weight.dim(1)), values, weight.device());
  forward(weight, ids, y);  // [.., C]
  const Tensor out = record("embedding", y, {weight_in, ids_in},
                            [ids = Saved(ids), shape = weight.shape(), constant](const Tensor& dy) {
                              const Tensor dw = empty(shape, dy.dtype(), dy.device());  // [V, C]
                              backward(ids.get(), dense(dy), constant, false, dw);
                              return Grads{dw, Tensor()};
                            });
  // A table that is also the output layer has a gradient by now, and it is large.
  set_adding(out, [ids = Saved(ids), constant](const Tensor& dy, const Tensor& sum) {
    backward(ids.get(), dense(dy), constant, true, sum);
  });
  return out;
}

}  // namespace jogak
