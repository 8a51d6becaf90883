// CLIP's vocab.json and merges.txt against transformers (tests/goldens/tokenizers/make_clip.py).
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/json.h"
#include "tests/support/places.h"
#include "text/tokenizer.h"

namespace jogak {
namespace {

TEST(ClipFiles, GiveTheTokensOfTransformers) {
  const std::string place = source_path("tests/goldens/tokenizers/clip");
  const Tokenizer tokenizer =
      Tokenizer::load_gpt2(join_path(place, "vocab.json"), join_path(place, "merges.txt"));
  const Json cases = read_json_file(join_path(place, "cases.json"));
  for (const Json& one : cases.items()) {
    const std::vector<int> got = tokenizer.encode(one.find("text")->text()).ids;
    std::vector<int> wanted;
    for (const Json& id : one.find("ids")->items())
      wanted.push_back(static_cast<int>(id.integer()));
    EXPECT_EQ(got, wanted) << one.find("text")->text();
  }
}

}  // namespace
}  // namespace jogak
