#include "nn/laying_out.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "io/safetensors.h"
#include "nn/params.h"
#include "ops/cast.h"
#include "tensor/packed.h"
#include "tests/support/expect.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

class LaidOut : public testing::TestWithParam<WeightUse> {
 protected:
  LaidOut() {
    save_safetensors(dir_.path() + "/model.safetensors", {{"a.weight", a},
                                                          {"b.weight", b},
                                                          {"c_fc.weight", across},
                                                          {"words.weight", words},
                                                          {"n.weight", randn({40}, Rng(5))}});
  }
  ParamStore opened(const ModelFiles& files) const {
    ParamStore store = ParamStore::from_files(files, {.transposed = {"c_fc.weight"}});
    store.open_for(GetParam());
    return store;
  }
  // The numbers of a matrix, which lies in tiles where nothing learns.
  static std::vector<float> numbers(const Tensor& x) {
    const bool tiles = GetParam() != WeightUse::trained;
    EXPECT_EQ(x.dtype() == DType::packed, tiles);
    return to_host<float>(x.dtype() == DType::packed ? unpacked(x) : dense(x.detach()));
  }

  const Tensor a = randn({70, 40}, Rng(1)), b = randn({20, 40}, Rng(2), DType::f16);
  const Tensor across = randn({40, 70}, Rng(3)), words = randn({30, 40}, Rng(4));
  const TempDir dir_;
};

TEST_P(LaidOut, MatricesHoldTheNumbersOfTheirFile) {
  const ModelFiles files(dir_.path());
  const LayingOut tiles;
  ParamStore store = opened(files);
  const Params p(store);
  EXPECT_EQ(numbers((p / "a").matrix("weight", {70, 40}, constant(0))), to_host<float>(a));
  const Tensor turned = dense(across.view({70, 40}, {1, 70}, 0));
  EXPECT_EQ(numbers((p / "c_fc").matrix("weight", {70, 40}, constant(0))), to_host<float>(turned));
  std::vector<float> both = to_host<float>(a), behind = to_host<float>(cast(b, DType::f32));
  both.insert(both.end(), behind.begin(), behind.end());
  const Params joined = p.join({{"a", 70}, {"b", 20}});
  EXPECT_EQ(numbers(joined.matrix("weight", {90, 40}, constant(0))), both);
  const Params swapped = (p / "b").reorder({.rows = 10, .order = {1, 0}});
  std::rotate(behind.begin(), behind.begin() + 400, behind.end());
  EXPECT_EQ(numbers(swapped.matrix("weight", {20, 40}, constant(0))), behind);
  EXPECT_EQ((p / "n").get("weight", {40}, constant(0)).dtype(), DType::f32);
  // Whoever asks the store for what a file would have gets plain floats.
  const Param& fc = *store.find("c_fc.weight");
  EXPECT_EQ(to_host<float>(store.in_file_layout(fc, fc.value)[0].second), to_host<float>(across));
}

TEST_P(LaidOut, ATableStaysAndItsHeadHasTiles) {
  const ModelFiles files(dir_.path());
  const LayingOut tiles;
  ParamStore store = opened(files);
  const Tensor table = (Params(store) / "words").table("weight", {30, 40}, constant(0));
  EXPECT_EQ(table.dtype(), DType::f32);
  EXPECT_EQ(numbers(scoring(table)), to_host<float>(words));
  if (GetParam() == WeightUse::trained) return;
  const Tensor own = dense(randn({30, 40}, Rng(6)));  // would be in memory twice
  EXPECT_EQ(scoring(own).dtype(), DType::f32);
  const LayingOut all(LayingOut::Tables::all);
  EXPECT_EQ(scoring(own).dtype(), DType::packed);
}

TEST_P(LaidOut, UnaskedNothingChanges) {
  { const LayingOut before; }
  const ModelFiles files(dir_.path());
  ParamStore store = opened(files);
  const Tensor plain = (Params(store) / "a").matrix("weight", {70, 40}, constant(0));
  EXPECT_EQ(plain.dtype(), DType::f32);
  EXPECT_EQ(scoring(plain).dtype(), DType::f32);
}

INSTANTIATE_TEST_SUITE_P(Uses, LaidOut,
                         testing::Values(WeightUse::trained, WeightUse::as_stored, WeightUse::f32));

// What does not fit is said once, as it is without tiles.
TEST(LaidOutErrors, AMatrixOfAnotherShapeIsNamed) {
  const TempDir dir;
  save_safetensors(dir.path() + "/model.safetensors", {{"a.weight", zeros({4, 6})}});
  const ModelFiles files(dir.path());
  const LayingOut tiles;
  ParamStore store = ParamStore::from_files(files, {});
  store.open_for(WeightUse::f32);
  (Params(store) / "a").matrix("weight", {5, 6}, constant(0));
  (Params(store) / "b").matrix("weight", {5, 6}, constant(0));
  expect_error<FormatError>([&] { store.finish(); },
                            dir.path() +
                                ": 2 tensors do not fit the configuration: a.weight: the "
                                "file has [4, 6], the model wants [5, 6]; b.weight: "
                                "missing, the model wants [5, 6]");
}

TEST(LaidOutFresh, MatricesHoldTheirStartValues) {
  const auto made = [] {
    ParamStore store = ParamStore::fresh(1);
    store.open_for(WeightUse::f32);
    const Tensor x = Params(store).matrix("w", {50, 30}, normal(1));
    return to_host<float>(x.dtype() == DType::packed ? unpacked(x) : x);
  };
  const std::vector<float> plain = made();
  const LayingOut tiles;
  EXPECT_EQ(made(), plain);
}

}  // namespace
}  // namespace jogak
