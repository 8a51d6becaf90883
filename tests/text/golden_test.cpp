// Equality with PyPI tokenizers; the goldens are written by tests/goldens/tokenizers/make.py.
#include "tests/text/helpers.h"
#include "text/train/bpe.h"
#include "text/train/char.h"

namespace jogak {
namespace {

void expect_cases(const Tokenizer& tokenizer, const std::string& file) {
  const Json golden_file = read_json_file(golden(file));
  const Fields fields(golden_file, file);
  for (const Json& one : fields.list("exact")) EXPECT_TRUE(same_as(tokenizer, one));
  ASSERT_GE(fields.list("hashed").size(), 300u);
  for (const Json& one : fields.list("hashed")) {
    const std::string& text = one.items()[0].text();
    const Encoding got = tokenizer.encode(text);
    EXPECT_EQ(fnv(listing(got)), one.items()[1].text())
        << json_quote(text) << " -> " << listing(got);
    EXPECT_EQ(tokenizer.decode(got.ids, false), text);
    EXPECT_EQ(tokenizer.encode_ids(text), got.ids);
  }
}

TEST(Golden, SmallBpe) {
  expect_cases(Tokenizer::load(golden("small_bpe.json")), "small_bpe_cases.json");
}

TEST(Golden, SmallBpeAfterWritingAndReading) {
  const Tokenizer first = Tokenizer::load(golden("small_bpe.json"));
  const Tokenizer again = Tokenizer::from_json(first.to_json(), "written");
  EXPECT_EQ(again.to_json(), first.to_json());
  expect_cases(again, "small_bpe_cases.json");
}

TEST(Golden, Gpt2) {
  if (data_folder().empty()) GTEST_SKIP() << "set JOGAK_DATA to the data folder";
  expect_cases(Tokenizer::load(data_folder()), "gpt2_cases.json");
}

TEST(Golden, Gpt2AsTokenizerJson) {
  if (data_folder().empty()) GTEST_SKIP() << "set JOGAK_DATA to the data folder";
  const std::string json = Tokenizer::load(data_folder()).to_json();
  expect_cases(Tokenizer::from_json(json, "written"), "gpt2_cases.json");
}

void expect_variants(const std::string& path) {
  const Json golden_file = read_json_file(path);
  for (const Json& variant : golden_file.find("variants")->items()) {
    const Fields fields(variant, "variants.json");
    SCOPED_TRACE(fields.text("name"));
    const Tokenizer tokenizer =
        Tokenizer::from_json(fields.at("tokenizer").dump(), fields.text("name"));
    for (const Json& one : fields.list("cases")) EXPECT_TRUE(same_as(tokenizer, one));
    const Tokenizer again = Tokenizer::from_json(tokenizer.to_json(), "written");
    EXPECT_EQ(again.to_json(), tokenizer.to_json());
    for (const Json& one : fields.list("cases")) EXPECT_TRUE(same_as(again, one));
  }
}

TEST(Golden, EveryComponent) { expect_variants(golden("variants.json")); }

// tests/goldens/tokenizers/compare_parts.py writes the file and sets the variable.
TEST(Golden, CompareVariants) {
  const char* path = std::getenv("JOGAK_TOKENIZER_VARIANTS");
  if (!path) GTEST_SKIP() << "run by tests/goldens/tokenizers/compare_parts.py";
  expect_variants(path);
}

// tests/goldens/tokenizers/read_back.py reads what this writes with PyPI tokenizers and
// transformers: two trained tokenizers and how they encode the texts they were trained on.
TEST(Golden, WriteForReference) {
  const char* folder = std::getenv("JOGAK_TOKENIZER_OUT");
  if (!folder) GTEST_SKIP() << "run by tests/goldens/tokenizers/read_back.py";
  const Json golden_file = read_json_file(golden("small_bpe_cases.json"));
  std::vector<std::string_view> texts;
  for (const Json& one : golden_file.find("exact")->items())
    texts.push_back(one.find("text")->text());
  const auto write = [&](const std::string& name, Tokenizer tokenizer) {
    tokenizer.set_role("eos_token", "<end>");
    tokenizer.save(join_path(folder, name));
    Json ids = Json::array();
    for (const std::string_view text : texts)
      ids.push(Json::object({{"text", text}, {"ids", Json::list(tokenizer.encode_ids(text))}}));
    write_file(join_path(folder, name + "/ids.json"), ids.dump());
  };
  write("char", train_char(texts, {.special_tokens = {"<end>"}}));
  write("bpe", train_bpe(texts, {.vocab_size = 400, .special_tokens = {"<end>"}}));
}

}  // namespace
}  // namespace jogak
