#include "nn/params.h"

#include <gtest/gtest.h>

#include <cmath>

#include "autograd/autograd.h"
#include "nn/modules.h"
#include "tests/support/temp_dir.h"

#include "tests/support/expect.h"

namespace jogak {
namespace {

TEST(Params, AFreshWeightDependsOnSeedAndNameAlone) {
  ParamStore a = ParamStore::fresh(7), b = ParamStore::fresh(7), c = ParamStore::fresh(8);
  Params pa(a), pb(b), pc(c);
  const auto first = to_host<float>((pa / "x").get("weight", {3, 4}, normal(0.5)));
  (pb / "y").get("weight", {3, 4}, normal(0.5));  // another one before it changes nothing
  EXPECT_EQ(first, to_host<float>((pb / "x").get("weight", {3, 4}, normal(0.5))));
  EXPECT_NE(first, to_host<float>((pc / "x").get("weight", {3, 4}, normal(0.5))));
  EXPECT_EQ(a.count(), 12);
  EXPECT_EQ(b.all()[0].name, "y.weight");
}

TEST(Params, StartValuesHaveTheirSpread) {
  ParamStore store = ParamStore::fresh(1);
  const auto values = to_host<float>(Params(store).get("w", {200, 200}, normal(0.02)));
  double mean = 0, square = 0;
  for (const float v : values) mean += v, square += double{v} * v;
  EXPECT_NEAR(mean / 40000, 0, 1e-3);
  EXPECT_NEAR(std::sqrt(square / 40000), 0.02, 5e-4);
  for (const float v : to_host<float>(Params(store).get("b", {5}, constant(1)))) EXPECT_EQ(v, 1.0f);
}

TEST(Params, BuffersAreSavedButNotTrained) {
  ParamStore store = ParamStore::fresh(1);
  const Tensor count = Params(store).buffer("count", zeros({}, DType::i64));
  EXPECT_EQ(count.dtype(), DType::i64);
  Params(store).get("weight", {4}, constant(1));
  EXPECT_EQ(store.trained().size(), 1u);
  EXPECT_EQ(store.count(), 4);
  EXPECT_EQ(to_file(store).size(), 2u);
}

TEST(Params, ANameCanBeTakenOnce) {
  ParamStore store = ParamStore::fresh(1);
  Params(store).get("w", {1}, constant(0));
  EXPECT_THROW(Params(store).get("w", {1}, constant(0)), Error);
}

TEST(Params, RowsMayStandInAnotherOrderInTheFile) {
  const TempDir dir;
  const std::vector<float> rows = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, bias = {0, 1, 2, 3, 4, 5};
  save_safetensors(
      dir.path() + "/model.safetensors",
      {{"fused.bias", from_values(bias, {6})}, {"fused.weight", from_values(rows, {6, 2})}});
  const ModelFiles files(dir.path());
  ParamStore store = ParamStore::from_files(files, {});
  const Linear fused((Params(store) / "fused").reorder({.rows = 2, .order = {1, 2, 0}}), 2, 6);
  store.finish();
  EXPECT_EQ(to_host<float>(fused.weight.dense),
            (std::vector<float>{4, 5, 6, 7, 8, 9, 10, 11, 0, 1, 2, 3}));
  EXPECT_EQ(to_host<float>(fused.bias), (std::vector<float>{2, 3, 4, 5, 0, 1}));
  const NamedTensors written = to_file(store);
  EXPECT_EQ(to_host<float>(written.at(0).second), rows);
  EXPECT_EQ(to_host<float>(written.at(1).second), bias);
}

TEST(Params, EveryOffenderIsListedInOneError) {
  const TempDir dir;
  save_safetensors(
      dir.path() + "/model.safetensors",
      {{"net.a.weight", zeros({2, 3})}, {"net.extra", zeros({1})}, {"net.mask.bias", zeros({9})}});
  const ModelFiles files(dir.path());
  ParamStore store = ParamStore::from_files(files, {.prefix = "net.", .ignored = {"*.bias"}});
  (Params(store) / "a").get("weight", {3, 2}, constant(0));
  (Params(store) / "b").get("weight", {5}, constant(0));
  try {
    store.finish();
    FAIL();
  } catch (const FormatError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("3 tensors do not fit"), std::string::npos) << text;
    EXPECT_NE(text.find("net.a.weight: the file has [2, 3], the model wants [3, 2]"),
              std::string::npos);
    EXPECT_NE(text.find("net.b.weight: missing, the model wants [5]"), std::string::npos);
    EXPECT_NE(text.find("net.extra: in the file with shape [1], not used"), std::string::npos);
  }
}

// A configuration that asks for far more than there is must not get it while errors are collected.
TEST(Params, WhatTheFilesCannotHoldIsRefusedBeforeItHasMemory) {
  const TempDir dir;
  save_safetensors(dir.path() + "/model.safetensors", {{"a", zeros({4})}});
  const ModelFiles files(dir.path());
  ParamStore store = ParamStore::from_files(files, {});
  Params(store).get("small", {1 << 20}, constant(0));
  const std::string error = error_of<FormatError>([&] {
    Params(store).get("large", {1 << 12, 1 << 12}, constant(0));
  });
  EXPECT_NE(error.find("large: missing, the model wants [4096, 4096]"), std::string::npos) << error;
}

TEST(Params, TransposedWeightsAreTurnedInAndOut) {
  const TempDir dir;
  const Tensor w = randn({2, 3}, Rng(1));
  save_safetensors(dir.path() + "/model.safetensors", {{"fc.weight", w}});
  const NameMap names{.prefix = "net.", .transposed = {"fc.weight"}};
  const ModelFiles files(dir.path());
  ParamStore store = ParamStore::from_files(files, names);
  const Tensor got = (Params(store) / "fc").get("weight", {3, 2}, constant(0));
  store.finish();
  EXPECT_EQ(to_host<float>(got)[1], to_host<float>(w)[3]);
  const NamedTensors out = to_file(store);
  EXPECT_EQ(out[0].first, "net.fc.weight");
  EXPECT_EQ(to_host<float>(out[0].second), to_host<float>(w));
}

TEST(Params, JoinedLayersAreApartInTheFile) {
  const TempDir dir;
  const Tensor q = randn({4, 3}, Rng(1)), k = randn({2, 3}, Rng(2));
  save_safetensors(dir.path() + "/model.safetensors",
                   {{"attn.q.weight", q}, {"attn.k.weight", k}, {"attn.k.bias", zeros({3})}});
  const ModelFiles files(dir.path());
  ParamStore store = ParamStore::from_files(files, {});
  const Params both = (Params(store) / "attn").join({{"q", 4}, {"k", 2}});
  std::vector<float> wanted = to_host<float>(q);
  for (const float x : to_host<float>(k)) wanted.push_back(x);
  EXPECT_EQ(to_host<float>(both.get("weight", {6, 3}, constant(0))), wanted);
  const NamedTensors out = to_file(store);
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(out[0].first, "attn.q.weight");
  EXPECT_EQ(to_host<float>(out[1].second), to_host<float>(k));
  both.get("bias", {6}, constant(0));
  const std::string error = error_of<FormatError>([&] { store.finish(); });
  EXPECT_NE(error.find("attn.q.bias: missing, the model wants [4]"), std::string::npos) << error;
  EXPECT_NE(error.find("attn.k.bias: the file has [3], the model wants [2]"), std::string::npos);
}

TEST(Params, OtherSpellingsAreReadAndOursWritten) {
  const TempDir dir;
  const Tensor gain = randn({3}, Rng(1)), shift = randn({3}, Rng(2));
  save_safetensors(dir.path() + "/model.safetensors",
                   {{"net.0.norm.gamma", gain}, {"net.1.norm.bias", shift}});
  const ModelFiles files(dir.path());
  ParamStore store = ParamStore::from_files(
      files, {.prefix = "net.",
              .spellings = {{".norm.weight", ".norm.gamma"}, {".norm.bias", ".norm.beta"}}});
  const Params p(store);
  EXPECT_TRUE((p / "0" / "norm").in_file("weight"));
  EXPECT_FALSE((p / "0" / "norm").in_file("bias"));
  EXPECT_EQ(to_host<float>((p / "0" / "norm").get("weight", {3}, constant(0))),
            to_host<float>(gain));
  EXPECT_EQ(to_host<float>((p / "1" / "norm").get("bias", {3}, constant(0))),
            to_host<float>(shift));
  store.finish();
  EXPECT_EQ(store.file_name("0.norm.weight"), "net.0.norm.gamma");  // as it was opened
  EXPECT_EQ(to_file(store)[0].first, "net.0.norm.weight");
  EXPECT_EQ(to_file(store)[1].first, "net.1.norm.bias");
}

TEST(Params, BuffersKeepTheirElementTypeWhateverTheModels) {
  const TempDir dir;
  save_safetensors(dir.path() + "/model.safetensors", {{"count", full({}, 7, DType::i64)}});
  const ModelFiles files(dir.path());
  ParamStore store = ParamStore::from_files(files, {}, DType::bf16);
  const Params p(store);
  EXPECT_EQ(to_host<int64_t>(p.buffer("count", zeros({}, DType::i64))), std::vector<int64_t>{7});
  const Tensor mean = p.optional_buffer("mean", full({2}, 0.5));
  EXPECT_EQ(mean.dtype(), DType::f32);
  EXPECT_EQ(to_host<float>(mean), (std::vector<float>{0.5f, 0.5f}));
  store.finish();
  p.buffer("variance", zeros({2}));
  EXPECT_THROW(store.finish(), FormatError);
}

TEST(Params, WhatIsOnlyReadStaysInTheFileInItsType) {
  const TempDir dir;
  const Tensor a = randn({4, 6}, Rng(1), DType::bf16), b = randn({2, 6}, Rng(2), DType::bf16);
  save_safetensors(dir.path() + "/model.safetensors",
                   {{"a.weight", a},
                    {"b.weight", b},
                    {"c.weight", randn({3, 6}, Rng(3))},
                    {"n.weight", randn({6}, Rng(4), DType::bf16)}});
  const ModelFiles files(dir.path());
  for (const WeightUse use :
       {WeightUse::trained, WeightUse::as_stored, WeightUse::f32, WeightUse::bf16}) {
    ParamStore store = ParamStore::from_files(files, {});
    store.open_for(use);
    const Params p(store);
    const DType all = use == WeightUse::bf16 ? DType::bf16 : DType::f32;
    const DType stored = use == WeightUse::as_stored ? DType::bf16 : all;
    const Tensor table = (p / "a").matrix("weight", {4, 6}, constant(0));
    EXPECT_EQ(table.dtype(), stored);
    EXPECT_EQ(table.storage()->borrowed(), stored == DType::bf16);
    EXPECT_EQ(to_host<float>(table), to_host<float>(a));
    const Tensor other = (p / "c").matrix("weight", {3, 6}, constant(0));
    EXPECT_EQ(other.dtype(), all);
    EXPECT_EQ(other.storage()->borrowed(), use == WeightUse::as_stored || use == WeightUse::f32);
    const Tensor norm = (p / "n").get("weight", {6}, constant(0));
    EXPECT_EQ(norm.dtype(), DType::f32);
    EXPECT_EQ(needs_grad(norm), use == WeightUse::trained);
    const Tensor rows = look_up(table, from_values<int64_t>({3, 0}, {2}), p.values());
    EXPECT_EQ(rows.dtype(), DType::f32);
    const Tensor joined = p.join({{"a", 4}, {"b", 2}}).matrix("weight", {6, 6}, constant(0));
    EXPECT_EQ(joined.dtype(), stored);
  }
}

TEST(Params, ManyJoinedPartsHaveAShortName) {
  ParamStore store = ParamStore::fresh(1);
  std::vector<ParamPart> parts;
  for (int i = 0; i < 321; ++i) parts.push_back({std::to_string(i), 2});
  Params(store).join(parts).get("bias", {642}, constant(0));
  EXPECT_EQ(store.all()[0].name, "0+1+2..+320.bias");
  parts.resize(3);
  (Params(store) / "x").join(parts).get("bias", {6}, constant(0));
  EXPECT_EQ(store.all()[1].name, "x.0+1+2.bias");
}

TEST(Names, OneStarStandsForAnything) {
  EXPECT_TRUE(matches("*.bias", "h.0.attn.bias"));
  EXPECT_TRUE(matches("h.*", "h.0.x"));
  EXPECT_FALSE(matches("*.bias", "bias"));
  EXPECT_FALSE(matches("a*a", "a"));
  EXPECT_TRUE(matches("same", "same"));
}

TEST(Modules, DropoutDropsInTrainingOnly) {
  jogak::Run run;
  const Tensor x = full({1000}, 1.0);
  EXPECT_EQ(to_host<float>(drop(x, 0.5, run)), to_host<float>(x));
  run.training = true;
  int zero = 0;
  for (const float v : to_host<float>(drop(x, 0.5, run))) zero += v == 0;
  EXPECT_NEAR(zero, 500, 80);
  const auto again = to_host<float>(drop(x, 0.5, run));  // the next call draws another mask
  run.begin_step(run.step);
  EXPECT_NE(again, to_host<float>(drop(x, 0.5, run)));
}

}  // namespace
}  // namespace jogak
