// What looks into a model works on every family: every golden is walked through every command and
// every view of the page that does, and nobody is left out by name.
#include <gtest/gtest.h>

#include <cmath>

#include "app/page/attention_pass.h"
#include "app/page/example.h"
#include "app/show/ablate.h"
#include "app/show/inspect.h"
#include "base/json.h"
#include "tests/support/expect.h"
#include "tests/support/families.h"
#include "tests/support/golden.h"

namespace jogak {
namespace {

class EveryGolden : public testing::TestWithParam<std::string> {
 protected:
  // What a configuration says of parts that it has or not; true where it does not speak of them.
  bool has(const char* key) const {
    const Json* const said = subject.model().config.find(key);
    return !said || said->boolean();
  }
  bool is(const char* key, const char* word) const {
    const Json* const said = subject.model().config.find(key);
    return said && said->is_string() && said->text() == word;
  }
  // Of the laboratory, where each part is a choice.
  bool is_without(std::string_view part) const {
    const Json* const residual = subject.model().config.find("residual");
    return (part == "norm" && is("norm", "none")) ||
           (part == "ffn:0" && is("feed_forward", "none")) ||
           (part == "residual:0" && residual && residual->is_bool() && !residual->boolean());
  }
  const std::string directory = test::golden_dir(GetParam());
  const InputChoice input = {.file = directory + "/golden.safetensors"};
  const InspectSubject subject{directory};
  const bool has_heads = has("self_attn");  // of mixers
  const bool has_positions = has("use_positional_encoding") &&
                             has("use_positional_embedding") &&  // of series
                             !is("positions", "none");           // of the laboratory
};

// A forecast has no words to be read after each layer, vectors of images and texts neither; a model
// without attention has no heads, one without positions no table. Each is said in a line.
TEST_P(EveryGolden, IsLookedIntoByEveryTopic) {
  const Model& m = subject.model();
  const bool read = m.read || m.translates() || (m.encodes() && m.encoder.read);
  for (const std::string& what : inspect_topics()) {
    const InspectCommand command{.what = what, .directory = directory, .input = input};
    const bool refused = (what == "lens" && !read) || (what == "positions" && !has_positions) ||
                         ((what == "attention" || what == "heads") && !has_heads);
    if (refused) {
      EXPECT_FALSE(error_of<UsageError>([&] { inspect(subject, command); }).empty()) << what;
      continue;
    }
    const Inspection shown = inspect(subject, command);
    EXPECT_FALSE(shown.plates.empty() && shown.tables.empty()) << what;
    EXPECT_TRUE(to_svg(shown).starts_with("<svg")) << what;
    EXPECT_FALSE(to_text(shown, false, 100).empty()) << what;
  }
}

TEST_P(EveryGolden, GradientsReachEveryLayer) {
  const Inspection shown =
      inspect(subject, {.what = "gradients", .directory = directory, .input = input});
  ASSERT_FALSE(shown.tables.at(0).rows.empty());
  for (const auto& row : shown.tables[0].rows) EXPECT_GT(row[1].number(), 0) << row[0].text();
}

TEST_P(EveryGolden, HasPartsThatCanBeSwitchedOff) {
  for (const char* off : {"layer:0", "ffn:0", "residual:0", "norm"}) {
    if (is_without(off)) continue;
    const Inspection shown = ablate(subject, {.directory = directory, .input = input, .off = off});
    EXPECT_FALSE(shown.tables.empty()) << off;
  }
  if (!has_heads) return;
  const Inspection each = ablate(subject, {.directory = directory, .input = input, .each = "head"});
  double most = 0;
  for (const auto& row : each.tables.at(0).rows) most = std::max(most, std::abs(row[1].number()));
  EXPECT_GT(most, 0);
}

TEST_P(EveryGolden, IsShownOnThePage) {
  const PassQuestion question{.input = input};
  const auto items = [](const Json& json, const char* key) {
    return json.find(key)->items().size();
  };
  EXPECT_GT(items(pass_steps(subject, question), "steps"), 15u);
  if (!is_without("norm")) {
    EXPECT_GT(items(norms_compared(subject, question, 0), "places"), 1u);
  }
  EXPECT_GT(items(stream_sizes(subject, question), "layers"), 1u);
  position_products(subject, question);  // none where a model adds no positions
  if (has_heads) {
    EXPECT_GT(items(AttentionPass(subject, question).json(), "kinds"), 0u);
  } else {
    EXPECT_THROW(AttentionPass(subject, question), UsageError);
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryGolden, testing::ValuesIn(test::all_goldens()),
                         [](const auto& one) { return test::test_name(one.param); });

}  // namespace
}  // namespace jogak
