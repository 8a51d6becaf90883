// Ten AdamW steps of decoders against goldens that PyTorch wrote (tests/goldens/make.py,
// make_llama.py and make_falcon.py).
#include <gtest/gtest.h>

#include "models/falcon.h"
#include "models/gpt2.h"
#include "models/llama.h"
#include "ops/linear_cross_entropy.h"
#include "tests/support/golden.h"
#include "train/reducer.h"
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

template <class Model, class Config>
void expect_ten_steps(const std::string& which, const NameMap& names,
                      Config (*read_config)(const Json&, const std::string&)) {
  const std::string dir = test::golden_dir(which), config = dir + "/config.json";
  const ModelFiles files(dir);
  const SafetensorsFile golden(dir + "/golden.safetensors");
  ParamStore store = ParamStore::from_files(files, names);
  const Model model(Params(store), read_config(read_json_file(config), config));
  store.finish();
  const auto setting = [&](const char* name) { return item(golden.get(text_of("train.", name))); };
  Optimizer optimizer(store, {.beta1 = setting("beta1"),
                              .beta2 = setting("beta2"),
                              .eps = setting("eps"),
                              .weight_decay = setting("weight_decay")});
  SoloReducer reducer;
  TrainStep step(store, optimizer, reducer);
  const auto losses = to_host<double>(golden.get("train.losses"));
  const auto norms = to_host<double>(golden.get("train.grad_norms"));
  for (int i = 0; i < 10; ++i) {
    const Tensor ids = golden.get(text_of("steps.", i, ".input_ids"));
    const Tensor targets = next_tokens(ids);
    TrainTask task;
    task.examples = 1;
    task.prepare = [&](std::span<const Pick>) {
      return [&](jogak::Run& run) -> LossSum {
        return {linear_cross_entropy(model.hidden(ids, run), model.lm_head.dense, targets,
                                     {.reduction = Reduction::sum}),
                ids.dim(0) * (ids.dim(1) - 1)};
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
                                               keys_left_out(which, name, model.config.width));
      printf("  %-50s max|a-b|/max|b| = %.2e\n", name.c_str(), d);
      EXPECT_LE(d, 1e-4) << name;
    }
}

TEST(TenStepsOfAdamW, Gpt2) {
  for (const char* which : {"gpt2-a", "gpt2-c"})
    expect_ten_steps<Gpt2>(which, kGpt2Names, read_gpt2_config);
}

TEST(TenStepsOfAdamW, Llama) {  // keys as many as queries; groups and a tied head
  for (const char* which : {"llama-a", "llama-b"})
    expect_ten_steps<Llama>(which, kLlamaNames, read_llama_config);
}

TEST(TenStepsOfAdamW, Falcon) {  // one key head; groups
  for (const char* which : {"falcon-a", "falcon-c"})
    expect_ten_steps<Falcon>(which, kFalconNames, read_falcon_config);
}

}  // namespace
}  // namespace jogak
