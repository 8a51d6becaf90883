// Models on a GPU, where there is one: every golden's numbers, and training as on the CPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "app/models/device.h"
#include "app/use/forward.h"
#include "generate/batcher.h"
#include "generate/translate.h"
#include "tensor/devices.h"
#include "tests/app/small_training.h"
#include "tests/support/families.h"
#include "tests/support/golden.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

// While one lives, models are opened on the GPU.
struct OnGpu {
  OnGpu() { use_device("cuda"); }
  ~OnGpu() { use_device("cpu"); }
};

TEST(ModelsOnCuda, RunWhereThereIsAGpu) {
  if (!find_cuda().device) GTEST_SKIP() << find_cuda().about;
  EXPECT_NO_THROW(OnGpu());
}

template <class List>
List where_there_is_a_gpu(List all) {
  if (!find_cuda().device) all.clear();
  return all;
}

double largest(const std::vector<double>& x) {
  double most = 0;
  for (const double value : x) most = std::max(most, std::abs(value));
  return most;
}

// Elements apart by at most 1e-4 of the largest; what is next to nothing beside `scale` may differ.
void expect_close(const std::vector<double>& got, const std::vector<double>& wanted, double scale,
                  const std::string& name) {
  ASSERT_EQ(got.size(), wanted.size()) << name;
  const double allowed = 1e-4 * std::max(largest(wanted), 1e-2 * scale);
  for (size_t i = 0; i < got.size(); ++i)
    ASSERT_NEAR(got[i], wanted[i], allowed) << name << ", element " << i;
}

class GoldensOnCuda : public testing::TestWithParam<std::string> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(GoldensOnCuda);

TEST_P(GoldensOnCuda, GiveTheNumbersOfTheCpu) {
  const TempDir dir;
  const std::string golden = test::golden_dir(GetParam());
  ForwardRequest request{.directory = golden,
                         .input = dir / "input.safetensors",
                         .output = dir / "cpu.safetensors",
                         .attentions = true,
                         .hidden = true};
  {
    const SafetensorsFile file(golden + "/golden.safetensors");
    NamedTensors read;
    for (const std::string& name : file.names())
      if (name != "next_sentence_label")
        read.emplace_back(name, file.get(name));  // nobody reads it
    save_safetensors(request.input, read);
    request.grads = file.has("labels") || file.has("future_values");
  }
  run_forward(request);
  request.output = dir / "cuda.safetensors";
  {
    const OnGpu gpu;
    run_forward(request);
  }
  const SafetensorsFile wanted(dir / "cpu.safetensors"), got(request.output);
  EXPECT_EQ(got.names(), wanted.names());
  double gradient = 0;  // the largest of all: a key bias has none but rounding
  for (const std::string& name : wanted.names())
    if (name.starts_with("grads."))
      gradient = std::max(gradient, largest(to_host<double>(wanted.get(name))));
  for (const std::string& name : wanted.names())
    expect_close(to_host<double>(got.get(name)), to_host<double>(wanted.get(name)),
                 name.starts_with("grads.") ? gradient : 0, name);
}

std::string golden_name(const testing::TestParamInfo<std::string>& info) {
  return test::test_name(info.param);
}
INSTANTIATE_TEST_SUITE_P(All, GoldensOnCuda,
                         testing::ValuesIn(where_there_is_a_gpu(test::all_goldens())), golden_name);

// Tokens of a model by greedy search or, where it translates, by beams.
std::vector<int> written_by(const std::string& golden) {
  const Model model = open_model(test::golden_dir(golden));
  const std::vector<int> prompt = {1, 3, 2, 5};
  if (model.translates())
    return translate(model.seq2seq, std::vector<std::vector<int>>{prompt, {4, 2}},
                     {.max_new = 8})[0][0]
        .ids;
  if (!model.causal.forward) return {};
  const int64_t most = std::min<int64_t>(90, model.context - 5);  // more than one page
  return generate(model.causal, nullptr,
                  {.prompt = prompt, .sampling = {.temperature = 0}, .max_new = most})
      .ids;
}

TEST_P(GoldensOnCuda, WriteTheTokensOfTheCpu) {
  const std::vector<int> wanted = written_by(GetParam());
  const OnGpu gpu;
  EXPECT_EQ(written_by(GetParam()), wanted);
}

class TrainingOnCuda : public testing::TestWithParam<test::Setting> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(TrainingOnCuda);

TEST_P(TrainingOnCuda, TakesTheStepsOfTheCpuAndTheSameTwice) {
  test::Trained here(GetParam()), there(GetParam(), *find_cuda().device),
      again(GetParam(), *find_cuda().device);
  jogak::Run one = test::training(false), two = test::training(false), three = test::training(true);
  const auto a = here.steps(3, 2, one), b = there.steps(3, 2, two), c = again.steps(3, 2, three);
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_TRUE(b[i].updated()) << b[i].bad;
    EXPECT_NEAR(b[i].loss_sum, a[i].loss_sum, 1e-4 * a[i].loss_sum) << "step " << i;
    EXPECT_NEAR(b[i].grad_norm, a[i].grad_norm, 1e-3 * a[i].grad_norm) << "step " << i;
    EXPECT_EQ(b[i].loss_sum, c[i].loss_sum) << "step " << i;
  }
  EXPECT_EQ(there.values(), again.values());
}

