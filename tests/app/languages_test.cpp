// A translator of many languages that was told none.
#include "app/use/translate_lines.h"
#include "tests/support/expect.h"
#include "tests/support/places.h"
#include "text/pair_tokenizer.h"

namespace jogak {
namespace {

TEST(Languages, WhoIsToldNoneNamesWhatTellsIt) {
  const PairTokenizer many = load_pair_tokenizer(source_path("tests/goldens/tokenizers/mbart"));
  EXPECT_EQ(error_of<UsageError>([&] { in_language(many, {}); }),
            "found no language to translate into, wanted --target-lang");
  EXPECT_EQ(error_of<UsageError>([&] { in_language(many, {}, "--target TEXT"); }),
            "found no language to translate into, wanted --target TEXT");
}

}  // namespace
}  // namespace jogak
