#include "train/optimizer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ops/grad_norm.h"
#include "tests/support/expect.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

struct Pair {  // a matrix, which decays, and a vector, which does not
  ParamStore params = ParamStore::fresh(1, DType::f64);
  Tensor matrix, vector;
  Pair() {
    const Params p(params);
    matrix = p.get("matrix", {1, 5}, constant(0));
    vector = p.get("vector", {3}, constant(0));
    copy_into(matrix, from_values(std::vector<double>{0.5, -1.25, 2.0, 0.1, -0.6}, {1, 5}));
    copy_into(vector, from_values(std::vector<double>{0.3, -0.7, 0.9}, {3}));
  }
};

std::vector<Tensor> gradients_at(int t, double factor) {
  std::vector<double> w, b;
  for (int i = 0; i < 5; ++i) w.push_back(factor * std::sin(t * 1.0 + i));
  for (int i = 0; i < 3; ++i) b.push_back(factor * std::cos(t * 0.5 + i));
  return {from_values(w, {1, 5}), from_values(b, {3})};
}

// Ten steps of torch.optim with weight_decay 0.1 for the matrix and 0 for the vector.
void expect_as_pytorch(OptimizerKind kind, const std::vector<double>& wanted) {
  for (const double factor : {1.0, 8.0}) {  // a scale must undo the factor exactly
    Pair pair;
    Optimizer optimizer(
        pair.params,
        {.kind = kind, .beta2 = 0.98, .eps = 1e-9, .weight_decay = 0.1, .momentum = 0.9});
    for (int t = 1; t <= 10; ++t) optimizer.step(gradients_at(t, factor), 0.01, 1 / factor);
    std::vector<double> got = to_host<double>(pair.matrix);
    for (const double v : to_host<double>(pair.vector)) got.push_back(v);
    for (size_t i = 0; i < wanted.size(); ++i)
      EXPECT_NEAR(got[i], wanted[i], 2e-14) << name_of(kind) << " " << i;
    EXPECT_EQ(optimizer.updates(), 10);
  }
}

TEST(Optimizer, AdamWIsPyTorchs) {
  expect_as_pytorch(OptimizerKind::adamw,
                    {0.458669252731181, -1.25208488931819, 1.99758368719254, 0.137261190433628,
                     -0.575547712282924, 0.293646540334127, -0.649318683366945, 0.955050818064054});
}

TEST(Optimizer, AdamIsPyTorchs) {
  expect_as_pytorch(OptimizerKind::adam,
                    {0.458956661632149, -1.25034395660777, 1.99353834274474, 0.137341350852826,
                     -0.574954997224028, 0.293646540334127, -0.649318683366945, 0.955050818064054});
}

TEST(Optimizer, SgdIsPyTorchs) {
  expect_as_pytorch(OptimizerKind::sgd,
                    {0.406240961471067, -1.21176059813274, 1.97711908270865, 0.172864295709236,
                     -0.551378165942555, 0.356591611138566, -0.534697518038712, 1.02203501320026});
}

TEST(Optimizer, StateComesBackFromAFile) {
  for (const auto kind : {OptimizerKind::adamw, OptimizerKind::sgd}) {
    const TempDir dir;
    Pair a, b;
    Optimizer first(a.params, {.kind = kind}), second(b.params, {.kind = kind});
    for (int t = 1; t <= 3; ++t) first.step(gradients_at(t, 1), 0.01);
    save_safetensors(dir / "o", first.state());
    second.restore(SafetensorsFile(dir / "o"), first.updates());
    b.params.assign([&](const Param& p) { return a.params.find(p.name)->value; });
    first.step(gradients_at(4, 1), 0.01);
    second.step(gradients_at(4, 1), 0.01);
    EXPECT_EQ(to_host<double>(a.matrix), to_host<double>(b.matrix));
  }
}

TEST(Optimizer, StateOfOtherWeightsIsRefused) {
  const TempDir dir;
  Pair pair;
  Optimizer adam(pair.params, {}), sgd(pair.params, {.kind = OptimizerKind::sgd});
  const std::string file = dir / "o";
  const auto restored = [&](NamedTensors tensors) {
    save_safetensors(file, tensors);
    return error_of<FormatError>([&] { adam.restore(SafetensorsFile(file), 1); });
  };
  EXPECT_EQ(restored(sgd.state()), file +
                                       ": no tensor \"m.matrix\": this state belongs to another "
                                       "model or optimizer");
  NamedTensors wrong = adam.state();
  wrong[1].second = zeros({2, 5}, DType::f64);
  EXPECT_EQ(restored(wrong), file + ": tensor \"v.matrix\": found f64 [2, 5], wanted f64 [1, 5]");
  NamedTensors more = adam.state();
  more.emplace_back("m.other", zeros({1}, DType::f64));
  EXPECT_EQ(restored(more),
            file + ": found tensor \"m.other\", which is of no weight of this model");
}

TEST(Optimizer, NamesAndNumbersAreChecked) {
  Pair pair;
  for (const char* name : {"adamw", "adam", "sgd"})
    EXPECT_STREQ(name_of(parse_optimizer(name)), name);
  expect_error<UsageError>([] { parse_optimizer("adamW2"); },
                           "no optimizer \"adamW2\" (did you mean \"adamw\"?)");
  error_of<UsageError>([&] { Optimizer(pair.params, {.beta1 = 1}); });
  error_of<UsageError>([&] { Optimizer(pair.params, {.eps = 0}); });
  error_of<UsageError>([&] { Optimizer(pair.params, {.weight_decay = -0.5}); });
  EXPECT_EQ(OptimizerOptions{}.decay(), 0.1);
  EXPECT_EQ((OptimizerOptions{.kind = OptimizerKind::adam}.decay()), 0);
  Optimizer adam(pair.params, {});
  error_of<ShapeError>([&] { adam.step({}, 0.1); });
  ParamStore half = ParamStore::fresh(1, DType::bf16);
  Params(half).get("w", {2}, constant(0));
  expect_error<UsageError>([&] { Optimizer(half, {}); }, "optimizer: w is bf16, wanted f32 or f64");
}

TEST(Clipping, ByGlobalNorm) {
  EXPECT_DOUBLE_EQ(clip_factor(15, 1), 1.0 / 15);
  EXPECT_EQ(clip_factor(0.5, 1), 1);
  EXPECT_EQ(clip_factor(1, 1), 1);
  EXPECT_EQ(clip_factor(15, 0), 1);
}

}  // namespace
}  // namespace jogak
