// Ten AdamW steps of decoders against goldens that PyTorch wrote (tests/goldens/make.py,
// make_llama.py and make_falcon.py).
#include <gtest/gtest.h>

#include "group/group.h"
#include "models/families.h"
#include "tests/support/families.h"
#include "tests/support/golden.h"
#include "train/step.h"

namespace jogak {
namespace {

// Labels are the ids, one to the left; the last has none.
Tensor next_tokens(const Tensor& ids) {
  std::vector<int64_t> out = to_host<int64_t>(ids);
  const int64_t T = ids.dim(1);
  for (int64_t b = 0; b < ids.dim(0); ++b) {
    for (int64_t t = 0; t + 1 < T; ++t) out[b * T + t] = out[b * T + t + 1];
    out[b * T + T - 1] = -100;
  }
  return from_values(out, ids.shape());
}

// The softmax does not see a bias of the keys: its gradient is rounding alone, and with a tiny eps
// (gpt2-a) Adam walks along that rounding.
std::vector<bool> keys_left_out(const std::string& which, const std::string& name, int64_t width) {
  std::vector<bool> skip;
  if (which != "gpt2-a" || !name.ends_with("c_attn.bias")) return skip;
  skip.resize(static_cast<size_t>(3 * width));
  std::fill(skip.begin() + width, skip.begin() + 2 * width, true);
  return skip;
}

class TenStepsOfAdamW : public testing::TestWithParam<std::string> {};

TEST_P(TenStepsOfAdamW, AreThoseOfPyTorch) {
  const std::string which = GetParam(), dir = test::golden_dir(which), file = dir + "/config.json";
  const ModelFiles files(dir);
  const SafetensorsFile golden(dir + "/golden.safetensors");
  const Json config = read_json_file(file);
  const Family& family = family_of(config, file);
  const Model model = family.build(config, file, ParamStore::from_files(files, family.names));
  ParamStore& store = *model.store;
  const auto setting = [&](const char* name) { return item(golden.get(text_of("train.", name))); };
  Optimizer optimizer(store, {.beta1 = setting("beta1"),
                              .beta2 = setting("beta2"),
                              .eps = setting("eps"),
                              .weight_decay = setting("weight_decay")});
  SoloGroup group;
  TrainStep step(store, optimizer, group);
  const auto losses = to_host<double>(golden.get("train.losses"));
  const auto norms = to_host<double>(golden.get("train.grad_norms"));
  for (int i = 0; i < 10; ++i) {
    const Tensor ids = golden.get(text_of("steps.", i, ".input_ids"));
    const Tensor targets = next_tokens(ids);
    TrainTask task;
    task.examples = 1;
    task.prepare = [&](std::span<const Pick>) {
      return [&](jogak::Run& run) -> LossSum {
        return {model.loss_sum(ids, targets, 0, run), ids.dim(0) * (ids.dim(1) - 1)};
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
      const double d = test::relative_distance(value, golden.get("train.final." + name),
                                               keys_left_out(which, name, model.width));
      printf("  %-50s max|a-b|/max|b| = %.2e\n", name.c_str(), d);
      EXPECT_LE(d, 1e-4) << name;
    }
}

INSTANTIATE_TEST_SUITE_P(All, TenStepsOfAdamW,
                         testing::ValuesIn(test::goldens_with("steps.0.input_ids",
                                                              "decoder_input_ids")),
                         [](const auto& one) { return test::test_name(one.param); });

}  // namespace
}  // namespace jogak
