// What is Mixtral's alone: experts that nobody asked for, and the loss of balance.
#include <gtest/gtest.h>

#include <set>

#include "autograd/autograd.h"
#include "autograd/profile.h"
#include "nn/experts.h"
#include "ops/mul.h"
#include "tests/models/golden.h"
#include "tests/support/families.h"

namespace jogak {
namespace {

Model opened(const std::string& name, const ModelFiles& files, const Json& config) {
  const Family& family = family_of(config, name);
  return family.build(config, name, ParamStore::from_files(files, family.names));
}

class MixtralGoldens : public testing::TestWithParam<std::string> {};

// The labels of a golden are shifted inside: what a model is asked for stands one place earlier.
Tensor shifted(const Tensor& labels) {
  const int64_t T = labels.dim(1);
  std::vector<int64_t> out = to_host<int64_t>(labels);
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = (static_cast<int64_t>(i) + 1) % T == 0 ? -100 : out[i + 1];
  return from_values(out, labels.shape());
}

TEST_P(MixtralGoldens, TheLossOfBalanceIsTransformers) {
  const ModelFiles files(test::golden_dir(GetParam()));
  const SafetensorsFile golden(test::golden_dir(GetParam()) + "/golden.safetensors");
  const Json config = test::config_json(GetParam()).set("output_router_logits", true);
  const Model model = opened(GetParam(), files, config);
  const Tensor targets = shifted(golden.get("labels"));
  double counted = 0;
  for (const int64_t target : to_host<int64_t>(targets)) counted += target >= 0 ? 1 : 0;
  for (const bool recompute : {false, true}) {
    jogak::Run run;
    run.recompute = recompute;
    const Tensor loss = model.loss_sum(golden.get("input_ids"), targets, 0, run) * (1 / counted);
    test::expect_golden(loss, golden.get("balanced.loss"), "balanced.loss");
    test::expect_golden_gradients(*model.store, gradients(loss, model.store->trained()), golden,
                                  "balanced.grads.");
  }
}

TEST_P(MixtralGoldens, PaddingDoesNotCountForTheBalance) {
  const SafetensorsFile golden(test::golden_dir(GetParam()) + "/golden.safetensors");
  std::vector<Tensor> logits;
  for (int64_t i = 0; golden.has(text_of("balanced.router_logits.", i)); ++i)
    logits.push_back(golden.get(text_of("balanced.router_logits.", i)));
  const int64_t chosen = test::config_json(GetParam()).find("num_experts_per_tok")->integer();
  const Tensor real = cast(golden.get("balanced.mask"), DType::boolean);
  test::expect_golden(balance_loss(logits, chosen, {}), golden.get("balanced.aux"), "aux");
  test::expect_golden(balance_loss(logits, chosen, real), golden.get("balanced.masked_aux"),
                      "masked_aux");
}

INSTANTIATE_TEST_SUITE_P(All, MixtralGoldens,
                         testing::ValuesIn(test::goldens_with("balanced.loss")),
                         [](const auto& one) { return test::test_name(one.param); });

TEST(Experts, ThatNobodyAskedForAreNotCalled) {
  const Tensor x = randn({3, 4}, Rng(1)), weights = full({3, 2}, 0.5);
  std::set<int64_t> called;
  const Tensor y = through_experts(x, from_values<int64_t>({5, 1, 1, 5, 6, 1}, {3, 2}), weights, 8,
                                   [&](int64_t e, const Tensor& rows) {
                                     called.insert(e);
                                     return rows * static_cast<double>(e);
                                   });
  EXPECT_EQ(called, (std::set<int64_t>{1, 5, 6}));
  const auto in = to_host<float>(x), out = to_host<float>(y);
  for (size_t i = 0; i < in.size(); ++i)
    EXPECT_NEAR(out[i], in[i] * (i < 8 ? 3.0 : 3.5), 1e-6) << i;
}

// Of the experts' matrices a token reads those of the chosen; of all others every one.
TEST(Mixtral, ATokenReadsTheBytesOfItsExpertsAlone) {
  const NoGrad quiet;
  for (const std::string& name : test::goldens_of("mixtral")) {
    const ModelFiles files(test::golden_dir(name));
    const Json config = test::config_json(name);
    const Model model = opened(name, files, config);
    double experts = 0;
    for (const Param& p : model.store->all())
      if (p.name.find("experts") != std::string::npos)
        experts += static_cast<double>(p.value.bytes());
    const auto read = [&](int64_t tokens) {
      std::vector<int64_t> ids(static_cast<size_t>(tokens));
      for (int64_t i = 0; i < tokens; ++i) ids[static_cast<size_t>(i)] = i % model.vocab;
      OpProfile profile;
      jogak::Run run;
      model.causal.forward(from_values(ids, {1, tokens}), run);
      return profile.weight_bytes();
    };
    const double all = read(400);  // so many that each expert is asked
    const auto number = [&](const char* key) {
      return static_cast<double>(config.find(key)->integer());
    };
    const double left = 1 - number("num_experts_per_tok") / number("num_local_experts");
    EXPECT_NEAR(read(1), all - left * experts, 1) << name;
  }
}

TEST(Experts, AskedAlikeHaveTheLeastLossOfBalance) {
  const Tensor even = zeros({1, 4, 4});
  EXPECT_NEAR(item(balance_loss({even}, 4, {})), 4, 1e-6);  // all four are chosen by each
  const Tensor one = from_values<float>({9, 0, 0, 0, 9, 0, 0, 0}, {1, 2, 4});
  EXPECT_GT(item(balance_loss({one}, 1, {})), 3.9);
}

TEST(Mixtral, WhatIsNotComputedIsRefusedByItsKey) {
  const Family& family = family_named("mixtral");
  const auto refused = [&](const char* key, Json value) {
    try {
      family.complete(Json::object({{key, std::move(value)}}), "config.json");
    } catch (const FormatError& error) {
      return std::string(error.what()).find(key) != std::string::npos;
    }
    return false;
  };
  EXPECT_TRUE(refused("router_jitter_noise", 0.1));
  EXPECT_TRUE(refused("num_experts_per_tok", 9));
}

}  // namespace
}  // namespace jogak
