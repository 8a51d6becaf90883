#include "tests/train/toy.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/hash/hash.h"
#include "ops/cross_entropy.h"
#include "ops/linear.h"
#include "ops/mul.h"

namespace jogak::test {

Toy::Toy(ToyOptions o, Device& device)
    : options(o), params(ParamStore::fresh(o.seed, o.dtype, device)), device_(device) {
  const Params p(params);
  up_ = (p / "h" / "0").get("up", {o.hidden, o.features}, normal(0.3));
  up_bias_ = (p / "h" / "0").get("bias", {o.hidden}, constant(0));
  if (o.with_buffer) passes_ = (p / "h" / "0").buffer("passes", zeros({3}));
  down_ = (p / "head").get("weight", {o.classes, o.hidden}, normal(0.3));
  down_bias_ = (p / "head").get("bias", {o.classes}, constant(0));
}

ToyBatch Toy::batch(std::span<const Pick> picks) const {
  const ToyOptions& o = options;
  std::vector<float> x;
  std::vector<int64_t> targets;
  ToyBatch out;
  for (const Pick& pick : picks) {
    Rng rng(99, static_cast<uint64_t>(pick.index));
    for (int64_t t = 0; t < o.length; ++t) {
      float sum = 0;
      for (int64_t f = 0; f < o.features; ++f) {
        x.push_back(static_cast<float>(rng.normal()));
        sum += x.back();
      }
      const bool counts = t <= pick.index % o.length;
      const auto label = static_cast<int64_t>(sum > 0 ? sum * 2 : -sum * 3) % o.classes;
      targets.push_back(counts ? label : kIgnored);
      out.tokens += counts;
    }
  }
  const auto rows = static_cast<int64_t>(picks.size());
  out.x = to_device(cast(from_values(x, {rows, o.length, o.features}), o.dtype), device_);
  out.targets = to_device(from_values(targets, {rows, o.length}), device_);
  return out;
}

LossSum Toy::loss(const ToyBatch& b, Run& run) const {
  Tensor h = linear(b.x, up_, up_bias_, Activation::gelu_tanh);
  run.see("hidden", run.layer(0).layer, h);
  if (options.dropout && run.training) {
    Rng rng(run.seed, run.next_stream());
    std::vector<double> mask(static_cast<size_t>(h.count()));
    for (double& m : mask) m = rng.uniform() < 0.8 ? 1.25 : 0.0;
    h = mul(h, to_device(cast(from_values(mask, h.shape()), h.dtype()), device_));
  }
  if (passes_.defined() && run.training) accumulate(passes_, full({3}, 1, options.dtype, device_));
  const Tensor logits = linear(h, down_, down_bias_);
  return {cross_entropy(logits, b.targets, {.reduction = Reduction::sum}), b.tokens};
}

double Toy::validation_loss(Run& run) const {
  return mean_loss(
      options.examples, 5,
      [this](int64_t first, int64_t count, Run& r) {
        std::vector<Pick> picks;
        for (int64_t i = first; i < first + count; ++i) picks.push_back({i, 0});
        return loss(batch(picks), r);
      },
      run);
}

TrainTask Toy::task() {
  TrainTask t;
  t.examples = options.examples;
  t.prepare = prepare_with([this](std::span<const Pick> picks) { return batch(picks); },
                           [this](const ToyBatch& b, Run& run) { return loss(b, run); });
  t.validate = [this](Run& run) { return validation_loss(run); };
  t.save_model = [this](const std::string& directory) {
    write_file(join_path(directory, "model.txt"), weights_sha256(params));
  };
  t.config = text_of("{\"hidden\": ", options.hidden, "}");
  t.data = "toy";
  t.inputs = {{"toy", "sha256:1"}, {"width", "3"}};
  return t;
}

TrainOptions toy_training(const std::string& out, int64_t steps) {
  TrainOptions o;
  o.out = out;
  o.steps = steps;
  o.batch = 8;
  o.accumulate = 3;
  o.schedule = {.kind = ScheduleKind::cosine, .rate = 1e-2, .final_rate = 1e-3, .warmup = 2};
  o.optimizer = {.beta2 = 0.999, .weight_decay = 0.01};
  o.eval_every = o.checkpoint_every = 0;
  o.log_every = 2;
  o.seed = 1;
  o.progress = false;
  return o;
}

std::string weights_sha256(const ParamStore& params) {
  Sha256 hash;
  for (const Param& p : params.all()) {
    const Tensor host = to_device(dense(p.value), cpu_device());
    hash.update({static_cast<const char*>(host.raw()), host.bytes()});
  }
  return hash.hex();
}

std::string checkpoint_sha256(const std::string& run) {
  const std::string all = join_path(run, "checkpoints");
  const std::vector<std::string> names = list_directory(all);
  EXPECT_FALSE(names.empty());
  if (names.empty()) return "";
  const std::string newest = join_path(all, names.back());
  return names.back() + " " + sha256_file(join_path(newest, "weights.safetensors")) + " " +
         sha256_file(join_path(newest, "optimizer.safetensors"));
}

}  // namespace jogak::test
