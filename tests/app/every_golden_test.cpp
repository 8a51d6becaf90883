// What looks into a model works on every family: every golden is opened by every command that
// does, and nobody is left out by name.
#include <gtest/gtest.h>

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
  const std::string directory = test::golden_dir(GetParam());
  const InputChoice input = {.file = directory + "/golden.safetensors"};
  const InspectSubject subject{directory};
  const Json* const asked = subject.model().config.find("self_attn");  // of mixers
  const bool has_heads = !asked || asked->boolean();
};

// A forecast has no words to be read after each layer, vectors of images and texts neither; a model
// without attention has no heads. Both are said in a line.
TEST_P(EveryGolden, IsLookedIntoByEveryTopic) {
  const Model& m = subject.model();
  const bool read = m.read || m.translates() || (m.encodes() && m.encoder.read);
  for (const std::string& what : inspect_topics()) {
    const InspectCommand command{.what = what, .directory = directory, .input = input};
    const bool refused =
        (what == "lens" && !read) || ((what == "attention" || what == "heads") && !has_heads);
    if (refused) {
      EXPECT_FALSE(error_of<UsageError>([&] { inspect(subject, command); }).empty()) << what;
      continue;
    }
    const Inspection shown = inspect(subject, command);
    EXPECT_FALSE(shown.plates.empty() && shown.tables.empty()) << what;
  }
}

TEST_P(EveryGolden, HasPartsThatCanBeSwitchedOff) {
  for (const char* off : {"layer:0", "ffn:0", "residual:0"}) {
    const Inspection shown = ablate(subject, {.directory = directory, .input = input, .off = off});
    EXPECT_FALSE(shown.tables.empty()) << off;
  }
  if (!has_heads) return;
  EXPECT_FALSE(
      ablate(subject, {.directory = directory, .input = input, .each = "head"}).tables.empty());
}

INSTANTIATE_TEST_SUITE_P(All, EveryGolden, testing::ValuesIn(test::all_goldens()),
                         [](const auto& one) { return test::test_name(one.param); });

}  // namespace
}  // namespace jogak
