// The laboratory computes: attention, feed-forward, the layer around them, a stack of layers, the
// two stacks together. What weights they have stands in lab_weights.cpp, where tokens stand in
// lab_positions.cpp.
#include "models/lab/lab.h"

#include <array>
#include <utility>

#include "nn/gated.h"
#include "nn/layers.h"
#include "ops/add.h"
#include "ops/cast.h"
#include "ops/concat.h"
#include "ops/linear_cross_entropy.h"
#include "ops/matmul.h"
#include "ops/mul.h"
#include "ops/reduce.h"
#include "ops/reshape.h"
#include "ops/rope.h"
#include "ops/slice.h"
#include "ops/softmax.h"

namespace jogak {
namespace {

using Bend = LabConfig::Bend;

Activation activation_of(Bend kind) {
  switch (kind) {
    case Bend::relu: return Activation::relu;
    case Bend::gelu: return Activation::gelu;
    case Bend::silu:
    case Bend::swiglu: return Activation::silu;
    case Bend::none: break;
  }
  return Activation::none;
}

}  // namespace

Tensor LabNorm::operator()(const Tensor& x, LayerRun run) const {
  return std::visit(
      [&](const auto& norm) {
        if constexpr (std::is_same_v<std::decay_t<decltype(norm)>, std::monostate>)
          return x;
        else
          return norm(x, run);
      },
      kind);
}

Tensor LabAttention::operator()(const Tensor& x, const Tensor& turns, const AttentionMask& mask,
                                LayerRun run, const char* name) const {
  Tensor rows = qkv(x, run);  // [B, T, C] -> [B, T, heads d_k + kv_heads (d_k + d_v)]
  if (one_matrix) rows = concat(std::array{rows, rows, rows}, 2);
  if (turns.defined()) rows = rope(std::move(rows), turns, shape.heads + shape.kv_heads);
  const Tensor heads = self_attention(rows, shape, mask, run, name);  // [B, T, heads d_v]
  return run.pass(Part::attention, {}, x, out(heads, run));
}

Tensor LabCrossAttention::kv(const Tensor& memory) const {
  const Tensor own = memory.dim(2) == width ? memory : slice(memory, 2, first, first + width);
  if (both) return (*both)(own);
  const Tensor same = q(own);
  return concat(std::array{same, same}, 2);
}

Tensor LabCrossAttention::operator()(const Tensor& x, const Tensor& memory, const Tensor& mask,
                                     LayerRun run) const {
  if (run->sources) return out(cached_cross_attention(q(x), shape, run));
  const Tensor heads = cross_attention(q(x, run), kv(memory), shape, {.keys = mask}, run);
  return run.pass(Part::cross, {}, x, out(heads, run));
}

Tensor LabFeedForward::operator()(const Tensor& x, LayerRun run) const {
  const Tensor inside = kind == Bend::swiglu ? gated(up(x, run), activation_of(kind))
                                             : up(x, run, activation_of(kind));  // [B, T, inner]
  return run.pass(Part::ffn, {}, x, down(drop(inside, dropout, *run), run));
}

// Where the norm stands, and whether there is a way around the sub-layer.
template <class SubLayer>
Tensor LabLayer::around(const LabNorm& norm, const Tensor& x, LayerRun run,
                        SubLayer sub_layer) const {
  Tensor y = drop(sub_layer(norm_first ? norm(x, run) : x), dropout, *run);
  if (residual) y = add_skip(x, y, run);
  return norm_first ? y : norm(y, run);
}

Tensor LabLayer::operator()(Tensor x, const Beside& beside, LayerRun run) const {
  const LayerRun at_self = run.at("self_attn"), at_cross = run.at("cross_attn"),
                 at_ffn = run.at("ffn");
  const AttentionMask seen{.causal = causal,
                           .keys = decodes ? run->key_mask : beside.mask,
                           .distances = beside.distances};
  x = around(self_attn_norm, x, at_self, [&](const Tensor& in) {
    return self_attn(in, beside.turns, seen, at_self,
                     run.source ? "encoder_attentions" : "attentions");
  });
  if (cross_attn)
    x = around(*cross_attn_norm, x, at_cross, [&](const Tensor& in) {
      return (*cross_attn)(in, beside.memory, beside.mask, at_cross);
    });
  if (ffn) x = around(*ffn_norm, x, at_ffn, [&](const Tensor& in) { return (*ffn)(in, at_ffn); });
  return x;
}

Tensor LabSide::operator()(const Tensor& ids, const LabLayer::Beside& given, LayerRun here,
                           std::vector<Tensor>* each) const {
  Tensor x = here.pass(Part::other, "embed_tokens", ids, embed_tokens(ids) * scale);
  x = drop(positions.join_to(x, ids, here), dropout, *here);
  x = here.pass(Part::other, "embeddings", ids, x);  // [B, T, C]
  LabLayer::Beside beside = given;
  beside.turns = positions.turns(ids, here), beside.distances = positions.distances(ids, here);
  // What gradients flow through is handed to each layer, so that it can run twice.
  std::vector<Tensor> handed;
  for (Tensor* part : {&beside.distances, &beside.memory})
    if (part->defined()) handed.push_back(*part);
  return run_layers(layers, x, *here,
                    [beside](const LabLayer& layer, auto in, LayerRun at) {
                      LabLayer::Beside own = beside;
                      size_t next = 1;
                      for (Tensor* part : {&own.distances, &own.memory})
                        if (part->defined()) *part = in[next++];
                      return layer(in[0], own, at);
                    },
                    {.seen = here.source ? "encoder_hidden_states" : "hidden_states",
                     .source = here.source,
                     .beside = handed,
                     .results = each});
}

Tensor LabSide::last_norm(const Tensor& x, LayerRun run) const {
  return norm ? (*norm)(x, run) : x;
}

Tensor Lab::encode(const Source& in, Run& run) const {
  const bool alone = !decoder;
  const LayerRun here(run, -1, encoder->path, !alone);
  std::vector<Tensor> each;
  Tensor x = (*encoder)(in.ids, {.mask = in.mask}, here, &each);
  x = encoder->last_norm(x, here);
  run.see(alone ? "hidden_states" : "encoder_hidden_states", config.encoder_layers, x);
  if (!config.cross_same) return x;
  for (Tensor& one : each) one = &one == &each.back() ? x : encoder->last_norm(one, here);
  return concat(each, 2);  // [B, S, layers C]
}

Tensor Lab::hidden(const Tensor& ids, const Tensor& memory, const Tensor& mask, Run& run) const {
  const LayerRun here(run, -1, decoder->path, false);
  Tensor x = (*decoder)(ids, {.memory = memory, .mask = mask}, here);
  x = decoder->last_norm(wanted_rows(x, run), here);
  run.see("hidden_states", config.decoder_layers, x);
  return x;
}

Tensor Lab::logits(const Tensor& hidden) const {
  return lm_head.apply(hidden, {}, Activation::none);
}

// The mean of the real tokens says what the text is.
Tensor Lab::label_logits(const Tensor& hidden, const Tensor& mask) const {
  if (!mask.defined()) return (*classifier)(mean(hidden, 1));
  const int64_t B = mask.dim(0), S = mask.dim(1);
  const Tensor one = full({1}, 1, hidden.dtype(), hidden.device());
  const Tensor equal = softmax((cast(mask, hidden.dtype()) - one) * 1e9);  // 1 / count, or 0
  const Tensor means = matmul(reshape(equal, {B, 1, S}), hidden);          // [B, 1, C]
  return (*classifier)(reshape(means, {B, hidden.dim(2)}));
}

Tensor Lab::read(const Tensor& x) const {
  Run run;
  return logits(main().last_norm(x, run));
}

Tensor Lab::loss_sum(const Tensor& hidden, const Tensor& targets, double label_smoothing) const {
  return linear_cross_entropy(hidden, lm_head.dense, targets,
                              {.label_smoothing = label_smoothing, .reduction = Reduction::sum});
}

}  // namespace jogak
