#include "app/train/rehearsal.h"

#include <algorithm>

#include "autograd/autograd.h"
#include "base/format.h"
#include "base/shortage.h"
#include "data/sampler.h"
#include "tensor/devices.h"
#include "train/memory.h"
#include "train/optimizer.h"
#include "train/state_shards.h"
#include "train/step.h"

namespace jogak {
namespace {

// What the first steps of a run add beside tensors: code of the kernels as it is paged in, threads,
// and scratch memory of products, which grows with what they multiply up to a limit. Measured with
// two threads, three runs each: 4.7 to 4.9 MB of a PatchTST with 4 MB of tensors, 4.9 to 6.9 of a
// ViT with 9, 5.9 to 6.6 of a BERT with 30, 4.3 to 4.6 of a LLaMA with 214.
size_t runtime_beside(size_t tensors) {
  constexpr size_t kCode = 4'000'000, kMostScratch = 2'300'000;
  return kCode + std::min(kMostScratch, tensors / 6);
}
// On a GPU: the scratch memory of matrix products and of attention's gradients.
constexpr size_t kGpuRuntime = size_t{64} << 20;

// As training does it. Batches may be of many sizes: until none has taken more for a while.
int64_t take_steps(const TrainJob& job, const TrainOptions& options, TrainStep& step, Run& run,
                   const CountingDevice& device) {
  constexpr int64_t kMost = 100, kSteady = 8;
  const int64_t most = std::min(kMost, options.steps);
  Sampler sampler(job.task.examples, options.seed);
  int64_t tokens = 0;
  for (int64_t i = 0, since = 0; i < most && since < kSteady; ++i) {
    const size_t before = device.peak_held_bytes();
    const std::vector<Pick> picks = sampler.next(options.batch);
    run.training = true;
    const StepPlan plan{picks, options.accumulate, 1e-3, options.clip, options.micro_batches};
    tokens = step(job.task, plan, run).tokens;
    run.training = false;
    const bool due = options.eval_every > 0 && (i + 1) % options.eval_every == 0;
    if (job.task.validate && due) job.task.validate(run);
    since = i > 0 && device.peak_held_bytes() == before ? since + 1 : 0;
  }
  return tokens;
}

// What save_model() and average_checkpoints() hold at once.
void save_and_average(const ParamStore& params, const TrainOptions& options) {
  const NoGrad quiet;
  { const NamedTensors written = to_file(params); }
  if (options.average < 2) return;
  std::vector<Tensor> own;
  for (const Param& p : params.all())
    if (!p.frozen) own.push_back(clone(p.value));
  for (const Tensor& value : own) {
    const Tensor sum = zeros(value.shape(), DType::f64, value.device());
    accumulate(sum, cast(clone(value), DType::f64));
    cast(sum, value.dtype());
  }
}

double mb(size_t bytes) { return static_cast<double>(bytes) / 1e6; }

}  // namespace

TrainPrediction rehearse(const TrainJob& job, const TrainOptions& options, CountingDevice& device,
                         const Device& there) {
  return_unused_memory();
  TrainPrediction out;
  out.on_gpu = there.kind() == Device::Kind::cuda;
  const size_t peak = out.on_gpu ? 0 : peak_resident_bytes();
  const size_t resident = out.on_gpu ? 0 : resident_bytes();
  out.parameters = job.model.store->count();
  out.recompute = options.recompute;
  out.processes = options.group ? options.group->processes().count : 1;
  CountedGroup group(options.group ? options.group->processes() : Processes{});
  const Processes self = group.processes();
  const Shards shards(job.model.store->trained(), self.count);
  Optimizer optimizer(*job.model.store, options.optimizer,
                      self.count > 1 ? shards.owned(self.index) : std::span<const ElementRange>{});
  TrainStep step(*job.model.store, optimizer, group);
  double peaks[2] = {};  // without recomputation, and with it
  for (const bool recompute : {out.recompute, !out.recompute}) {  // first the one that will run
    if (recompute != out.recompute) device.forget_peak();
    Run run;
    run.recompute = recompute, run.rehearsal = true;
    out.tokens_per_step = take_steps(job, options, step, run, device);
    if (self.is_first()) {
      if (job.task.validate) job.task.validate(run);  // a batch at once, not cut into pieces
      if (job.task.score) job.task.score(run);
      save_and_average(*job.model.store, options);
      gather_state(group, shards, optimizer);
    }
    const size_t tensors = device.peak_held_bytes();
    if (recompute == out.recompute) out.tensors_mb = mb(tensors);
    const size_t beside = out.on_gpu ? kGpuRuntime : runtime_beside(tensors);
    peaks[recompute] = mb(std::max(peak, resident + beside + tensors));
  }
  out.kept_peak_mb = peaks[0], out.recomputed_peak_mb = peaks[1];
  out.predicted_peak_mb = peaks[out.recompute];
  // What this process has already is not asked for again.
  int64_t beside = options.group ? options.group->on_this_machine() : 1;
  if (out.on_gpu) beside = (beside + find_cuda().count - 1) / std::max(find_cuda().count, 1);
  out.free_mb = mb(out.on_gpu ? there.free_memory() : free_memory()) / static_cast<double>(beside);
  out.free_mb += mb(resident);
  return out;
}

SmallerBatch batch_that_fits(const TrainJob& job, TrainOptions options, CountingDevice& device,
                             const Device& there) {
  const auto with = [&](int64_t batch) {
    options.batch = batch;
    device.forget_peak();
    return rehearse(job, options, device, there);
  };
  int64_t batch = options.batch / 2;
  if (batch < 1 || !with(1).fits()) return {};
  TrainPrediction found = with(batch);
  for (; !found.fits() && batch > 1; found = with(batch)) batch /= 2;
  return {batch, found.predicted_peak_mb};
}

void refuse_size(const TrainPrediction& p, const SmallerBatch& smaller,
                 const std::optional<TrainPrediction>& in_bf16) {
  const auto size = [](double megabytes) {
    return format_bytes(static_cast<uint64_t>(megabytes * 1e6));
  };
  std::string help;
  const auto offer = [&](const std::string& flag, double peak) {
    help += text_of(flag, " takes ", size(peak), peak <= p.free_mb ? "" : ", still too much", "; ");
  };
  if (!p.recompute) offer("--recompute", p.recomputed_peak_mb);
  if (in_bf16) offer("--dtype bf16", in_bf16->predicted_peak_mb);
  if (smaller.batch > 0) offer(text_of("--batch ", smaller.batch), smaller.peak_mb);
  fail<OutOfMemory>("this run would take ", size(p.predicted_peak_mb),
                    p.on_gpu ? " of the GPU's memory, " : " of memory, ", size(p.free_mb),
                    " are free; ", help,
                    "more train.accumulate or a smaller model take less, --force tries anyway");
}

Json to_json(const TrainPrediction& p) {
  Json out = Json::object();
  out.set("schema", 1).set("parameters", p.parameters).set("tokens_per_step", p.tokens_per_step);
  out.set("recompute", p.recompute).set("tensors_mb", p.tensors_mb);
  if (p.processes > 1) out.set("processes", p.processes);
  out.set("predicted_peak_mb", p.predicted_peak_mb).set("free_mb", p.free_mb);
  out.set("recomputed_peak_mb", p.recomputed_peak_mb);
  return std::move(out.set("kept_peak_mb", p.kept_peak_mb));
}

}  // namespace jogak
