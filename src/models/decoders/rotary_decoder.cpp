#include "models/decoders/rotary_decoder.h"

#include <array>
#include <cmath>
#include <functional>

#include "nn/cache.h"
#include "nn/experts.h"
#include "nn/gated.h"
#include "nn/layers.h"
#include "ops/concat.h"
#include "ops/linear.h"
#include "ops/mul.h"
#include "ops/pick.h"
#include "ops/reshape.h"
#include "ops/rope.h"
#include "ops/slice.h"
#include "ops/softmax.h"

namespace jogak {
namespace {

using Config = RotaryDecoderConfig;
using Norms = Config::Norms;
using HeadNorms = Config::HeadNorms;

Params qkv_path(Params p, const Config& c) {
  const int64_t q = c.heads * c.head, kv = c.kv_heads * c.head;
  if (c.fused) return (p / "qkv_proj").sections({q, kv, kv});
  return p.join({{"q_proj", q}, {"k_proj", kv}, {"v_proj", kv}});
}

Params gate_up_path(Params p, const Config& c) {
  if (c.experts > 0) return p.join({{"w1", c.inner}, {"w3", c.inner}});
  if (c.fused) return (p / "gate_up_proj").sections({c.inner, c.inner});
  return p.join({{"gate_proj", c.inner}, {"up_proj", c.inner}});
}

std::optional<RmsNorm> norm_if(bool wanted, Params p, const Config& c) {
  if (!wanted) return {};
  return RmsNorm(p, c.width, c.eps, c.gains_less_one);
}

std::optional<RmsNorm> head_norm(Params p, const Config& c, int64_t heads) {
  if (c.head_norms == HeadNorms::none) return {};
  const int64_t width = c.head_norms == HeadNorms::each ? c.head : heads * c.head;
  return RmsNorm(p, width, c.eps, c.gains_less_one);
}

}  // namespace

RotaryAttention::RotaryAttention(Params p, const Config& c, int64_t layer)
    : qkv(qkv_path(p, c), c.width, (c.heads + 2 * c.kv_heads) * c.head, normal(c.init), c.qkv_bias),
      o_proj(p / "o_proj", c.heads * c.head, c.width, normal(c.init), c.out_bias),
      q_norm(head_norm(p / "q_norm", c, c.heads)),
      k_norm(head_norm(p / "k_norm", c, c.kv_heads)),
      shape{c.width, c.heads, c.kv_heads, c.score_scale, c.attn_drop, c.head, c.score_cap},
      window(c.kind(layer).local ? c.window : 0) {}

// Queries and keys through their norms; values as they are.
Tensor RotaryAttention::normed(const Tensor& all, LayerRun run) const {
  const int64_t q = shape.heads * shape.head, kv = shape.kv_heads * shape.head;
  auto parts = split(all, 2, std::array{q, kv, kv});
  const auto apply = [&](const RmsNorm& norm, const Tensor& x) {  // over heads, or all of them
    const int64_t width = norm.weight.dim(0);
    return reshape(norm(reshape(x, {x.dim(0), x.dim(1), x.dim(2) / width, width}), run), x.shape());
  };
  parts[0] = apply(*q_norm, parts[0]), parts[1] = apply(*k_norm, parts[1]);
  return concat(parts, 2);
}

Tensor RotaryAttention::operator()(const Tensor& x, const Tensor& turns, LayerRun run) const {
  Tensor all = qkv(x, run);  // [B, T, (heads + 2 kv_heads) head]
  if (q_norm) all = normed(all, run);
  if (turns.defined()) all = rope(std::move(all), turns, shape.heads + shape.kv_heads, shape.head);
  // A text that fits into the window is seen whole.
  const int64_t reach = run->cache ? run->cache_step->runs.reach : x.dim(1);
  const AttentionMask mask{
      .causal = true, .keys = run->key_mask, .window = reach > window ? window : 0};
  return run.pass(Part::attention, {}, x, o_proj(self_attention(all, shape, mask, run), run));
}

GatedMlp::GatedMlp(Params p, const Config& c)
    : gate_up(gate_up_path(p, c), c.width, 2 * c.inner, normal(c.init), c.mlp_bias),
      down_proj(p / (c.experts > 0 ? "w2" : "down_proj"), c.inner, c.width, normal(c.init),
                c.mlp_bias),
      activation(c.activation) {}

Tensor GatedMlp::inside(const Tensor& x, LayerRun run) const {
  const bool adapted = gate_up.lora && !gate_up.lora->empty();
  if (!run.watched() && !adapted && activation == Activation::silu)
    return linear_swiglu(x, gate_up.weight.dense, gate_up.bias);  // [B, T, inner]
  const Tensor both = gate_up(x, run);                            // [B, T, 2 inner]
  return run.pass(Part::other, "gated", both, gated(both, activation));
}

MixtureOfExperts::MixtureOfExperts(Params p, const Config& c)
    : gate(p / "gate", c.width, c.experts, normal(c.init), false), chosen(c.chosen) {
  for (int64_t e = 0; e < c.experts; ++e)
    experts.emplace_back(p / "experts" / std::to_string(e), c);
}

std::pair<Tensor, Tensor> MixtureOfExperts::operator()(const Tensor& x, LayerRun run) const {
  const Tensor logits = gate(x, run);  // [B, T, experts]
  const int64_t N = x.rows(), E = logits.dim(2);
  const auto [best, ids] = top_k(reshape(logits, {N, E}), chosen);  // [N, chosen]
  // A softmax of the chosen alone is the share each has of what they have together.
  const Tensor made = through_experts(reshape(x, {N, x.dim(2)}), ids, softmax(best), E,
                                      [&](int64_t e, const Tensor& rows) {
                                        return experts[static_cast<size_t>(e)].apply(rows, run);
                                      });
  return {run.pass(Part::ffn, {}, x, reshape(made, x.shape())), logits};
}

// What a norm is called depends on where the others stand: "post_attention_layernorm" is the one
// before the feed-forward where norms stand before, else the one behind attention.
RotaryBlock::RotaryBlock(Params p, const Config& c, int64_t layer)
    : path(p.where()),
      before_attn(norm_if(c.norms != Norms::after, p / "input_layernorm", c)),
      after_attn(norm_if(c.norms != Norms::before, p / "post_attention_layernorm", c)),
      before_mlp(norm_if(
          c.norms != Norms::after,
          p / (c.norms == Norms::before ? "post_attention_layernorm" : "pre_feedforward_layernorm"),
          c)),
      after_mlp(norm_if(c.norms != Norms::before, p / "post_feedforward_layernorm", c)),
      self_attn(p / "self_attn", c, layer),
      kind(c.kind(layer)),
      resid_drop(c.resid_drop) {
  if (c.experts > 0)
    mixture.emplace(p / "block_sparse_moe", c);
  else
    mlp.emplace(p / "mlp", c);
}

Tensor RotaryBlock::operator()(const Tensor& x, const Tensor& turns, LayerRun run,
                               bool routed) const {
  const LayerRun at_attn = run.at("self_attn"),
                 at_mlp = run.at(mixture ? "block_sparse_moe" : "mlp");
  const auto through = [&](const std::optional<RmsNorm>& norm, const Tensor& y) {
    return norm ? (*norm)(y, run) : y;
  };
  Tensor kept = x, first = x;
  if (before_attn) std::tie(kept, first) = keep_and_norm(x, *before_attn, run);
  const Tensor update =
      drop(through(after_attn, self_attn(first, turns, at_attn)), resid_drop, *run);
  Tensor sum, read;
  if (before_mlp)
    std::tie(sum, read) = add_and_norm(kept, update, *before_mlp, at_attn);
  else
    sum = read = add_skip(kept, update, at_attn);
  if (mlp && !after_mlp)
    return add_made(Part::ffn, sum, mlp->down_proj, mlp->inside(read, at_mlp), read, resid_drop,
                    at_mlp);
  Tensor fed, routes;
  if (mixture)
    std::tie(fed, routes) = (*mixture)(read, at_mlp);
  else
    fed = (*mlp)(read, at_mlp);
  const Tensor made = through(after_mlp, fed);
  const Tensor out = add_skip(sum, drop(made, resid_drop, *run), at_mlp);
  return routed ? concat(std::array{out, routes}, 2) : out;
}

RotaryDecoder::RotaryDecoder(Params p, const Config& c)
    : embed_tokens(p / "embed_tokens", c.vocab, c.width, normal(c.init)),
      rotary(c.rope, c.head, embed_tokens.weight.device()),
      norm(p / "norm", c.width, c.eps, c.gains_less_one) {
  if (c.local_rope) local_rotary.emplace(*c.local_rope, c.head, embed_tokens.weight.device());
  for (int64_t i = 0; i < c.layers; ++i)
    layers.emplace_back(p / "layers" / std::to_string(i), c, i);
}

// The routers' logits beside the stream, so that blocks that run again make both again.
static Tensor run_routed(
    const std::vector<RotaryBlock>& layers, Tensor x, const Config& c, Run& run,
    const std::function<Tensor(const RotaryBlock&, const Tensor&, LayerRun)>& call,
    std::vector<Tensor>& routes) {
  for (int64_t i = 0; i < c.layers; ++i) {
    run.see("hidden_states", i, x);
    const RotaryBlock& block = layers[static_cast<size_t>(i)];
    const LayerRun here = run.layer(i, block.path);
    const Tensor both = recomputed(
        here, std::array{x},
        [&block, call](std::span<const Tensor> in, LayerRun at) { return call(block, in[0], at); });
    const auto parts = split(both, 2, std::array{c.width, c.experts});
    routes.push_back(contiguous(parts[1]));
    x = here.pass(Part::layer, {}, x, contiguous(parts[0]));
  }
  return x;
}

Tensor RotaryDecoder::forward(const Tensor& ids, const Config& c, Run& run,
                              std::vector<Tensor>* routes) const {
  const LayerRun outside(run);
  Tensor x = look_up(embed_tokens.weight, ids, embed_tokens.values, c.pad);  // [B, T, C]
  if (c.scale_embedding) x = x * std::sqrt(static_cast<double>(c.width));
  x = outside.made(Part::other, embed_tokens.path, ids, drop(x, c.embd_drop, run));
  const auto table = [&](const RotaryPositions& places) {  // [1, T, what rotates of a head]
    return outside.made(Part::positions, "rotary", ids, places.table(ids, run));
  };
  const Tensor everywhere = table(rotary);
  const Tensor local = local_rotary ? table(*local_rotary) : everywhere;
  const auto call = [everywhere, local](const RotaryBlock& block, auto in, LayerRun at) {
    const Tensor& turns = block.kind.local ? local : everywhere;
    return block(in[0], block.kind.rotates ? turns : Tensor(), at);
  };
  if (routes)
    return run_routed(
        layers, x, c, run,
        [everywhere, local](const RotaryBlock& block, const Tensor& in, LayerRun at) {
          const Tensor& turns = block.kind.local ? local : everywhere;
          return block(in, block.kind.rotates ? turns : Tensor(), at, true);
        },
        *routes);
  return run_layers(layers, x, run, call);
}

ModelOutline RotaryDecoderConfig::outline() const {
  return {.wiring = ModelOutline::Wiring::decoder,
          .block = norms == Norms::before  ? ModelOutline::Block::pre
                   : norms == Norms::after ? ModelOutline::Block::after
                                           : ModelOutline::Block::both,
          .decoder = {layers, heads, kv_heads, inner},
          .width = width,
          .head_width = head,
          .vocab = vocab,
          .context = context,
          .outputs = vocab,
          .gated = true,
          .final_norm = true,
          .positions = "rotary",
          .norm = "RMSNorm",
          .activation = activation_title(activation, true)};
}

}  // namespace jogak
