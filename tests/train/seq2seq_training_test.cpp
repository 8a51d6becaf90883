// Ten steps of Adam with label smoothing against goldens of PyTorch (tests/goldens/seq2seq.py).
#include <gtest/gtest.h>

#include "group/group.h"
#include "models/families.h"
#include "tests/support/families.h"
#include "tests/support/golden.h"
#include "train/step.h"

namespace jogak {
namespace {

class TenStepsOfAdam : public testing::TestWithParam<std::string> {};

TEST_P(TenStepsOfAdam, AreThoseOfPyTorch) {
  const std::string dir = test::golden_dir(GetParam());
  const ModelFiles files(dir);
  const SafetensorsFile golden(dir + "/golden.safetensors");
  const Json config = read_json_file(dir + "/config.json");
  const Family& family = family_of(config, dir);
  const Model whole = family.build(config, dir, ParamStore::from_files(files, family.names));
  ParamStore& store = *whole.store;
  const Seq2SeqModel& model = whole.seq2seq;
  const auto setting = [&](const char* name) { return item(golden.get(text_of("train.", name))); };
  Optimizer optimizer(store, {.kind = OptimizerKind::adam,
                              .beta1 = setting("beta1"),
                              .beta2 = setting("beta2"),
                              .eps = setting("eps"),
                              .weight_decay = 0});
  SoloGroup group;
  TrainStep step(store, optimizer, group);
  const auto losses = to_host<double>(golden.get("train.losses"));
  const auto norms = to_host<double>(golden.get("train.grad_norms"));
  for (int i = 0; i < 10; ++i) {
    const auto part = [&](const char* name) { return golden.get(text_of("steps.", i, ".", name)); };
    const Source source{part("input_ids"), cast(part("attention_mask"), DType::boolean)};
    TrainTask task;
    task.examples = 1;
    task.prepare = [&](std::span<const Pick>) {
      return [&](jogak::Run& run) -> LossSum {
        return {model.loss_sum(source, part("decoder_input_ids"), part("labels"),
                               setting("label_smoothing"), run),
                7 + 4 + 8};
      };
    };
    const std::vector<Pick> picks(1);
    jogak::Run run;
    run.training = true;
    const StepResult result =
        step(task, {.picks = picks, .rate = setting("lr"), .clip = setting("clip_norm")}, run);
    printf("  step %d: loss %.6f, PyTorch %.6f; gradient norm %.5f, PyTorch %.5f\n", i,
           result.loss(), losses[i], result.grad_norm, norms[i]);
    EXPECT_NEAR(result.loss(), losses[i], 1e-4 * losses[i]);
    EXPECT_NEAR(result.grad_norm, norms[i], 1e-4 * norms[i]);
  }
  for (const Param& p : store.all())
    for (const auto& [name, value] : store.in_file_layout(p, p.value)) {
      if (!p.trained) continue;
      const double d = test::relative_distance(value, golden.get("train.final." + name));
      printf("  %-60s max|a-b|/max|b| = %.2e\n", name.c_str(), d);
      EXPECT_LE(d, 1e-4) << name;
    }
}

INSTANTIATE_TEST_SUITE_P(All, TenStepsOfAdam,
                         testing::ValuesIn(test::goldens_with("steps.0.decoder_input_ids")),
                         [](const auto& one) { return test::test_name(one.param); });

}  // namespace
}  // namespace jogak
