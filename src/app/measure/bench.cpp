#include "app/measure/bench.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
#include <optional>

#include "app/data/random_example.h"
#include "app/models/model.h"
#include "autograd/autograd.h"
#include "autograd/profile.h"
#include "base/parallel.h"
#include "generate/batcher.h"
#include "generate/translate.h"
#include "ops/kernels/isa.h"
#include "ops/kernels/machine.h"
#include "train/memory.h"
#include "train/reducer.h"
#include "train/step.h"

namespace jogak {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

Model bench_model(const BenchRequest& r, WeightUse use) {
  return new_model(preset_config(family_named(r.family), r.preset, r.settings), 1, {.use = use});
}

// What a pass over one token reads: every weight, but of a table of tokens apart from the head
// only a row.
int64_t weight_bytes(const Model& model) {
  int64_t bytes = 0;
  bool table = false;
  for (const Param& p : model.store->all()) {
    const bool tokens = p.value.rank() == 2 && p.value.dim(0) == model.vocab;
    if (!tokens || !table) bytes += static_cast<int64_t>(p.value.bytes());
    table = table || tokens;
  }
  return bytes;
}

Json head(const BenchRequest& r, const Model& model) {
  Json out = Json::object();
  out.set("schema", 1).set("family", r.family).set("parameters", model.store->count());
  out.set("batch", r.batch).set("seq", r.seq).set("steps", r.steps);
  return std::move(out.set("threads", thread_count()).set("isa", isa_name()).set("dtype", r.dtype));
}

// [{"op","calls","forward_ms","backward_ms","share"},..] a step, the dearest first; what is left
// (optimizer, norms, sums of gradients) comes last.
Json profile_json(const OpProfile& profile, int64_t steps, double seconds) {
  struct Line {
    std::string op;
    OpTime time;
    double total() const { return time.forward + time.backward; }
  };
  std::vector<Line> lines;
  double rest = seconds;
  for (const auto& [op, time] : profile.times()) {
    lines.push_back({op, time});
    rest -= lines.back().total();
  }
  std::sort(lines.begin(), lines.end(),
            [](const Line& a, const Line& b) { return a.total() > b.total(); });
  lines.push_back({"rest", {.forward = rest}});
  Json out = Json::array();
  const double per_step = 1e3 / static_cast<double>(steps);
  for (const Line& line : lines) {
    Json one = Json::object();
    one.set("op", line.op).set("calls", line.time.calls / steps);
    one.set("forward_ms", line.time.forward * per_step);
    one.set("backward_ms", line.time.backward * per_step);
    out.push(std::move(one.set("share", line.total() / seconds)));
  }
  return out;
}

}  // namespace

double peak_rss_mb() { return static_cast<double>(peak_resident_bytes()) / 1e6; }

// The loss of one random batch, whatever the family.
static BatchLoss random_batch(const Model& model, const BenchRequest& r) {
  if (model.encodes()) {
    ensure<UsageError>(model.encoder.loss != nullptr, "bench train: a ", model.model_type,
                       " model without a head does not learn");
    const EncoderExample one = random_example(model.encoder, r.batch, r.seq);
    return [&model, one](Run& run) -> LossSum {
      const Tensor predicted = model.encoder.predict(one.input, run);
      return {model.encoder.loss(predicted, one.targets, {.reduction = Reduction::sum}),
              one.targets.count()};
    };
  }
  const Tensor ids = from_values(random_tokens(r.batch * r.seq, model.vocab), {r.batch, r.seq});
  return [&model, ids](Run& run) -> LossSum {
    if (model.translates())
      return {model.seq2seq.loss_sum({ids, {}}, ids, ids, 0, run), ids.count()};
    return {model.loss_sum(ids, ids, 0, run), ids.count()};
  };
}

// Tokens of a step. An encoder-decoder reads as many as it writes; both count. 0: of no text.
static int64_t step_tokens(const Model& model, const BenchRequest& r) {
  return model.vocab == 0 ? 0 : r.batch * r.seq * (model.translates() ? 2 : 1);
}

