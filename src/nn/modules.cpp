#include "nn/modules.h"

#include "autograd/autograd.h"
#include "nn/cache.h"
#include "ops/activation.h"
#include "ops/add.h"
#include "ops/add_norm.h"
#include "ops/cast.h"
#include "ops/dropout.h"
#include "ops/embedding.h"
#include "ops/layer_norm.h"
#include "ops/linear.h"
#include "ops/reshape.h"
#include "ops/rms_norm.h"

namespace jogak {

Tensor Weight::apply(const Tensor& x, const Tensor& bias, Activation activation,
                     double times) const {
  return linear(x, dense, bias, activation, times);
}

Linear::Linear(Params p, int64_t in, int64_t out, Init init, bool with_bias)
    : path(p.where()),
      weight{p.matrix("weight", {out, in}, init)},
      bias(with_bias ? p.get("bias", {out}, constant(0)) : Tensor()),
      lora(p.lora(weight.dense)),
      split(p.partial(weight.dense)) {}

Tensor Linear::operator()(const Tensor& x, Activation activation) const {
  if (split) {
    const Tensor sum = split->sum(weight.apply(x, {}, Activation::none));
    return activate(bias.defined() ? sum + bias : sum, activation);
  }
  if (!lora || lora->empty()) return weight.apply(x, bias, activation);
  return activate(weight.apply(x, bias, Activation::none) + lora->apply(x), activation);
}

LayerNorm::LayerNorm(Params p, int64_t width, double epsilon, bool with_bias)
    : path(p.where()),
      weight(p.get("weight", {width}, constant(1))),
      bias(with_bias ? p.get("bias", {width}, constant(0)) : Tensor()),
      eps(epsilon) {}

Tensor LayerNorm::operator()(const Tensor& x) const { return layer_norm(x, weight, bias, eps); }

BatchNorm::BatchNorm(Params p, int64_t width, double epsilon)
    : path(p.where()),
      weight(p.get("weight", {width}, constant(1))),
      bias(p.get("bias", {width}, constant(0))),
      eps(epsilon) {
  const DType sums = sum_dtype(weight.dtype());
  state = {p.buffer("running_mean", zeros({width}, sums)),
           p.buffer("running_var", full({width}, 1, sums))};
  num_batches_tracked = p.optional_buffer("num_batches_tracked", zeros({}, DType::i64));
}

Tensor BatchNorm::operator()(const Tensor& x, LayerRun run) const {
  const bool learnt = run->training && run->again;
  if (run->training && !learnt) increment(num_batches_tracked);
  return run.made(Part::norm, path, x,
                  batch_norm(x, weight, bias, learnt ? BatchNormState{} : state,
                             {.training = run->training, .eps = eps}));
}

RmsNorm::RmsNorm(Params p, int64_t width, double epsilon, bool weight_less_one)
    : path(p.where()),
      weight(p.get("weight", {width}, constant(weight_less_one ? 0 : 1))),
      eps(epsilon),
      less_one(weight_less_one) {}

Tensor RmsNorm::gain() const {
  return less_one ? weight + full({1}, 1, weight.dtype(), weight.device()) : weight;
}

Tensor RmsNorm::operator()(const Tensor& x) const { return rms_norm(x, gain(), eps); }

Embedding::Embedding(Params p, int64_t rows, int64_t width, Init init)
    : path(p.where()), weight(p.table("weight", {rows, width}, init)), values(p.values()) {}

Tensor look_up(const Tensor& table, const Tensor& ids, DType values, int64_t constant) {
  return to_dtype(embedding(table, ids, constant), values);
}

Tensor Embedding::operator()(const Tensor& ids) const { return look_up(weight, ids, values); }

FeedForward::FeedForward(Params up_path, Params down_path, int64_t width, int64_t inner,
                         Activation act, Init down_init, Init up_init)
    : up(up_path, width, inner, up_init),
      down(down_path, inner, width, down_init),
      activation(act) {}

Tensor add_skip(const Tensor& x, const Tensor& update, LayerRun run) {
  if (!run.watched()) return x + update;
  const Tensor skip = run.pass(Part::skip, "skip", x, x);
  return run.pass(Part::other, "sum", x, skip + update);
}

std::pair<Tensor, Tensor> add_and_norm(const Tensor& x, const Tensor& update, const LayerNorm& norm,
                                       LayerRun run) {
  if (!run.watched()) return add_layer_norm(x, update, norm.weight, norm.bias, norm.eps);
  const Tensor sum = add_skip(x, update, run);
  return {sum, norm(sum, run)};
}

std::pair<Tensor, Tensor> add_and_norm(const Tensor& x, const Tensor& update, const RmsNorm& norm,
                                       LayerRun run) {
  if (!run.watched()) return add_rms_norm(x, update, norm.gain(), norm.eps);
  const Tensor sum = add_skip(x, update, run);
  return {sum, norm(sum, run)};
}

// Only the way back has something to gain, and a probe would see two steps where one is.
std::pair<Tensor, Tensor> keep_and_norm(const Tensor& x, const LayerNorm& norm, LayerRun run) {
  if (run.watched() || !needs_grad(x)) return {x, norm(x, run)};
  return add_layer_norm(x, Tensor(), norm.weight, norm.bias, norm.eps);
}

std::pair<Tensor, Tensor> keep_and_norm(const Tensor& x, const RmsNorm& norm, LayerRun run) {
  if (run.watched() || !needs_grad(x)) return {x, norm(x, run)};
  return add_rms_norm(x, Tensor(), norm.gain(), norm.eps);
}

Tensor add_made(Part part, const Tensor& x, const Linear& last, const Tensor& inside,
                const Tensor& read, double dropped, LayerRun run) {
  const bool adapted = last.lora && !last.lora->empty();
  if (run.watched() || adapted || last.split || (run->training && dropped > 0))
    return add_skip(x, drop(run.pass(part, {}, read, last(inside, run)), dropped, *run), run);
  return linear_onto(x, inside, last.weight.dense, last.bias);
}

Tensor FeedForward::onto(const Tensor& x, const Tensor& read, double dropped, LayerRun run) const {
  return add_made(Part::ffn, x, down, up(read, run, activation), read, dropped, run);
}

Tensor wanted_rows(const Tensor& x, const Run& run) {
  if (!run.cache || run.cache_step->wanted.empty()) return x;
  const auto& rows = run.cache_step->wanted;
  if (std::ssize(rows) == run.cache_step->rows()) return x;
  const Tensor places = from_values(rows, {1, static_cast<int64_t>(rows.size())}, x.device());
  return embedding(reshape(x, {-1, x.dim(-1)}), places);
}

Tensor drop(const Tensor& x, double rate, Run& run) {
  if (!run.training || rate == 0) return x;
  return dropout(x, rate, run.seed, run.next_stream());
}

}  // namespace jogak
