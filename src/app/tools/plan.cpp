#include "app/tools/plan.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/format.h"

namespace jogak {
namespace {

// Not fitted: what is usual.
constexpr double kAttention = 0.65;              // of what products reach
constexpr double kLink = 0.75, kNetwork = 0.95;  // of what links promise
constexpr double kHidden = 0.5;                  // of the tensor-parallel exchange, behind products
constexpr int64_t kChunks = 2;                   // stretches of layers a pipeline stage holds

struct Clock {
  const PlanModel& m;
  const PlanGpu& gpu;
  const PlanSplit& split;

  double product(double rows, double columns, double inner) const {
    return 2 * rows * columns * inner / (gpu.flops * gpu.share_of(rows, columns, inner));
  }
  // Forward, and the gradients by what came in and by the weights.
  double learned(double rows, double columns, double inner) const {
    return product(rows, columns, inner) + product(rows, inner, columns) +
           product(columns, inner, rows);
  }
  double tokens() const { return static_cast<double>(m.context); }
  double parts() const { return static_cast<double>(split.tensor); }

  // One layer, there and back: what it computes, moves through memory (a third), and exchanges.
  double computed() const {
    const double t = parts(), h = static_cast<double>(m.width), rows = tokens();
    const double inner = static_cast<double>(m.inner), keys = static_cast<double>(m.keys);
    const double attention =
        2 * rows * rows * h / t / (gpu.flops * gpu.products * kAttention);  // half is masked
    return learned(rows, (h + 2 * keys) / t, h) + learned(rows, h, h / t) +
           learned(rows, (m.gated ? 2 : 1) * inner / t, h) + learned(rows, h, inner / t) +
           3 * attention;
  }
  double moved() const {
    return gpu.moved * tokens() * static_cast<double>(m.width) * gpu.number_bytes / parts() /
           gpu.memory_speed;
  }
  double exchanged() const {  // gathered and scattered, twice
    if (split.tensor == 1) return 0;
    const double t = parts(),
                 bytes = tokens() * static_cast<double>(m.width) * gpu.number_bytes * (t - 1) / t;
    return kHidden * (4 * bytes / (gpu.link * kLink) + (t - 1) * gpu.latency);
  }
  double scores() const {  // of the words, there and back
    const double words = static_cast<double>(m.vocab) / parts();
    return learned(tokens(), words, static_cast<double>(m.width)) +
           3 * 10 * tokens() * words / gpu.memory_speed;
  }
};

double operations(const PlanRequest& r) {  // of a step: a forward pass, and a backward of twice it
  const PlanModel& m = r.model;
  const double h = static_cast<double>(m.width), s = static_cast<double>(m.context);
  const double inner = static_cast<double>(m.inner) * (m.gated ? 3 : 2);
  const double layer = 2 * h * (2 * h + 2 * static_cast<double>(m.keys) + inner) + 4 * s * h;
  const double token = static_cast<double>(m.layers) * layer + 2 * h * static_cast<double>(m.vocab);
  return 3 * token * s * static_cast<double>(r.sequences);
}

double memory_of(const PlanRequest& r, const PlanStep& step, double own) {
  const double h = static_cast<double>(r.model.width), t = static_cast<double>(step.split.tensor);
  const double s = static_cast<double>(r.model.context);
  const double layers =
      static_cast<double>(r.model.layers) / static_cast<double>(step.split.pipeline);
  const auto waiting = static_cast<double>(std::min(step.micro_batches, step.split.pipeline));
  const double activations = 34 * s * h / t * layers * waiting;
  const double words = s * static_cast<double>(r.model.vocab) / t * 6;
  // Weights and gradients; what the optimizer holds is divided: of weights in 2 bytes also their
  // exact values.
  const double held = r.gpu.number_bytes < 4 ? 12 : 8;
  return own * (2 * r.gpu.number_bytes + held / static_cast<double>(step.split.data)) +
         activations + words;
}

}  // namespace

double PlanModel::parameters() const {
  const double h = static_cast<double>(width);
  const double layer = 2 * h * h + 2 * h * static_cast<double>(keys) +
                       (gated ? 3 : 2) * h * static_cast<double>(inner);
  return static_cast<double>(layers) * layer + 2 * h * static_cast<double>(vocab);
}

// Between products that were measured: the mean of their shares' logarithms, the nearer ones (in
// doublings of the sides) weighing more, by the fourth power.
double PlanGpu::share_of(double rows, double columns, double inner) const {
  if (gemm.empty())
    return products * rows / (rows + small_side) * columns / (columns + small_side) * inner /
           (inner + small_side);
  double sum = 0, weights = 0;
  for (const PlanProduct& one : gemm) {
    const double a = std::log2(rows / one.rows), b = std::log2(columns / one.columns),
                 c = std::log2(inner / one.inner);
    const double distance = a * a + b * b + c * c;
    if (distance < 1e-12) return one.share;
    sum += std::log(one.share) / (distance * distance);
    weights += 1 / (distance * distance);
  }
  return std::exp(sum / weights);
}

PlanStep predict_step(const PlanRequest& r, const PlanSplit& split) {
  const Clock clock{r.model, r.gpu, split};
  PlanStep out{.split = split};
  out.micro_batches = r.sequences / split.data;
  const auto stages = static_cast<double>(split.pipeline), data = static_cast<double>(split.data);
  const double layers = static_cast<double>(r.model.layers) / stages;
  const double exchanged = 2 * layers * clock.exchanged();
  double stage = layers * (clock.computed() + 3 * clock.moved()) + exchanged;  // one micro-batch
  stage += split.pipeline > 1 ? std::max(0.5, 1 / stages) * clock.scores() : clock.scores();
  if (r.gpu.at_once > 0)
    stage *= std::max(1.0, static_cast<double>(r.gpus) / static_cast<double>(r.gpu.at_once));
  if (split.pipeline > 1)
    stage += static_cast<double>(kChunks) * clock.tokens() * static_cast<double>(r.model.width) *
             2 / clock.parts() / r.gpu.network;
  const auto micro = static_cast<double>(out.micro_batches);
  const double chunks = split.pipeline > 1 ? static_cast<double>(kChunks) : 1;
  out.bubble = (stages - 1) / chunks * stage;
  out.tensor_wait = micro * exchanged;
  // Gradients are scattered behind the last backward pass, weights gathered behind the first
  // forward one; what takes longer is waited for.
  const double own = r.model.parameters() / (clock.parts() * stages);
  const double beside = std::max(1.0, static_cast<double>(r.gpu.per_machine) / clock.parts());
  const bool within = r.gpus <= r.gpu.per_machine;
  const double speed =
      within ? r.gpu.link * kLink : std::min(r.gpu.link * kLink, r.gpu.network * kNetwork * beside);
  const double one_way =
      r.gpu.number_bytes * own * (data - 1) / data / speed + (data - 1) * r.gpu.latency;
  out.data_wait = std::max(0.0, one_way - stage * 2 / 3) + std::max(0.0, one_way - stage / 3);
  const double optimizer = 32 * own / data / r.gpu.memory_speed;
  out.seconds = micro * stage + out.bubble + out.data_wait + optimizer;
  out.mfu = operations(r) / (out.seconds * static_cast<double>(split.gpus()) * r.gpu.flops);
  out.memory = memory_of(r, out, own);
  return out;
}

std::vector<PlanStep> plan_training(const PlanRequest& r) {
  std::vector<PlanStep> out;
  double least = INFINITY;
  for (int64_t tensor = 1; tensor <= r.gpu.per_machine; tensor *= 2)
    for (int64_t pipeline = 1; pipeline <= r.model.layers; ++pipeline) {
      if (r.gpus % (tensor * pipeline) != 0 || r.model.layers % pipeline != 0) continue;
      const PlanSplit split{tensor, pipeline, r.gpus / (tensor * pipeline)};
      if (r.sequences % split.data != 0) continue;
      const PlanStep step = predict_step(r, split);
      least = std::min(least, step.memory);
      if (step.memory <= r.gpu.memory * 0.95) out.push_back(step);
    }
  ensure<UsageError>(std::isfinite(least), "plan: ", r.sequences, " sequences and ", r.model.layers,
                     " layers cannot be divided among ", r.gpus, " GPUs");
  ensure<UsageError>(!out.empty(), "plan: the model takes ",
                     format_bytes(static_cast<uint64_t>(least)), " a GPU at least, a ", r.gpu.name,
                     " has ", format_bytes(static_cast<uint64_t>(r.gpu.memory)));
  std::stable_sort(out.begin(), out.end(),
                   [](const PlanStep& a, const PlanStep& b) { return a.seconds < b.seconds; });
  return out;
}

Json to_json(const PlanRequest& r, const PlanStep& s) {
  const double tokens = static_cast<double>(r.sequences * r.model.context);
  return Json::object({{"schema", 1},
                       {"model", r.model.name},
                       {"parameters", r.model.parameters()},
                       {"gpu", r.gpu.name},
                       {"gpus", r.gpus},
                       {"tensor", s.split.tensor},
                       {"pipeline", s.split.pipeline},
                       {"data", s.split.data},
                       {"micro_batches", s.micro_batches},
                       {"step_seconds", s.seconds},
                       {"mfu", s.mfu},
                       {"memory_gb", s.memory / 1e9},
                       {"tokens_per_s", tokens / s.seconds},
                       {"gpu_hours_per_billion_tokens",
                        s.seconds * static_cast<double>(r.gpus) / 3600 / tokens * 1e9},
                       {"bubble_seconds", s.bubble},
                       {"tensor_wait_seconds", s.tensor_wait},
                       {"data_wait_seconds", s.data_wait}});
}

}  // namespace jogak
