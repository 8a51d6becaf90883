#include "ops/alibi.h"

#include <bit>
#include <cmath>

#include "autograd/autograd.h"
#include "ops/alibi_kernel.h"

namespace jogak {

std::vector<float> alibi_slopes(int64_t heads) {
  ensure<ShapeError>(heads > 0, "alibi: found ", heads, " heads, wanted a positive number");
  const auto whole = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(heads)));
  std::vector<float> slopes;
  // The base is rounded to f32 before its powers are made, as transformers does.
  const auto powers = [&](int64_t of, int64_t count, int64_t step) {
    const auto base = static_cast<float>(std::exp2(-8.0 / static_cast<double>(of)));
    for (int64_t i = 0; i < count; ++i)
      slopes.push_back(
          static_cast<float>(std::pow(double{base}, static_cast<double>(1 + i * step))));
  };
  powers(whole, whole, 1);
  powers(2 * whole, heads - whole, 2);
  return slopes;
}

Tensor alibi(const Tensor& slopes_in, int64_t length, const AlibiOptions& o) {
  ensure<ShapeError>(slopes_in.rank() == 1 && is_float(slopes_in.dtype()) && length >= 0,
                     "alibi: wanted slopes [heads] and a length, got ", slopes_in.dtype(), " ",
                     slopes_in.shape(), " and ", length);
  const bool masked = o.key_mask.defined();
  ensure<ShapeError>(!masked || (o.key_mask.rank() == 2 && o.key_mask.dim(1) == length &&
                                 o.key_mask.dtype() == DType::boolean && o.key_mask.is_dense()),
                     "alibi: the key mask must be a dense bool [batch, ", length, "]");
  ensure_together("alibi", {&slopes_in, &o.key_mask});
  const Tensor slopes = dense(cast(slopes_in, DType::f32));
  const int64_t batches = masked ? o.key_mask.dim(0) : 1;
  const Tensor out = empty({batches, slopes.dim(0), length}, DType::f32, slopes.device());
  const AlibiArgs args{.slopes = slopes.data<float>(),
                       .key_mask = masked ? o.key_mask.data<bool>() : nullptr,
                       .out = out.data<float>(),
                       .batches = batches,
                       .heads = slopes.dim(0),
                       .length = length,
                       .divisor = static_cast<float>(o.divisor),
                       .in_bf16 = o.in_bf16};
  launch(out.device(), args);
  return record_constant("alibi", out, {slopes_in});
}

}  // namespace jogak
