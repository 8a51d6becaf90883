// What `jogak train` writes is shown by the page and the commands, whatever the family: a model of
// each is trained for two steps, begins with the page's own example, is looked into and used.
#include <gtest/gtest.h>

#include "app/page/attention_pass.h"
#include "app/page/shelf.h"
#include "app/page/trying.h"
#include "app/show/ablate.h"
#include "app/show/inspect.h"
#include "app/train/train.h"
#include "models/families.h"
#include "tests/support/families.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

std::vector<std::string> trainable() {
  std::vector<std::string> out;
  for (const Family& family : families()) out.push_back(family.name);
  return out;
}

// The page's example of a model, as the page sends it.
InputChoice example_input(const ShelfModel& model) {
  const ModelExample example = model_example(model.directory, model.outline);
  return {.text = example.text,
          .target = example.target,
          .image_bytes = example.image,
          .csv_text = example.csv};
}

// By the task that the page offers: not empty.
std::string used(const ShelfModel& model, const OpenModel& open, const InputChoice& input) {
  if (model.task == "translate")
    return to_json(open.translator().translate({input.text})[0]).dump();
  if (model.task == "generate") {
    GenerateOptions options;
    options.settings.max_new_tokens = 4;
    return to_json(open.generator().generate(input.text, options)).dump() +
           next_tokens(open.generator(), input.text, options, 4).dump();
  }
  const std::vector<std::string> texts = {input.text};
  if (model.task == "fill") return to_json(open.encoder().fill(text_lines(texts), {}).at(0)).dump();
  if (model.task == "forecast") return forecast_view(open.forecaster(), input.csv_text, {}).dump();
  if (model.task == "match")
    return matched_labels(open.subject(), input.image_bytes,
                          model_example(model.directory, model.outline).labels, 3, nullptr)
        .dump();
  if (!input.image_bytes.empty())
    return image_labels(open.subject(), input.image_bytes, 3, nullptr).dump();
  return to_json(open.encoder().classify(text_lines(texts), {}).at(0)).dump();
}

class EverySmallRun : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const test::SmallRecipe r = test::small_recipe(GetParam(), 16);
    const std::string toml = "[model]\npreset = \"tiny\"\n" + r.model + "[data]\n" + r.data +
                             "[train]\nsteps = 2\nlr = 1e-3\neval_every = 2\n" + r.train;
    run_training({.recipe = parse_recipe(toml, "small"), .out = dir / "run", .quiet = true});
  }
  const TempDir dir{memory_place()};
};

TEST_P(EverySmallRun, IsShownAndUsedFromThePagesExample) {
  Shelf shelf({dir / "run"}, "");
  const ShelfModel model = shelf.list().at(0);
  ASSERT_EQ(model.trouble, "");
  const auto open = shelf.open(model);
  const InspectSubject& subject = open->subject();
  const InputChoice input = example_input(model);
  for (const std::string& what : inspect_topics()) {  // forecasts and bare vectors have no lens
    const Json* const asked = subject.model().config.find("self_attn");  // of mixers
    const bool heads = !asked || asked->boolean();
    const bool positions = model.outline.positions != "none";
    const bool lens = model.outline.input != ModelOutline::Input::series && model.task != "match";
    if ((what == "lens" && !lens) || (what == "positions" && !positions) ||
        (!heads && (what == "attention" || what == "heads")))
      continue;
    const Inspection shown =
        inspect(subject, {.what = what, .directory = model.directory, .input = input});
    EXPECT_FALSE(shown.plates.empty() && shown.tables.empty()) << what;
    if (what == "attention") AttentionPass(subject, {.input = input});
  }
  const AblateCommand off{.directory = model.directory, .input = input, .off = "layer:0"};
  EXPECT_FALSE(ablate(subject, off).tables.empty());
  EXPECT_FALSE(pass_steps(subject, {.input = input}).find("steps")->items().empty());
  EXPECT_FALSE(norms_compared(subject, {.input = input}, 0).find("places")->items().empty());
  EXPECT_FALSE(stream_sizes(subject, {.input = input}).find("layers")->items().empty());
  if (const Tokenizer* const tokenizer = subject.tokenizer()) {
    EXPECT_FALSE(cut_text(*tokenizer, input.text).find("tokens")->items().empty());
  }
  EXPECT_FALSE(used(model, *open, input).empty());
}

INSTANTIATE_TEST_SUITE_P(All, EverySmallRun, testing::ValuesIn(trainable()),
                         [](const auto& one) { return test::test_name(one.param); });

}  // namespace
}  // namespace jogak
