// Ten AdamW steps of encoders against goldens that PyTorch wrote (tests/goldens/steps.py, learn).
#include <gtest/gtest.h>

#include <cmath>

#include "group/group.h"
#include "tests/support/encoder_golden.h"
#include "tests/support/families.h"
#include "train/step.h"

namespace jogak {
namespace {

class TenStepsOfAnEncoder : public testing::TestWithParam<std::string> {};

// The mean loss as a sum over one: the step divides by what it is told.
TEST_P(TenStepsOfAnEncoder, AreThoseOfPyTorch) {
  const test::EncoderGolden g(GetParam());
  const auto setting = [&](const char* name) {
    return item(g.golden.get(text_of("learn.", name)));
  };
  Optimizer optimizer(*g.model.store, {.beta1 = setting("beta1"),
                                       .beta2 = setting("beta2"),
                                       .eps = setting("eps"),
                                       .weight_decay = setting("weight_decay")});
  SoloGroup group;
  TrainStep step(*g.model.store, optimizer, group);
  const auto losses = to_host<double>(cast(g.golden.get("learn.losses"), DType::f64));
  const auto norms = to_host<double>(cast(g.golden.get("learn.grad_norms"), DType::f64));
  TrainTask task;
  task.examples = 1;
  task.prepare = [&](std::span<const Pick>) {
    return [&](jogak::Run& run) -> LossSum { return {g.loss(run), 1}; };
  };
  const std::vector<Pick> picks(1);
  for (size_t i = 0; i < losses.size(); ++i) {
    jogak::Run run;
    run.training = true;
    const StepResult result =
        step(task, {.picks = picks, .rate = setting("lr"), .clip = setting("clip_norm")}, run);
    printf("  step %zu: loss %.6f, PyTorch %.6f; gradient norm %.5f, PyTorch %.5f\n", i,
           result.loss(), losses[i], result.grad_norm, norms[i]);
    EXPECT_NEAR(result.loss(), losses[i], 1e-4 * std::abs(losses[i]));
    EXPECT_NEAR(result.grad_norm, norms[i], 1e-4 * norms[i]);
  }
}

INSTANTIATE_TEST_SUITE_P(All, TenStepsOfAnEncoder,
                         testing::ValuesIn(test::goldens_with("learn.losses")),
                         [](const auto& one) { return test::test_name(one.param); });

}  // namespace
}  // namespace jogak
