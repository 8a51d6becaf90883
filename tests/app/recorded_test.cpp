// Steps that a device records: the same weights as without, and one start a step.
#include <gtest/gtest.h>

#include "tests/app/small_training.h"
#include "tests/support/guarded_device.h"

namespace jogak {
namespace {

test::Setting gpt2(double dropout) {
  return {"gpt2",
          "gpt2",
          {{"vocab_size", 61},
           {"embd_pdrop", dropout},
           {"attn_pdrop", dropout},
           {"resid_pdrop", dropout}}};
}

TEST(RecordedSteps, BeginWithTheFourthOfTheSameShapes) {
  for (const int64_t batches : {1, 2}) {
    test::GuardedDevice device;
    test::Trained here(gpt2(0)), there(gpt2(0), device);
    jogak::Run one = test::training(false), two = test::training(false);
    const auto a = here.steps(6, batches, one), b = there.steps(6, batches, two);
    for (size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a[i].loss_sum, b[i].loss_sum) << "step " << i;
    EXPECT_TRUE(here.values() == there.values());
    EXPECT_EQ(device.starts(), 3);
  }
}

TEST(RecordedSteps, AreNotTakenWhereStepsAreWatched) {
  test::GuardedDevice device;
  test::Trained watched(gpt2(0), device);
  jogak::Run run = test::training(false);
  Probe probe;
  run.probe = &probe;
  watched.steps(6, 1, run);
  EXPECT_EQ(device.starts(), 0);
}

TEST(RecordedSteps, AreNotTakenWhereTheHostDecides) {
  test::GuardedDevice device;
  const test::Setting setting{
      "marian", "seq2seq", {{"vocab_size", 61}, {"encoder_layers", 2}, {"encoder_layerdrop", 0.5}}};
  test::Trained here(setting), there(setting, device);
  jogak::Run one = test::training(false), two = test::training(false);
  here.steps(6, 1, one);
  there.steps(6, 1, two);
  EXPECT_TRUE(here.values() == there.values());
  EXPECT_EQ(device.starts(), 0);
}

}  // namespace
}  // namespace jogak
