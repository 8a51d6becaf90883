#include "train/reducer.h"

#include <gtest/gtest.h>

#include "tests/support/temp_dir.h"
#include "tests/train/toy.h"

namespace jogak {
namespace {

// Stands for two processes that hold the same batch: every sum is twice what one has.
class TwinReducer final : public GradientReducer {
 public:
  Processes processes() const override { return {}; }
  void reduce(std::string_view bucket, std::span<Tensor> tensors) override {
    buckets.emplace_back(bucket);
    for (const Tensor& x : tensors) {
      const bool own = x.storage().use_count() == 1;
      EXPECT_TRUE(own || bucket == "loss") << bucket;
      scale_in_place(x, 2);
    }
  }
  int64_t sum(int64_t value) override { return 2 * value; }
  std::vector<std::string> buckets;
};

TEST(Reducer, BucketsAreLayersAndTheLastComesFirst) {
  ParamStore store = ParamStore::fresh(1);
  const Params p(store);
  for (const char* name : {"wte", "wpe"}) (p / name).get("weight", {2}, constant(0));
  for (const char* layer : {"0", "1", "11"}) {
    (p / "h" / layer / "attn").get("weight", {2}, constant(0));
    (p / "h" / layer / "attn").buffer("mask", zeros({2}));
    (p / "h" / layer / "mlp").get("bias", {2}, constant(0));
  }
  (p / "ln_f").get("weight", {2}, constant(0));
  (p / "ln_f").get("bias", {2}, constant(0));
  p.get("scale", {1}, constant(0));
  std::string got;
  for (const Bucket& b : buckets_of(store)) {
    got += b.name + ":";
    for (const size_t place : b.members) got += text_of(" ", place);
    got += "; ";
  }
  EXPECT_EQ(got, "scale: 10; ln_f: 8 9; h.11: 6 7; h.1: 4 5; h.0: 2 3; wpe: 1; wte: 0; ");
}

TEST(Reducer, GradientsThatShareStoragePartBeforeTheyAreAdded) {
  const Tensor shared = full({3}, 1);
  std::vector<Tensor> grads = {shared, shared, full({2}, 5)};
  TwinReducer twin;
  const std::vector<Bucket> buckets = {{"b", {2}}, {"a", {0, 1}}};
  reduce_gradients(twin, buckets, grads);
  EXPECT_EQ(twin.buckets, (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(to_host<float>(grads[0]), (std::vector<float>{2, 2, 2}));
  EXPECT_EQ(to_host<float>(grads[1]), (std::vector<float>{2, 2, 2}));
  EXPECT_EQ(to_host<float>(grads[2]), (std::vector<float>{10, 10}));
  EXPECT_EQ(to_host<float>(shared), (std::vector<float>{1, 1, 1}));
}

TEST(Reducer, TheTrainersGradientsLossAndTokensAllPassIt) {
  const TempDir dir;
  test::Toy one, two;
  TrainOptions options = test::toy_training(dir / "one", 4);
  std::vector<double> losses, twin_losses;
  options.on_step = [&](int64_t, const StepResult& r) { losses.push_back(r.loss()); };
  train(one.params, one.task(), options);
  TwinReducer twin;
  options.out = dir / "two";
  options.reducer = &twin;
  options.on_step = [&](int64_t, const StepResult& r) { twin_losses.push_back(r.loss()); };
  train(two.params, two.task(), options);
  ASSERT_EQ(twin.buckets.size(), 12u);
  EXPECT_EQ((std::vector<std::string>(twin.buckets.begin(), twin.buckets.begin() + 3)),
            (std::vector<std::string>{"loss", "head", "h.0"}));
  // Twice the sums over twice the tokens: powers of two change no bit.
  EXPECT_EQ(losses, twin_losses);
  EXPECT_EQ(test::weights_sha256(one.params), test::weights_sha256(two.params));
}

}  // namespace
}  // namespace jogak
