#include "train/step.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "autograd/autograd.h"
#include "base/error.h"
#include "tests/support/expect.h"
#include "tests/support/guarded_device.h"
#include "tests/train/toy.h"

namespace jogak {
namespace {

using test::Toy;

std::vector<Pick> picks_of(int64_t count) {
  std::vector<Pick> out;
  for (int64_t i = 0; i < count; ++i) out.push_back({i, 0});
  return out;
}

struct Steps {  // steps of plain descent with rate 1: the change of a weight is its gradient
  Toy toy;
  Optimizer optimizer;
  SoloGroup group;
  TrainStep step;
  Run run;
  explicit Steps(test::ToyOptions options = {}, Device& device = cpu_device())
      : toy(options, device),
        optimizer(toy.params, {.kind = OptimizerKind::sgd, .weight_decay = 0, .momentum = 0}),
        step(toy.params, optimizer, group) {
    run.training = true;
  }
  StepResult operator()(int64_t examples, int64_t accumulate, double clip = 0) {
    const std::vector<Pick> picks = picks_of(examples);
    return step(toy.task(), {picks, accumulate, 1.0, clip}, run);
  }
  std::vector<double> weights() const {
    std::vector<double> out;
    for (const Param& p : toy.params.all())
      for (const double v : to_host<double>(p.value)) out.push_back(v);
    return out;
  }
};

double norm(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

TEST(TrainStep, EightUnequalMicroBatchesEqualTheBigBatch) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const test::ToyOptions options{.dtype = dtype};
    Steps big(options), small(options);
    const std::vector<double> start = big.weights();
    const StepResult a = big(37, 1), b = small(37, 8);
    EXPECT_EQ(a.tokens, b.tokens);
    const double limit = dtype == DType::f64 ? 1e-12 : 1e-6;
    const double error = norm(big.weights(), small.weights()) / norm(big.weights(), start);
    EXPECT_LE(error, limit);
    EXPECT_NEAR(a.loss_sum, b.loss_sum, limit * a.loss_sum);
    EXPECT_NEAR(a.grad_norm, b.grad_norm, limit * a.grad_norm);
    RecordProperty(text_of(name_of(dtype), "_error"), text_of(error));
    std::printf("%s: norm of the difference over norm: %.3g\n", name_of(dtype), error);
  }
}

TEST(TrainStep, TheGradientIsThatOfTheMeanAndItsNormIsMeasuredBeforeClipping) {
  Steps plain({.dtype = DType::f64}), clipped({.dtype = DType::f64});
  const std::vector<double> start = plain.weights();
  const StepResult a = plain(20, 2);
  EXPECT_NEAR(a.grad_norm, norm(plain.weights(), start), 1e-12);
  const double limit = a.grad_norm / 15;
  const StepResult b = clipped(20, 2, limit);
  EXPECT_EQ(a.grad_norm, b.grad_norm);
  EXPECT_NEAR(norm(clipped.weights(), start), limit, 1e-12);
  jogak::Run quiet;
  EXPECT_NEAR(a.loss(), Toy({.dtype = DType::f64, .examples = 20}).validation_loss(quiet), 1e-12);
}

TEST(TrainStep, WaitsForTheDeviceOnce) {
  test::GuardedDevice device;
  {
    Steps steps({}, device);
    TrainTask task = steps.toy.task();
    // Batches are made beforehand: handing them to the device is a wait of its own.
    const std::vector<Pick> picks = picks_of(8);
    const test::ToyBatch batch = steps.toy.batch(picks);
    task.prepare = [&](std::span<const Pick>) {
      return [&](jogak::Run& run) { return steps.toy.loss(batch, run); };
    };
    const int64_t before = device.synchronizations();
    const StepResult result = steps.step(task, {picks, 2, 0.1, 1.0}, steps.run);
    EXPECT_TRUE(result.updated());
    EXPECT_EQ(device.synchronizations(), before + 1);
  }
}

// What is spoiled, and by what, until mended.
struct Spoiled {
  Tensor place;  // of one element
  double good;
  Spoiled(const Tensor& x, double bad) : place(x.view({}, {}, 3)), good(item(place)) {
    fill(place, bad);
  }
  void mend() const { fill(place, good); }
};

TEST(TrainStep, ANotFiniteLossChangesNothingAndNamesTheWeight) {
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    Steps steps({.with_buffer = true});
    steps(8, 2);
    const auto before = steps.weights();
    const Spoiled spoiled(steps.toy.params.find("head.weight")->value, bad);
    const StepResult result = steps(8, 2);
    EXPECT_EQ(result.bad, "head.weight is not finite");
    EXPECT_FALSE(result.updated());
    EXPECT_EQ(steps.optimizer.updates(), 1);
    spoiled.mend();
    EXPECT_EQ(steps.weights(), before);  // the buffer too
  }
}

