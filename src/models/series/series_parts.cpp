#include "models/series/series_parts.h"

#include "ops/slice.h"
#include "ops/transpose.h"
#include "ops/unfold.h"

namespace jogak {

SeriesNorm::SeriesNorm(Params p, SeriesNormKind kind, int64_t width, double eps) {
  if (kind == SeriesNormKind::batch)
    batch.emplace(p / "batchnorm", width, eps);
  else
    layer.emplace(p, width, eps);
}

Tensor SeriesNorm::operator()(const Tensor& x, LayerRun run) const {
  return batch ? (*batch)(x, run) : (*layer)(x, run);
}

std::pair<Tensor, Tensor> SeriesNorm::after(const Tensor& x, const Tensor& update, LayerRun before,
                                            LayerRun run) const {
  if (layer && !run.watched()) return add_and_norm(x, update, *layer, run);
  const Tensor sum = add_skip(x, update, before);
  return {sum, (*this)(sum, run)};
}

SelfAttention series_attention(Params p, const SeriesAttentionShape& s) {
  return {p.join({{"q_proj", s.width}, {"k_proj", s.width}, {"v_proj", s.width}}),
          p / "out_proj",
          {s.width, s.heads, s.heads, 0, s.dropout},
          normal(s.init),
          normal(s.init)};
}

Tensor series_patches(const Tensor& x, int64_t patch, int64_t stride) {
  const Tensor each = transpose(x, 1, 2);  // [B, series, time]
  const int64_t time = each.dim(2);
  return unfold(slice(each, 2, (time - patch) % stride, time), 2, patch, stride);
}

}  // namespace jogak
