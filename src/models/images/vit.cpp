#include "models/images/vit.h"

#include <array>
#include <tuple>

#include "autograd/autograd.h"
#include "base/random.h"
#include "models/images/patches.h"
#include "nn/layers.h"
#include "nn/positions.h"
#include "ops/activation.h"
#include "ops/add.h"
#include "ops/cast.h"
#include "ops/concat.h"
#include "ops/linear.h"
#include "ops/matmul.h"
#include "ops/mul.h"
#include "ops/reshape.h"
#include "ops/slice.h"
#include "ops/swiglu.h"

namespace jogak {
namespace {

Params attention_paths(Params p, const VitConfig& c) {
  return (p / "attention" / "attention")
      .join({{"query", c.width}, {"key", c.width}, {"value", c.width}});
}

// The mean of the tokens from `first` on: [B, T, C] -> [B, C].
Tensor mean_from(const Tensor& x, int64_t first) {
  const int64_t count = x.dim(1) - first;
  const Tensor shares =
      full({x.dim(0), 1, count}, 1 / static_cast<double>(count), x.dtype(), x.device());
  return reshape(matmul(shares, slice(x, 1, first, x.dim(1))), {x.dim(0), x.dim(2)});
}

Tensor factors_if(bool wanted, Params p, const VitConfig& c) {
  return wanted ? p.get("lambda1", {c.width}, constant(c.layer_scale)) : Tensor();
}

// Whole images are left out of a sum, and what stays is so much larger: [B, 1, 1].
Tensor kept_images(int64_t images, double rate, Run& run, const Tensor& like) {
  Rng rng(run.seed, run.next_stream());
  std::vector<float> out;
  for (int64_t i = 0; i < images; ++i)
    out.push_back(rng.uniform() < rate ? 0.0f : static_cast<float>(1 / (1 - rate)));
  return cast(from_values(out, {images, 1, 1}, like.device()), like.dtype());
}

}  // namespace

VitEmbeddings::VitEmbeddings(Params p, const VitConfig& c)
    : path(p.where()),
      cls_token(p.get("cls_token", {1, 1, c.width}, normal(c.init))),
      position_embeddings(p.get("position_embeddings",
                                {1, c.first_tokens() + c.grid().height * c.grid().width, c.width},
                                normal(c.init))) {
  if (c.style.distilled)
    distillation_token = p.get("distillation_token", {1, 1, c.width}, normal(c.init));
  if (c.mask_token) p.optional_buffer("mask_token", zeros({1, c.width}));
  const Params projection = p / "patch_embeddings" / "projection";
  weight = projection.get("weight", {c.width, c.channels, c.patch.height, c.patch.width},
                          normal(c.init));
  bias = projection.get("bias", {c.width}, constant(0));
}

// The table, or the table spread over another grid: [1, first + patches, C], or without the 1.
static Tensor places_on(const VitEmbeddings& e, const VitConfig& c, VitConfig::Size here) {
  const VitConfig::Size grid = c.grid();
  if (here.height == grid.height && here.width == grid.width) return e.position_embeddings;
  const Tensor table = reshape(e.position_embeddings, {-1, c.width});
  const Tensor spread = cast(
      bicubic(grid.height, grid.width, here.height, here.width, table.device()), table.dtype());
  const int64_t first = c.first_tokens();
  const Tensor moved = matmul(spread, slice(table, 0, first, table.dim(0)));  // [patches, C]
  return concat(std::array{slice(table, 0, 0, first), moved}, 0);
}

Tensor VitEmbeddings::operator()(const Tensor& pixels, const VitConfig& c, Run& run) const {
  ensure<ShapeError>(pixels.rank() == 4 && pixels.dim(1) == c.channels &&
                         pixels.dim(2) >= c.patch.height && pixels.dim(3) >= c.patch.width,
                     c.style.name, ": images ", pixels.shape(), ", wanted [images, ", c.channels,
                     ", height, width] of at least ", c.patch.height, " x ", c.patch.width);
  const VitConfig::Size grid{pixels.dim(2) / c.patch.height, pixels.dim(3) / c.patch.width};
  const LayerRun here(run, -1, path, false);
  const Tensor flat = reshape(weight, {c.width, -1});  // a convolution without overlap is a product
  const Tensor patches =
      image_patches(to_dtype(pixels, weight.dtype()), c.patch.height, c.patch.width);
  const Tensor seen = here.at("patch_embeddings")
                          .pass(Part::other, {}, pixels, linear(patches, flat, bias));  // [B, P, C]
  // Every image has the class token: added to zeros it is there as often as there are images.
  const Tensor none = zeros({pixels.dim(0), 1, c.width}, seen.dtype(), seen.device());
  std::vector<Tensor> tokens = {cls_token + none};
  if (distillation_token.defined()) tokens.push_back(distillation_token + none);
  tokens.push_back(seen);
  const Tensor x = concat(tokens, 1);
  const Tensor places =
      here.at("position_embeddings").pass(Part::positions, {}, pixels, places_on(*this, c, grid));
  return here.pass(Part::other, {}, pixels, x + places);
}

VitLayer::VitLayer(Params p, const VitConfig& c)
    : path(p.where()),
      layernorm_before(p / c.style.before, c.width, c.eps),
      qkv(attention_paths(p, c), c.width, 3 * c.width, normal(c.init), c.qkv_bias),
      out(p / "attention" / "output" / "dense", c.width, c.width, normal(c.init)),
      shape{c.width, c.heads, c.heads, 0, c.attention_drop},
      layernorm_after(p / c.style.after, c.width, c.eps),
      up(c.gated ? p / "mlp" / "weights_in" : p / c.style.up, c.width,
         c.gated ? 2 * c.inner : c.inner, normal(c.init)),
      down(c.gated ? p / "mlp" / "weights_out" : p / c.style.down, c.inner, c.width,
           normal(c.init)),
      activation(c.activation),
      gated(c.gated),
      scale_attention(factors_if(c.style.scaled, p / "layer_scale1", c)),
      scale_mlp(factors_if(c.style.scaled, p / "layer_scale2", c)),
      dropout(c.dropout),
      path_drop(c.path_drop) {}

Tensor VitLayer::joining(const Tensor& made, const Tensor& factors, LayerRun run) const {
  const Tensor all = factors.defined() ? made * factors : drop(made, dropout, *run);
  if (!run->training || path_drop == 0) return all;
  return all * kept_images(all.dim(0), path_drop, *run, all);
}

Tensor VitLayer::operator()(Tensor x, LayerRun run, int64_t wanted) const {
  const LayerRun at_attn = run.at("attention"), at_mlp = run.at("mlp");
  auto [kept, read] = keep_and_norm(x, layernorm_before, run);
  const Tensor all = qkv(read, at_attn);
  if (wanted > 0) kept = slice(kept, 1, 0, wanted), read = slice(read, 1, 0, wanted);
  const Tensor heads = wanted > 0 ? first_of_attention(all, shape, wanted, at_attn)
                                  : self_attention(all, shape, {}, at_attn);
  const bool plain = !scale_mlp.defined() && path_drop == 0;  // nothing between a part and its sum
  Tensor sum, normed;
  if (plain) {
    const Tensor joined = add_made(Part::attention, kept, out, heads, read, dropout, at_attn);
    std::tie(sum, normed) = keep_and_norm(joined, layernorm_after, at_attn);
  } else {
    const Tensor looked = at_attn.pass(Part::attention, {}, read, out(heads, at_attn));
    std::tie(sum, normed) =
        add_and_norm(kept, joining(looked, scale_attention, run), layernorm_after, at_attn);
  }
  const Tensor inside = gated ? swiglu_packed(up(normed, at_mlp)) : up(normed, at_mlp, activation);
  if (plain) return add_made(Part::ffn, sum, down, inside, normed, dropout, at_mlp);
  const Tensor made = at_mlp.pass(Part::ffn, {}, normed, down(inside, at_mlp));
  return add_skip(sum, joining(made, scale_mlp, run), at_mlp);
}

Vit::Vit(Params p, const VitConfig& c)
    : config(c), embeddings(p / "embeddings", c), layernorm(p / "layernorm", c.width, c.eps) {
  const Params head = p / "classifier", pool = p / "pooler" / "dense", first = p / "cls_classifier";
  if (c.head == VitHead::by_tensors)
    config.head = head.in_file("weight")    ? VitHead::classes
                  : first.in_file("weight") ? VitHead::taught
                                            : VitHead::none;
  for (int64_t i = 0; i < c.layers; ++i)
    layer.emplace_back(p / "encoder" / "layer" / std::to_string(i), c);
  const bool pools = config.head == VitHead::none && p.fresh() && !c.style.pools_first;
  if (pools || pool.in_file("weight"))
    pooler.emplace(pool, c.width, c.pooler_width, normal(c.init));
  const int64_t read = c.style.means_too ? 2 * c.width : c.width;
  if (config.head == VitHead::classes)
    classifier.emplace(head, read, c.labels.count(), normal(c.init));
  if (config.head != VitHead::taught) return;
  classifier.emplace(first, c.width, c.labels.count(), normal(c.init));
  taught_classifier.emplace(p / "distillation_classifier", c.width, c.labels.count(),
                            normal(c.init));
}

Tensor Vit::hidden(const Tensor& pixels, Run& run, int64_t wanted) const {
  if (run.training || run.probe || grad_enabled()) wanted = 0;
  const VitLayer* const last = &layer.back();
  Tensor x = drop(embeddings(pixels, config, run), config.dropout, run);
  x = run_layers(layer, x, run, [last, wanted](const VitLayer& block, auto in, LayerRun at) {
    return block(in[0], at, &block == last ? wanted : 0);
  });
  run.see("hidden_states", config.layers, x);
  return layernorm(x, run);
}

Tensor Vit::pooled(const Tensor& hidden) const {
  if (config.style.pools_first) return token_at(hidden, 0);
  ensure<UsageError>(pooler.has_value(), config.style.name, ": this model has no pooler");
  return (*pooler)(token_at(hidden, 0), config.pooler_activation);
}

Tensor Vit::logits(const Tensor& hidden) const {
  ensure<UsageError>(classifier.has_value(), config.style.name,
                     ": this model has no head: it gives vectors, not labels");
  const Tensor first = token_at(hidden, 0);
  if (taught_classifier)
    return ((*classifier)(first) + (*taught_classifier)(token_at(hidden, 1))) * 0.5;
  if (!config.style.means_too) return (*classifier)(first);
  return (*classifier)(concat(std::array{first, mean_from(hidden, 1)}, 1));  // [B, 2 C] -> labels
}

EncoderModel encoder_of(std::shared_ptr<const Vit> vit) {
  const VitConfig& c = vit->config;
  EncoderModel out;
  out.hidden = [vit](const EncoderInput& in, Run& run) { return vit->hidden(in.values, run); };
  if (vit->pooler || c.style.pools_first)
    out.pooled = [vit](const EncoderInput& in, Run& run) {
      return vit->pooled(vit->hidden(in.values, run, 1));
    };
  if (c.head == VitHead::classes || c.head == VitHead::taught) {
    out.task = EncoderTask::classify;
    out.predict = [vit](const EncoderInput& in, Run& run) {
      const VitConfig& of = vit->config;
      const Tensor x = vit->hidden(in.values, run, of.style.means_too ? 0 : of.first_tokens());
      return LayerRun(run).made(Part::other, "classifier", x, vit->logits(x));
    };
    out.read = [vit](const Tensor& x, Run& run) { return vit->logits(vit->layernorm(x, run)); };
    out.loss = [vit](const Tensor& predicted, const Tensor& targets, const CrossEntropyOptions& o) {
      return label_loss(predicted, targets, vit->config.labels, o);
    };
  }
  out.labels = c.labels;
  out.width = c.width, out.channels = c.channels;
  out.image[0] = c.image.height, out.image[1] = c.image.width;
  return out;
}

}  // namespace jogak