Json bench_train(const BenchRequest& r) {
  ensure<UsageError>(r.dtype == "f32", "bench train: weights in ", r.dtype,
                     " are not trained, wanted f32");
  Model model = bench_model(r, WeightUse::trained);
  const int64_t tokens = step_tokens(model, r);
  const BatchLoss loss = random_batch(model, r);
  TrainTask task;
  task.examples = r.batch;
  task.prepare = [&](std::span<const Pick>) { return loss; };
  Optimizer optimizer(*model.store, {.weight_decay = 0.1});
  SoloReducer reducer;
  TrainStep step(*model.store, optimizer, reducer);
  const std::vector<Pick> picks(static_cast<size_t>(r.batch));
  Run run;
  run.training = true;
  run.recompute = r.recompute;
  std::vector<double> times;
  constexpr int64_t kWarmUp = 3;
  std::unique_ptr<OpProfile> profile;
  for (int64_t i = 0; i < kWarmUp + r.steps; ++i) {
    if (r.profile && i == kWarmUp) profile = std::make_unique<OpProfile>();
    if (profile) profile->mark();
    const auto start = Clock::now();
    run.begin_step(static_cast<uint64_t>(i));
    step(task, {.picks = picks, .rate = 1e-4, .clip = 1}, run);
    if (i >= kWarmUp) times.push_back(seconds_since(start));
  }
  const double seconds = median(times);
  Json out = head(r, model);
  if (r.recompute) out.set("recompute", true);
  out.set("ms_per_step", 1e3 * seconds);
  out.set("ms_per_step_best", 1e3 * *std::min_element(times.begin(), times.end()));
  out.set("examples_per_s", static_cast<double>(r.batch) / seconds);
  if (tokens > 0) out.set("tokens_per_s", static_cast<double>(tokens) / seconds);
  out.set("peak_rss_mb", peak_rss_mb());
  if (profile) {
    const double all = std::accumulate(times.begin(), times.end(), 0.0);
    out.set("matrix_products_share", profile->products() / all);
    out.set("profile", profile_json(*profile, r.steps, all));
  }
  return out;
}

Json bench_forward(const BenchRequest& r) {
  const Model model = bench_model(r, weight_use(r.dtype));
  ensure<UsageError>(model.encodes(), "bench forward: ", r.family,
                     " writes text, bench generate measures it");
  const EncoderExample one = random_example(model.encoder, r.batch, r.seq);
  const auto& pass = model.encoder.predict ? model.encoder.predict : model.encoder.hidden;
  const NoGrad quiet;
  std::vector<double> times;
  constexpr int64_t kWarmUp = 3;
  for (int64_t i = 0; i < kWarmUp + r.steps; ++i) {
    Run run;
    const auto start = Clock::now();
    pass(one.input, run);
    if (i >= kWarmUp) times.push_back(seconds_since(start));
  }
  const double seconds = median(times);
  Json out = head(r, model);
  out.set("ms_per_pass", 1e3 * seconds);
  out.set("ms_per_pass_best", 1e3 * *std::min_element(times.begin(), times.end()));
  out.set("examples_per_s", static_cast<double>(r.batch) / seconds);
  return std::move(out.set("peak_rss_mb", peak_rss_mb()));
}

namespace {

// One prompt of `seq` tokens for each text, then `steps` tokens, timed apart.
struct Writing {
  double first = 0;                  // seconds of the prompt and its first token
  std::vector<double> times, reads;  // of each token after it: seconds, GB/s of memory beside it

  Writing(const BenchRequest& r, const Model& model, const ReadMeter* meter, int64_t steps) {
    const std::vector<int64_t> ids = random_tokens(r.seq, model.vocab);
    const auto start = Clock::now();
    Batcher batcher(model.causal, nullptr, {.sequences = static_cast<int>(r.batch)});
    for (int64_t b = 0; b < r.batch; ++b)
      batcher.add({.prompt = std::vector<int>(ids.begin(), ids.end()), .max_new = steps + 1});
    batcher.step();
    first = seconds_since(start);
    for (auto begin = Clock::now(); batcher.step(); begin = Clock::now()) {
      times.push_back(seconds_since(begin));
      if (meter) reads.push_back(meter->once());
    }
  }
  double rest() const { return std::accumulate(times.begin(), times.end(), 0.0); }
};

}  // namespace

