#include "models/vit.h"

#include <array>

#include "nn/positions.h"
#include "ops/activation.h"
#include "ops/add.h"
#include "ops/cast.h"
#include "ops/concat.h"
#include "ops/linear.h"
#include "ops/matmul.h"
#include "ops/reshape.h"
#include "ops/slice.h"
#include "ops/transpose.h"
#include "ops/unfold.h"

namespace jogak {
namespace {

Params attention_paths(Params p, const VitConfig& c) {
  return (p / "attention" / "attention")
      .join({{"query", c.width}, {"key", c.width}, {"value", c.width}});
}

// [B, channels, H, W] -> [B, patches, channels * height * width], row by row; what is left of the
// image below and to the right of the last whole patch is not seen.
Tensor patches_of(const Tensor& pixels, VitConfig::Size patch) {
  Tensor x = unfold(pixels, 2, patch.height, patch.height);  // [B, ch, h, W, height]
  x = unfold(x, 3, patch.width, patch.width);                // [B, ch, h, w, height, width]
  const int64_t count = x.dim(2) * x.dim(3), inside = x.dim(1) * patch.height * patch.width;
  return reshape(permute(x, std::array{0, 2, 3, 1, 4, 5}), {x.dim(0), count, inside});
}

// The first token of each row: [B, T, C] -> [B, C].
Tensor first_token(const Tensor& x) { return reshape(slice(x, 1, 0, 1), {x.dim(0), x.dim(2)}); }

}  // namespace

VitEmbeddings::VitEmbeddings(Params p, const VitConfig& c)
    : cls_token(p.get("cls_token", {1, 1, c.width}, normal(c.init))),
      position_embeddings(p.get("position_embeddings",
                                {1, 1 + c.grid().height * c.grid().width, c.width},
                                normal(c.init))) {
  const Params projection = p / "patch_embeddings" / "projection";
  weight = projection.get("weight", {c.width, c.channels, c.patch.height, c.patch.width},
                          normal(c.init));
  bias = projection.get("bias", {c.width}, constant(0));
}

Tensor VitEmbeddings::operator()(const Tensor& pixels, const VitConfig& c) const {
  ensure<ShapeError>(pixels.rank() == 4 && pixels.dim(1) == c.channels &&
                         pixels.dim(2) >= c.patch.height && pixels.dim(3) >= c.patch.width,
                     "vit: images ", pixels.shape(), ", wanted [images, ", c.channels,
                     ", height, width] of at least ", c.patch.height, " x ", c.patch.width);
  const VitConfig::Size grid = c.grid(),
                        here{pixels.dim(2) / c.patch.height, pixels.dim(3) / c.patch.width};
  const Tensor flat = reshape(weight, {c.width, -1});  // a convolution without overlap is a product
  const Tensor seen =
      linear(patches_of(to_dtype(pixels, weight.dtype()), c.patch), flat, bias);  // [B, patches, C]
  // Every image has the class token: added to zeros it is there as often as there are images.
  const Tensor none = zeros({pixels.dim(0), 1, c.width}, seen.dtype(), seen.device());
  const Tensor x = concat(std::array{cls_token + none, seen}, 1);
  if (here.height == grid.height && here.width == grid.width) return x + position_embeddings;
  const Tensor table = reshape(position_embeddings, {-1, c.width});
  const Tensor spread = cast(
      bicubic(grid.height, grid.width, here.height, here.width, table.device()), table.dtype());
  const Tensor moved = matmul(spread, slice(table, 0, 1, table.dim(0)));  // [patches, C]
  return x + concat(std::array{slice(table, 0, 0, 1), moved}, 0);
}

VitLayer::VitLayer(Params p, const VitConfig& c)
    : layernorm_before(p / "layernorm_before", c.width, c.eps),
      qkv(attention_paths(p, c), c.width, 3 * c.width, normal(c.init), c.qkv_bias),
      out(p / "attention" / "output" / "dense", c.width, c.width, normal(c.init)),
      shape{c.width, c.heads, c.heads, 0, c.attention_drop},
      layernorm_after(p / "layernorm_after", c.width, c.eps),
      mlp(p / "intermediate" / "dense", p / "output" / "dense", c.width, c.inner, c.activation,
          normal(c.init), normal(c.init)),
      dropout(c.dropout) {}

Tensor VitLayer::operator()(Tensor x, LayerRun run) const {
  const Tensor looked = out(self_attention(qkv(layernorm_before(x)), shape, {}, run));
  x = x + drop(looked, dropout, *run);
  return x + drop(mlp(layernorm_after(x)), dropout, *run);
}

Vit::Vit(Params p, const VitConfig& c)
    : config(c), embeddings(p / "embeddings", c), layernorm(p / "layernorm", c.width, c.eps) {
  const Params head = p / "classifier", pool = p / "pooler" / "dense";
  if (c.head == VitHead::by_tensors)
    config.head = head.in_file("weight") ? VitHead::classes : VitHead::none;
  for (int64_t i = 0; i < c.layers; ++i)
    layer.emplace_back(p / "encoder" / "layer" / std::to_string(i), c);
  if ((config.head == VitHead::none && p.fresh()) || pool.in_file("weight"))
    pooler.emplace(pool, c.width, c.pooler_width, normal(c.init));
  if (config.head == VitHead::classes)
    classifier.emplace(head, c.width, c.labels.count(), normal(c.init));
}

Tensor Vit::hidden(const Tensor& pixels, Run& run) const {
  Tensor x = drop(embeddings(pixels, config), config.dropout, run);
  run.see("hidden_states", 0, x);
  for (int64_t i = 0; i < config.layers; ++i) {
    x = layer[static_cast<size_t>(i)](x, run.layer(i));
    run.see("hidden_states", i + 1, x);
  }
  return layernorm(x);
}

Tensor Vit::pooled(const Tensor& hidden) const {
  ensure<UsageError>(pooler.has_value(), "vit: this model has no pooler");
  return (*pooler)(first_token(hidden), config.pooler_activation);
}

Tensor Vit::logits(const Tensor& hidden) const {
  ensure<UsageError>(classifier.has_value(),
                     "vit: this model has no head: it gives vectors, not labels");
  return (*classifier)(first_token(hidden));
}

EncoderModel encoder_of(std::shared_ptr<const Vit> vit) {
  const VitConfig& c = vit->config;
  EncoderModel out;
  out.hidden = [vit](const EncoderInput& in, Run& run) { return vit->hidden(in.values, run); };
  if (vit->pooler)
    out.pooled = [vit](const EncoderInput& in, Run& run) {
      return vit->pooled(vit->hidden(in.values, run));
    };
  if (c.head == VitHead::classes) {
    out.task = EncoderTask::classify;
    out.predict = [vit](const EncoderInput& in, Run& run) {
      return vit->logits(vit->hidden(in.values, run));
    };
    out.loss = [vit](const Tensor& predicted, const Tensor& targets, Reduction reduction) {
      return label_loss(predicted, targets, vit->config.labels, reduction);
    };
  }
  out.labels = c.labels;
  out.width = c.width, out.channels = c.channels;
  out.image[0] = c.image.height, out.image[1] = c.image.width;
  return out;
}

}  // namespace jogak
