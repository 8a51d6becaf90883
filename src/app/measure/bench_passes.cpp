// Steps of training, passes of encoders, and the machine itself.
#include "app/measure/bench.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>

#include "app/data/random_example.h"
#include "app/measure/bench_model.h"
#include "autograd/autograd.h"
#include "autograd/profile.h"
#include "base/parallel.h"
#include "group/group.h"
#include "ops/kernels/isa.h"
#include "ops/kernels/machine.h"
#include "train/step.h"

namespace jogak {
namespace {

constexpr int64_t kWarmUp = 3;

StepProfile step_profile(OpProfile& profile, int64_t steps, double seconds) {
  const double per_step = 1e3 / static_cast<double>(steps);
  StepProfile out{.matrix_products_share = profile.products() / seconds};
  double rest = seconds;
  const auto add = [&](const std::string& op, const OpTime& time) {
    const double total = time.forward + time.backward;
    out.ops.push_back({op, time.calls / steps, time.forward * per_step, time.backward * per_step,
                       total / seconds});
    rest -= total;
  };
  for (const auto& [op, time] : profile.times()) add(op, time);
  std::sort(out.ops.begin(), out.ops.end(),
            [](const OpCost& a, const OpCost& b) { return a.share > b.share; });
  add("rest", {.forward = rest});
  return out;
}

// Inputs that lie where the model does: copying them is not part of a step.
EncoderExample example_for(const Model& model, const BenchOptions& r) {
  EncoderExample one = random_example(model.encoder, r.batch, r.seq);
  EncoderInput& in = one.input;
  for (Tensor* x : {&in.values, &in.mask, &in.token_types, &in.positions, &in.wanted, &one.targets})
    if (x->defined()) *x = to_device(*x, model.store->device());
  return one;
}

// The same loss each time: nothing of it differs from batch to batch.
template <class Loss>
BatchLoss steady(int64_t tokens, Loss loss) {
  BatchLoss out([loss, tokens](Run& run) -> LossSum { return {loss(run), tokens}; });
  out.tokens = tokens, out.steady = true;
  return out;
}

// The loss of one random batch, whatever the family.
BatchLoss random_batch(const Model& model, const BenchOptions& r) {
  if (model.encodes()) {
    ensure<UsageError>(model.encoder.loss != nullptr, "bench train: a ", model.model_type,
                       " model without a head does not learn");
    const EncoderExample one = example_for(model, r);
    return steady(one.targets.count(), [&model, one](Run& run) {
      return model.encoder.loss(model.encoder.predict(one.input, run), one.targets,
                                {.reduction = Reduction::sum});
    });
  }
  const Tensor ids = from_values(random_tokens(r.batch * r.seq, model.vocab), {r.batch, r.seq},
                                 model.store->device());
  return steady(ids.count(), [&model, ids](Run& run) {
    if (model.translates()) return model.seq2seq.loss_sum({ids, {}}, ids, ids, 0, run);
    return model.loss_sum(ids, ids, 0, run);
  });
}

// One pass without gradients, whatever the family.
std::function<void(Run&)> random_pass(const Model& model, const BenchOptions& r) {
  if (model.encodes()) {
    const EncoderExample one = example_for(model, r);
    const auto& of = model.encoder.predict ? model.encoder.predict : model.encoder.hidden;
    return [&of, one](Run& run) { of(one.input, run); };
  }
  const Tensor ids = from_values(random_tokens(r.batch * r.seq, model.vocab), {r.batch, r.seq},
                                 model.store->device());
  if (!model.translates()) return [&model, ids](Run& run) { model.causal.forward(ids, run); };
  return [&model, ids](Run& run) {
    model.seq2seq.decode(ids, model.seq2seq.encode({ids, {}}, run), {}, run);
  };
}

// Tokens of a step. An encoder-decoder reads as many as it writes; both count. 0: of no text.
int64_t step_tokens(const Model& model, const BenchOptions& r) {
  return model.vocab == 0 ? 0 : r.batch * r.seq * (model.translates() ? 2 : 1);
}

}  // namespace

TrainBench bench_train(const BenchOptions& r) {
  Model model = bench_model(r, trained_use(r.dtype, "bench train"));
  Device& device = model.store->device();
  const int64_t tokens = step_tokens(model, r);
  const BatchLoss loss = random_batch(model, r);
  TrainTask task;
  task.examples = r.batch;
  task.prepare = [&](std::span<const Pick>) { return loss; };
  Optimizer optimizer(*model.store, {.weight_decay = 0.1});
  SoloGroup group;
  TrainStep step(*model.store, optimizer, group);
  const std::vector<Pick> picks(static_cast<size_t>(r.batch));
  Run run;
  run.training = true;
  run.recompute = r.recompute;
  std::vector<double> times;
  std::unique_ptr<OpProfile> profile;
  for (int64_t i = 0; i < kWarmUp + r.steps; ++i) {
    if (r.profile && i == kWarmUp) profile = std::make_unique<OpProfile>(device);
    if (profile) profile->mark();
    const auto start = BenchClock::now();
    run.begin_step(static_cast<uint64_t>(i));
    step(task, {.picks = picks, .rate = 1e-4, .clip = 1}, run);
    if (i >= kWarmUp) times.push_back(seconds_since(start));
    if (i + 1 == kWarmUp) device.allocator().reset_peak();
  }
  device.synchronize();
  const double seconds = median_of(times);
  TrainBench out{.model = benched(r, model),
                 .recompute = r.recompute,
                 .ms_per_step = 1e3 * seconds,
                 .ms_per_step_best = 1e3 * *std::min_element(times.begin(), times.end()),
                 .examples_per_s = static_cast<double>(r.batch) / seconds,
                 .peak_rss_mb = peak_rss_mb()};
  if (device.kind() == Device::Kind::cuda)
    out.peak_device_mb = static_cast<double>(device.allocator().stats().peak_bytes) / 1e6;
  if (tokens > 0) out.tokens_per_s = static_cast<double>(tokens) / seconds;
  if (profile)
    out.profile = step_profile(*profile, r.steps, std::accumulate(times.begin(), times.end(), 0.0));
  return out;
}

ForwardBench bench_forward(const BenchOptions& r) {
  const Model model = bench_model(r, weight_use(r.dtype));
  const std::function<void(Run&)> pass = random_pass(model, r);
  const NoGrad quiet;
  ForwardBench out{.model = benched(r, model)};
  std::vector<double> times;
  for (int64_t i = 0; i < kWarmUp + r.steps; ++i) {
    Run run;
    std::optional<OpProfile> counter;
    if (i == 0) counter.emplace(model.store->device());
    const auto start = BenchClock::now();
    pass(run);
    model.store->device().synchronize();
    if (i >= kWarmUp) times.push_back(seconds_since(start));
    if (counter) out.gflop = 1e-9 * counter->flops();
  }
  const double seconds = median_of(times);
  out.ms_per_pass = 1e3 * seconds;
  out.ms_per_pass_best = 1e3 * *std::min_element(times.begin(), times.end());
  out.examples_per_s = static_cast<double>(r.batch) / seconds;
  out.peak_rss_mb = peak_rss_mb();
  return out;
}

MachineBench bench_machine(bool shapes, const std::string& dtype) {
  const MachinePeaks peaks = measure_machine();
  MachineBench out{.threads = thread_count(),
                   .isa = isa_name(),
                   .gflops_f32 = peaks.gflops_f32,
                   .gflops_bf16 = peaks.gflops_bf16,
                   .gops_int8 = peaks.gops_int8,
                   .read_gb_s = peaks.read_gb_s};
  if (!shapes) return out;
  out.dtype = dtype;
  const DType type = dtype.starts_with("q8") ? DType::packed
                     : dtype == "bf16"       ? DType::bf16
                                             : DType::f32;
  // Rows, outputs and inputs of layers: GPT-2 at 256 tokens with its head, a small model at 4,096.
  const int64_t sizes[][3] = {{256, 768, 768},   {256, 3072, 768}, {256, 768, 3072},
                              {256, 50257, 768}, {4096, 384, 384}, {4096, 1536, 384}};
  for (const auto& [m, n, k] : sizes) {
    const LayerSpeed speed = measure_layer(m, n, k, type, dtype == "q8x8" ? 8 : 16);
    out.shapes.push_back({m, n, k, speed.forward, speed.inputs, speed.weights, speed.peak});
  }
  return out;
}

}  // namespace jogak