Json bench_generate(const BenchRequest& r) {
  const Model model = bench_model(r, weight_use(r.dtype));
  ensure<UsageError>(model.causal.forward != nullptr, "bench generate: ", r.family,
                     " does not continue text");
  const std::optional<ReadMeter> meter =
      r.batch == 1 ? std::make_optional<ReadMeter>() : std::nullopt;
  const Writing warm_up(r, model, nullptr, 2);
  double first = 1e30, rest = 1e30;
  std::vector<double> times, reads, shares;
  const double gigabytes = 1e-9 * static_cast<double>(weight_bytes(model));
  for (int round = 0; round < r.rounds; ++round) {
    const Writing one(r, model, meter ? &*meter : nullptr, r.steps);
    first = std::min(first, one.first), rest = std::min(rest, one.rest());
    times.insert(times.end(), one.times.begin(), one.times.end());
    for (size_t i = 0; i < one.reads.size(); ++i) {
      reads.push_back(one.reads[i]);
      shares.push_back(gigabytes / one.times[i] / one.reads[i]);
    }
  }
  Json out = head(r, model);
  out.set("prefill_tokens_per_s", static_cast<double>(r.batch * r.seq) / first);
  out.set("decode_tokens_per_s", static_cast<double>(r.batch * r.steps) / rest);
  out.set("first_token_ms", 1e3 * first);
  if (meter) {
    out.set("weight_bytes_per_token", weight_bytes(model));
    out.set("weight_gb_s", gigabytes / median(times)).set("read_gb_s", median(reads));
    out.set("bandwidth_share", median(shares));
    out.set("weight_gb_s_best", gigabytes / *std::min_element(times.begin(), times.end()));
    out.set("read_gb_s_best", *std::max_element(reads.begin(), reads.end()));
  }
  return std::move(out.set("peak_rss_mb", peak_rss_mb()));
}

// Sentences of `seq` random tokens; every translation has `steps` tokens, none may end before.
Json bench_translate(const BenchRequest& r) {
  const Model model = bench_model(r, weight_use(r.dtype));
  ensure<UsageError>(model.translates(), "bench translate: ", r.family,
                     " does not translate, --family seq2seq does");
  std::vector<std::vector<int>> sources;
  const std::vector<int64_t> ids = random_tokens(r.batch * r.seq, model.vocab);
  for (int64_t b = 0; b < r.batch; ++b)
    sources.emplace_back(ids.begin() + b * r.seq, ids.begin() + (b + 1) * r.seq);
  TranslateOptions options{.beam = {.beams = r.beams}, .max_new = r.steps, .sentences = r.batch};
  options.beam.rules.suppress_tokens = {model.seq2seq.end, model.seq2seq.pad};
  std::vector<double> times;
  for (int round = 0; round < 1 + r.rounds; ++round) {  // the first one warms up
    const auto start = Clock::now();
    translate(model.seq2seq, sources, options);
    if (round > 0) times.push_back(seconds_since(start));
  }
  const double seconds = median(times);
  Json out = head(r, model);
  out.set("beams", r.beams).set("seconds", seconds);
  out.set("tokens_per_s", static_cast<double>(r.batch * r.steps) / seconds);
  return std::move(out.set("peak_rss_mb", peak_rss_mb()));
}

Json bench_machine(bool shapes) {
  const MachinePeaks peaks = measure_machine();
  Json out = Json::object();
  out.set("schema", 1).set("threads", thread_count()).set("isa", isa_name());
  out.set("gflops_f32", peaks.gflops_f32).set("gflops_bf16", peaks.gflops_bf16);
  out.set("read_gb_s", peaks.read_gb_s);
  if (!shapes) return out;
  // Rows, outputs and inputs of layers: GPT-2 at 256 tokens with its head, a small model at 4,096.
  const int64_t sizes[][3] = {{256, 768, 768},   {256, 3072, 768}, {256, 768, 3072},
                              {256, 50257, 768}, {4096, 384, 384}, {4096, 1536, 384}};
  Json list = Json::array();
  for (const auto& [m, n, k] : sizes) {
    const LayerSpeed speed = measure_layer(m, n, k);
    Json one = Json::object();
    one.set("rows", m).set("outputs", n).set("inputs", k);
    one.set("forward", speed.forward).set("inputs_gradient", speed.inputs);
    one.set("weights_gradient", speed.weights).set("gflops_f32", speed.peak);
    list.push(std::move(one));
  }
  return std::move(out.set("shapes", std::move(list)));
}

}  // namespace jogak