TEST(TrainStep, ABadBatchIsNamedByTheFirstValueThatWentBad) {
  Steps steps({.with_buffer = true});
  steps(8, 2);
  const auto before = steps.weights();
  TrainTask task = steps.toy.task();
  task.prepare = [&](std::span<const Pick> picks) {
    test::ToyBatch batch = steps.toy.batch(picks);
    fill(batch.x.view({}, {}, 5), std::nan(""));
    return [&, batch](jogak::Run& run) { return steps.toy.loss(batch, run); };
  };
  const std::vector<Pick> picks = picks_of(4);
  const StepResult result = steps.step(task, {picks, 1, 1.0, 0}, steps.run);
  EXPECT_EQ(result.bad, "hidden of layer 0 is not finite, and the loss is nan");
  EXPECT_EQ(steps.weights(), before);
}

// Batches of one pick, as pairs have them, of which the third is bad: it is looked for where it was
// met, not in a batch that never was.
TEST(TrainStep, ABadPieceOfAStepIsLookedForInItsPieces) {
  Steps steps;
  TrainTask task = steps.toy.task();
  task.prepare = [&](std::span<const Pick> picks) {
    ensure<Error>(picks.size() == 1, "a batch of one pick, found ", picks.size());
    test::ToyBatch batch = steps.toy.batch(picks);
    if (picks[0].index == 2) fill(batch.x.view({}, {}, 5), std::nan(""));
    return [&, batch](jogak::Run& run) { return steps.toy.loss(batch, run); };
  };
  const std::vector<Pick> picks = picks_of(4);
  EXPECT_EQ(steps.step(task, {picks, 4, 1.0, 0}, steps.run).bad,
            "hidden of layer 0 is not finite, and the loss is nan");
}

TEST(TrainStep, ABadGradientIsNamedFromTheLossBack) {
  Steps steps;
  TrainTask task = steps.toy.task();
  const Tensor head = steps.toy.params.find("head.bias")->value;
  task.prepare = [&](std::span<const Pick> picks) {
    return [&, batch = steps.toy.batch(picks)](jogak::Run& run) {
      LossSum loss = steps.toy.loss(batch, run);
      // A finite loss whose gradient overflows on the way to every weight.
      loss.sum = record("overflow", loss.sum.detach(), {loss.sum},
                        [](const Tensor& dy) { return Grads{full(dy.shape(), 1e39, dy.dtype())}; });
      return loss;
    };
  };
  const auto before = steps.weights();
  const std::vector<Pick> picks = picks_of(4);
  EXPECT_EQ(steps.step(task, {picks, 1, 1.0, 0}, steps.run).bad,
            "the gradient of head.bias is not finite");
  EXPECT_EQ(steps.weights(), before);
}

TEST(TrainStep, ABatchWithoutTokensTeachesNothing) {
  Steps steps;
  TrainTask task = steps.toy.task();
  task.prepare = [&](std::span<const Pick> picks) {
    return [&, batch = steps.toy.batch(picks)](jogak::Run& run) {
      return LossSum{steps.toy.loss(batch, run).sum, 0};
    };
  };
  const std::vector<Pick> picks = picks_of(2);
  EXPECT_EQ(steps.step(task, {picks, 1, 1.0, 0}, steps.run).bad, "no token of the batch counts");
}

TEST(TrainStep, AnErrorInTheMiddleLeavesWeightsAndBuffers) {
  Steps steps({.with_buffer = true});
  steps(8, 2);
  const auto before = steps.weights();
  TrainTask task = steps.toy.task();
  int calls = 0;
  task.prepare = [&, good = task.prepare](std::span<const Pick> picks) -> BatchLoss {
    ensure<Stopped>(++calls < 3, "enough");
    return good(picks);
  };
  const std::vector<Pick> picks = picks_of(8);
  error_of<Stopped>([&] { steps.step(task, {picks, 4, 1.0, 0}, steps.run); });
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(steps.weights(), before);
}

}  // namespace
}  // namespace jogak