// From the fourth step on each is one recorded piece of work, its update too; also of two batches.
TEST_P(TrainingOnCuda, RecordedStepsHaveTheBitsOfOthers) {
  for (const int64_t batches : {1, 2}) {
    test::Trained kernel_by_kernel(GetParam(), *find_cuda().device, WeightUse::mixed),
        recorded(GetParam(), *find_cuda().device, WeightUse::mixed);
    jogak::Run one = test::training(false), two = test::training(false);
    kernel_by_kernel.steady = false;
    const auto a = kernel_by_kernel.steps(7, batches, one), b = recorded.steps(7, batches, two);
    for (size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(a[i].loss_sum, b[i].loss_sum) << "step " << i;
      EXPECT_EQ(a[i].grad_norm, b[i].grad_norm) << "step " << i;
    }
    EXPECT_TRUE(kernel_by_kernel.values() == recorded.values());
  }
}

// The GPU has the update before the host knows the loss: it must decide by itself that there is
// none.
TEST_P(TrainingOnCuda, AStepThatIsNotFiniteChangesNothing) {
  test::Trained one(GetParam(), *find_cuda().device);
  Optimizer optimizer(*one.model.store, {});
  SoloGroup group;
  TrainStep step(*one.model.store, optimizer, group);
  jogak::Run run = test::training(false);
  const auto take = [&](uint64_t number) {
    run.begin_step(number);
    return step(one.task(), {test::Trained::picks(), 1, 0.01, 1.0}, run);
  };
  for (uint64_t i = 1; i <= 5; ++i) ASSERT_TRUE(take(i).updated());  // the last two are recorded
  const auto before = one.values();
  const Tensor weight = one.model.store->trained().back().detach();
  const Tensor place = weight.view({}, {}, weight.offset());
  const double good = item(place);
  fill(place, std::nan(""));
  EXPECT_FALSE(take(6).updated());
  EXPECT_EQ(optimizer.updates(), 5);
  fill(place, good);
  EXPECT_EQ(one.values(), before);
  EXPECT_TRUE(take(7).updated());
}

std::string setting_name(const testing::TestParamInfo<test::Setting>& info) {
  std::string name = info.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Families, TrainingOnCuda,
                         testing::ValuesIn(where_there_is_a_gpu(test::training_settings())),
                         setting_name);

// Everything is computed in bf16, and the weights learn in f32. A step's loss is off by what
// rounding every value to 8 bits does to the scores, far below 2 % of the first loss here; a loss
// that has become small itself (DINOv2's falls to a tenth in two steps) is no measure of that.
class TrainingInBf16 : public testing::TestWithParam<test::Setting> {
 protected:
  static void expect_steps_near(Device& device) {
    test::Trained whole(GetParam()), mixed(GetParam(), device, WeightUse::mixed),
        again(GetParam(), device, WeightUse::mixed);
    jogak::Run one = test::training(false), two = one, three = test::training(true);
    // A loss over pairs depends on how many meet: all four, as two alone move far in one step.
    const int64_t pieces = whole.model.matches() ? 1 : 2;
    const auto a = whole.steps(3, pieces, one), b = mixed.steps(3, pieces, two),
               c = again.steps(3, pieces, three);
    for (size_t i = 0; i < a.size(); ++i) {
      EXPECT_TRUE(b[i].updated()) << b[i].bad;
      EXPECT_NEAR(b[i].loss_sum, a[i].loss_sum, 0.02 * a[0].loss_sum) << "step " << i;
      EXPECT_EQ(b[i].loss_sum, c[i].loss_sum) << "step " << i;
    }
    EXPECT_EQ(mixed.values(), again.values());
    for (const Param& p : mixed.model.store->all()) {
      if (!p.trained) continue;
      EXPECT_EQ(p.value.dtype(), DType::f32) << p.name;
      EXPECT_EQ(to_host<float>(p.copy), to_host<float>(cast(p.value, DType::bf16))) << p.name;
    }
  }
};

TEST_P(TrainingInBf16, StaysNearF32OnTheCpu) { expect_steps_near(cpu_device()); }

TEST_P(TrainingInBf16, StaysNearF32OnCuda) {
  if (!find_cuda().device) GTEST_SKIP() << find_cuda().about;
  expect_steps_near(*find_cuda().device);
}

INSTANTIATE_TEST_SUITE_P(Families, TrainingInBf16, testing::ValuesIn(test::training_settings()),
                         setting_name);

}  // namespace
}  // namespace jogak
