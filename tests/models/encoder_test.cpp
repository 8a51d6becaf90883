// Encoders behind their functions, against goldens that PyTorch and transformers wrote
// (tests/goldens/make_bert.py and its like): results, loss, insides and every gradient. BERT's kin,
// ViT and PatchTST have tests of their own beside this.
#include <gtest/gtest.h>

#include <set>

#include "autograd/autograd.h"
#include "ops/add.h"
#include "ops/mul.h"
#include "ops/reduce.h"
#include "tests/models/golden.h"
#include "tests/support/encoder_golden.h"
#include "tests/support/families.h"

namespace jogak {
namespace {

using test::expect_golden;

class EncoderGoldens : public testing::TestWithParam<std::string> {};

// Any number made of what a model without a head gives.
Tensor weighted_loss(const test::EncoderGolden& g, Run& run) {
  const EncoderModel& m = g.model.encoder;
  const auto part = [&](const Tensor& x, const std::string& name) {
    expect_golden(x, g.golden.get(name), name);
    return sum(x * g.golden.get("weights." + name));
  };
  const Tensor loss = part(m.hidden(g.input, run), "last_hidden_state");
  if (!g.golden.has("pooler_output")) return loss;
  run.probe = nullptr;  // the second pass shows nothing new
  return loss + part(m.pooled(g.input, run), "pooler_output");
}

TEST_P(EncoderGoldens, ResultsLossGradientsAndWhatHappensInside) {
  const test::EncoderGolden g(GetParam());
  jogak::Run run;
  test::GoldenWatch watch(g.golden);
  const bool inside = g.golden.has("hidden_states.0");
  if (inside) run.probe = &watch;
  const EncoderModel& m = g.model.encoder;
  Tensor loss;
  if (!m.predict) {
    loss = weighted_loss(g, run);
  } else {
    const Tensor predicted = m.predict(g.input, run);
    for (const auto& [name, value] : g.results(predicted))
      expect_golden(value, g.golden.get(name), name);
    loss = m.loss(predicted, g.targets(), {});
  }
  EXPECT_GE(watch.seen, inside ? g.model.layers + 1 : 0);
  expect_golden(loss, g.golden.get("loss"), "loss");
  test::expect_golden_gradients(*g.model.store, gradients(loss, g.model.store->trained()),
                                g.golden);
}

std::vector<std::string> encoders() {
  const std::set<std::string> elsewhere = {"vit", "patchtst"};
  std::vector<std::string> out;
  for (const Family& family : families()) {
    if (elsewhere.contains(family.model_type)) continue;
    const bool forecasts =
        family.outline(test::config_json(test::goldens_of(family.model_type)[0]), family.name)
            .input == ModelOutline::Input::series;
    if (family.heads.empty() && !forecasts) continue;
    for (const std::string& name : test::goldens_of(family.model_type))
      if (test::config_json(name).find("architectures")->items()[0].text() != "BertForPreTraining")
        out.push_back(name);
  }
  return out;
}

INSTANTIATE_TEST_SUITE_P(All, EncoderGoldens, testing::ValuesIn(encoders()),
                         [](const auto& one) { return test::test_name(one.param); });

}  // namespace
}  // namespace jogak
