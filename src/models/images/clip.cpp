#include "models/images/clip.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "models/images/patches.h"
#include "nn/layers.h"
#include "nn/positions.h"
#include "ops/activation.h"
#include "ops/add.h"
#include "ops/cast.h"
#include "ops/concat.h"
#include "ops/cross_entropy.h"
#include "ops/embedding.h"
#include "ops/linear.h"
#include "ops/matmul.h"
#include "ops/mul.h"
#include "ops/reshape.h"
#include "ops/transpose.h"

namespace jogak {
namespace {

std::vector<ClipLayer> clip_layers(Params p, const ClipTower& c, const char* attentions) {
  std::vector<ClipLayer> out;
  for (int64_t i = 0; i < c.layers; ++i)
    out.emplace_back(p / "encoder" / "layers" / std::to_string(i), c, attentions);
  return out;
}

Tensor through_layers(const std::vector<ClipLayer>& layers, const Tensor& x,
                      const AttentionMask& mask, Run& run, const LayerOptions& how) {
  const Tensor y = run_layers(
      layers, x, run,
      [mask](const ClipLayer& block, auto in, LayerRun at) { return block(in[0], mask, at); }, how);
  run.see(how.seen, static_cast<int64_t>(layers.size()), y);
  return y;
}

// Where each text ends: at its first end token. Configurations of old say 2, and mean the token
// with the highest number.
std::vector<int64_t> ends_of(const Tensor& ids, int64_t end) {
  const std::vector<int64_t> all = to_host<int64_t>(ids);
  const int64_t T = ids.dim(1);
  std::vector<int64_t> out;
  for (int64_t n = 0; n < ids.dim(0); ++n) {
    const auto first = all.begin() + n * T, last = first + T;
    auto found = end == 2 ? std::max_element(first, last) : std::find(first, last, end);
    if (found == last) found = first;
    out.push_back(n * T + (found - first));
  }
  return out;
}

Tensor contrast(const Tensor& scores) {
  ensure<ShapeError>(scores.dim(0) == scores.dim(1), "clip: ", scores.dim(0), " images and ",
                     scores.dim(1), " texts, wanted a text for each image");
  std::vector<int64_t> each(static_cast<size_t>(scores.dim(0)));
  std::iota(each.begin(), each.end(), 0);
  const Tensor own = from_values(each, {scores.dim(0)}, scores.device());
  return (cross_entropy(contiguous(transpose(scores, 0, 1)), own, {}) +
          cross_entropy(scores, own, {})) *
         0.5;
}

}  // namespace

ClipLayer::ClipLayer(Params p, const ClipTower& c, const char* attentions)
    : path(p.where()),
      layer_norm1(p / "layer_norm1", c.width, c.eps),
      self_attn(
          (p / "self_attn").join({{"q_proj", c.width}, {"k_proj", c.width}, {"v_proj", c.width}}),
          p / "self_attn" / "out_proj", {c.width, c.heads, c.heads, 0, c.attention_drop},
          normal(c.init), normal(c.init)),
      layer_norm2(p / "layer_norm2", c.width, c.eps),
      mlp(p / "mlp" / "fc1", p / "mlp" / "fc2", c.width, c.inner, c.activation, normal(c.init),
          normal(c.init)),
      seen(attentions) {}

Tensor ClipLayer::operator()(Tensor x, const AttentionMask& mask, LayerRun run) const {
  const LayerRun at_attn = run.at("self_attn"), at_mlp = run.at("mlp");
  x = add_skip(x, self_attn(layer_norm1(x, run), mask, at_attn, seen), at_attn);
  return add_skip(x, mlp(layer_norm2(x, run), at_mlp), at_mlp);
}

ClipText::ClipText(Params p, const ClipTextConfig& c)
    : config(c),
      token_embedding(p / "embeddings" / "token_embedding", c.vocab, c.width, normal(c.init)),
      position_embedding(p / "embeddings" / "position_embedding", c.context, c.width,
                         normal(c.init)),
      layers(clip_layers(p, c, "text_attentions")),
      final_layer_norm(p / "final_layer_norm", c.width, c.eps) {}

Tensor ClipText::hidden(const Tensor& ids, const Tensor& mask, Run& run) const {
  ensure<ShapeError>(ids.rank() == 2 && ids.dim(1) <= config.context, "clip: texts ", ids.shape(),
                     ", wanted [texts, tokens] of at most ", config.context, " tokens");
  const LayerRun outside(run, -1, {}, true);
  const Tensor places = outside.made(Part::positions, position_embedding.path, ids,
                                     position_embedding(token_places(ids, run)));
  const Tensor x = token_embedding(ids, outside) + places;
  return final_layer_norm(through_layers(layers, x, {.causal = true, .keys = mask}, run,
                                         {.seen = "text_hidden_states", .source = true}),
                          outside);
}

Tensor ClipText::pooled(const Tensor& ids, const Tensor& hidden) const {
  const Tensor rows = reshape(hidden, {-1, config.width});
  return embedding(rows, from_values(ends_of(ids, config.end), {ids.dim(0)}, rows.device()));
}

ClipVision::ClipVision(Params p, const ClipVisionConfig& c)
    : config(c),
      path((p / "embeddings").where()),
      class_embedding((p / "embeddings").get("class_embedding", {c.width}, normal(c.init))),
      patch_weight((p / "embeddings" / "patch_embedding")
                       .get("weight", {c.width, c.channels, c.patch, c.patch}, normal(c.init))),
      position_embedding((p / "embeddings" / "position_embedding")
                             .get("weight", {c.patches() + 1, c.width}, normal(c.init))),
      pre_layrnorm(p / "pre_layrnorm", c.width, c.eps),
      layers(clip_layers(p, c, "attentions")),
      post_layernorm(p / "post_layernorm", c.width, c.eps) {}

Tensor ClipVision::hidden(const Tensor& pixels, Run& run) const {
  const ClipVisionConfig& c = config;
  ensure<ShapeError>(pixels.rank() == 4 && pixels.dim(1) == c.channels &&
                         pixels.dim(2) == c.image && pixels.dim(3) == c.image,
                     "clip: images ", pixels.shape(), ", wanted [images, ", c.channels, ", ",
                     c.image, ", ", c.image, "]");
  const LayerRun here(run, -1, path, false);
  const Tensor patches = image_patches(to_dtype(pixels, patch_weight.dtype()), c.patch, c.patch);
  const Tensor seen =
      here.at("patch_embedding")
          .pass(Part::other, {}, pixels, linear(patches, reshape(patch_weight, {c.width, -1}), {}));
  const Tensor none = zeros({pixels.dim(0), 1, c.width}, seen.dtype(), seen.device());
  const Tensor tokens = concat(std::array{class_embedding + none, seen}, 1);
  const Tensor places =
      here.at("position_embedding").pass(Part::positions, {}, pixels, position_embedding);
  const Tensor x = pre_layrnorm(tokens + to_dtype(places, tokens.dtype()), run);
  return through_layers(layers, x, {}, run, {});
}

Tensor ClipVision::pooled(const Tensor& hidden) const {
  return post_layernorm(token_at(hidden, 0));
}

Clip::Clip(Params p, const ClipConfig& c)
    : config(c),
      text_model(p / "text_model", c.text),
      vision_model(p / "vision_model", c.vision),
      visual_projection(p / "visual_projection", c.vision.width, c.projection,
                        normal(c.vision.init), false),
      text_projection(p / "text_projection", c.text.width, c.projection, normal(c.text.init),
                      false),
      logit_scale(p.get("logit_scale", {}, constant(c.logit_scale))) {}

Tensor Clip::image_vectors(const Tensor& pixels, Run& run) const {
  return visual_projection(vision_model.pooled(vision_model.hidden(pixels, run)), run);
}

Tensor Clip::text_vectors(const Tensor& ids, const Tensor& mask, Run& run) const {
  return text_projection(text_model.pooled(ids, text_model.hidden(ids, mask, run)),
                         LayerRun(run, -1, {}, true));
}

Tensor Clip::logits_per_image(const Tensor& images, const Tensor& texts) const {
  const Tensor cosines = matmul(of_length_one(images), transpose(of_length_one(texts), 0, 1));
  return cosines * activate(logit_scale, Activation::exp);
}

EncoderModel encoder_of(std::shared_ptr<const Clip> clip) {
  const ClipVisionConfig& c = clip->config.vision;
  EncoderModel out;
  out.hidden = [clip](const EncoderInput& in, Run& run) {
    return clip->vision_model.hidden(in.values, run);
  };
  out.pooled = [clip](const EncoderInput& in, Run& run) {
    return clip->image_vectors(in.values, run);
  };
  out.width = c.width, out.channels = c.channels;
  out.image[0] = c.image, out.image[1] = c.image;
  return out;
}

MatchModel match_of(std::shared_ptr<const Clip> clip) {
  MatchModel out;
  out.image = [clip](const Tensor& pixels, Run& run) { return clip->image_vectors(pixels, run); };
  out.text = [clip](const Tensor& ids, const Tensor& mask, Run& run) {
    return clip->text_vectors(ids, mask, run);
  };
  out.scores = [clip](const Tensor& images, const Tensor& texts) {
    return clip->logits_per_image(images, texts);
  };
  out.loss = contrast;
  out.vocab = clip->config.text.vocab, out.context = clip->config.text.context;
  return out;
}

}  // namespace jogak
