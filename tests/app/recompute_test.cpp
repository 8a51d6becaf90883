// Blocks whose inputs alone are kept: the same bits, in less memory.
#include <gtest/gtest.h>

#include <algorithm>

#include "app/data/random_example.h"
#include "autograd/autograd.h"
#include "base/parallel.h"
#include "group/group.h"
#include "look/switches.h"
#include "tensor/counting_device.h"
#include "tests/app/small_training.h"

namespace jogak {
namespace {

using test::Setting;
using test::Trained;
using test::training;
using test::training_settings;

class Recomputed : public testing::TestWithParam<Setting> {};

TEST_P(Recomputed, LossAndGradientsHaveTheSameBits) {
  std::vector<std::vector<std::vector<float>>> results;
  std::map<std::string, std::vector<double>> buffers[2];
  for (const bool recompute : {false, true}) {
    const Trained t(GetParam());
    jogak::Run run = training(recompute);
    run.begin_step(3);
    const LossSum loss = t.loss(t.batch(Trained::picks()), run);
    const uint64_t streams = run.next_stream();
    results.emplace_back();
    results.back().push_back(to_host<float>(loss.sum));
    for (const Tensor& grad : gradients(loss.sum, t.model.store->trained()))
      results.back().push_back(to_host<float>(grad));
    EXPECT_EQ(run.next_stream(), streams + 1) << "the second pass drew from the run's own streams";
    buffers[recompute] = t.values();
  }
  ASSERT_EQ(results[0].size(), results[1].size());
  for (size_t i = 0; i < results[0].size(); ++i) EXPECT_EQ(results[0][i], results[1][i]) << i;
  EXPECT_EQ(buffers[0], buffers[1]);
}

TEST_P(Recomputed, StepsOfMicroBatchesEndInTheSameWeights) {
  Trained kept(GetParam()), again(GetParam());
  jogak::Run one = training(false), two = training(true);
  const auto a = kept.steps(3, 2, one), b = again.steps(3, 2, two);
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_TRUE(a[i].updated()) << a[i].bad;
    EXPECT_EQ(a[i].loss_sum, b[i].loss_sum) << "step " << i;
    EXPECT_EQ(a[i].grad_norm, b[i].grad_norm) << "step " << i;
  }
  EXPECT_EQ(kept.values(), again.values());
}

// How much the tape holds when the loss is there.
size_t held_by_tape(const Setting& s, bool recompute) {
  const Trained t(s);
  jogak::Run run = training(recompute);
  const size_t before = cpu_device().allocator().stats().live_bytes;
  const LossSum loss = t.loss(t.batch(Trained::picks()), run);
  return cpu_device().allocator().stats().live_bytes - before;
}

TEST_P(Recomputed, TheTapeHoldsLess) {
  EXPECT_LT(held_by_tape(GetParam(), true), held_by_tape(GetParam(), false) * 3 / 4);
}

INSTANTIATE_TEST_SUITE_P(Families, Recomputed, testing::ValuesIn(training_settings()),
                         [](const auto& setting) {
                           std::string name = setting.param.name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

class Counting : public Probe {
 public:
  explicit Counting(bool may_repeat = false) : repeatable_(may_repeat) {}
  bool repeatable() const override { return repeatable_; }
  Tensor pass(const ProbeStep& step, const Tensor&, const Tensor& out) override {
    ++seen[step.name()];
    return out;
  }
  std::map<std::string, int> seen;

 private:
  bool repeatable_;
};

TEST(RecomputedWithProbe, EverythingIsSeenOnce) {
  const Trained t(training_settings()[0]);
  Counting probe;
  jogak::Run run = training(true);
  run.probe = &probe;
  gradients(t.loss(t.batch(Trained::picks()), run).sum, t.model.store->trained());
  EXPECT_GT(probe.seen.size(), 20u);
  for (const auto& [name, times] : probe.seen) EXPECT_EQ(times, 1) << name;
}

TEST(RecomputedWithProbe, OneThatMayRepeatStandsInBothPasses) {
  const Trained t(training_settings()[0]);
  Counting probe(true);
  jogak::Run run = training(true);
  run.probe = &probe;
  gradients(t.loss(t.batch(Trained::picks()), run).sum, t.model.store->trained());
  EXPECT_EQ(probe.seen.at("h.0.attn.c_attn"), 2);
  EXPECT_EQ(probe.seen.at("h.0"), 1);  // outside the block
}

TEST(RecomputedWithProbe, PartsThatAreOffAreOffInBothPasses) {
  std::map<std::string, std::vector<double>> ends[2];
  for (const bool recompute : {false, true}) {
    Trained t(training_settings()[0]);
    Ablation off(parse_switches("mask,ffn:1"));
    jogak::Run run = training(recompute);
    run.probe = &off;
    t.steps(2, 1, run);
    off.check_used();
    ends[recompute] = t.values();
  }
  EXPECT_EQ(ends[0], ends[1]);
}

// The counting device tells what the caching allocator will hold, within 5 %: the rest is scratch
// memory of kernels, a megabyte for each thread, so that so small a model is measured with one.
TEST(RecomputedMemory, IsPredicted) {
  const int threads = thread_count();
  set_thread_count(1);
  const Setting wide{"gpt2",
                     "gpt2",
                     {{"vocab_size", 64},
                      {"n_layer", 6},
                      {"n_embd", 128},
                      {"n_positions", 256},
                      {"n_inner", 512}}};
  const std::vector<int64_t> tokens = random_tokens(4 * 256, 64);
  const auto two_steps = [&](Device& device, bool recompute) {
    Trained t(wide, device);
    const Tensor ids = from_values(tokens, {4, 256}, device);
    TrainTask task;
    task.examples = 4;
    task.prepare = [&](std::span<const Pick>) {
      return [&](jogak::Run& run) {
        return LossSum{t.model.loss_sum(ids, ids, 0, run), ids.count()};
      };
    };
    Optimizer optimizer(*t.model.store, {});
    SoloGroup group;
    TrainStep step(*t.model.store, optimizer, group);
    jogak::Run run = training(recompute);
    for (int i = 0; i < 2; ++i) step(task, {Trained::picks(), 1, 0.01, 1.0}, run);
  };
  double measured[2] = {};
  for (const bool recompute : {false, true}) {
    CountingDevice device;
    two_steps(device, recompute);
    const size_t predicted = device.allocator().stats().peak_bytes;
    CachingAllocator& real = cpu_device().allocator();
    const size_t before = real.stats().live_bytes;
    real.reset_peak();
    two_steps(cpu_device(), recompute);
    measured[recompute] = static_cast<double>(real.stats().peak_bytes - before);
    printf("  recompute %d: predicted %.2f MB, measured %.2f MB\n", recompute,
           static_cast<double>(predicted) / 1e6, measured[recompute] / 1e6);
    EXPECT_NEAR(static_cast<double>(predicted) / measured[recompute], 1, 0.05);
  }
  EXPECT_LT(measured[1], 0.6 * measured[0]);
  set_thread_count(threads);
}

}  // namespace
}  // namespace jogak
