// Equality with transformers' MarianTokenizer; the goldens are written by make_marian.py.
#include <filesystem>

#include "tests/text/helpers.h"
#include "text/pair_tokenizer.h"
#include "text/stream_decoder.h"

namespace jogak {
namespace {

::testing::AssertionResult same_as_marian(const PairTokenizer& pair, const Json& wanted) {
  const std::string& text = wanted.find("text")->text();
  const std::vector<int> target = pair.target.encode_ids(text);
  const Json ours = Json::object({{"text", text},
                                  {"source", Json::list(pair.source.encode_ids(text))},
                                  {"target", Json::list(target)},
                                  {"decoded", pair.target.decode(target)},
                                  {"decoded_all", pair.target.decode(target, false)}});
  StreamDecoder stream(pair.target);
  std::string streamed;
  for (const int id : target) streamed += stream.push(id);
  streamed += stream.finish();
  if (ours == wanted && streamed == pair.target.decode(target) &&
      pair.target.encode(text).ids == target)
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << "ours   " << ours.dump() << "\nwanted " << wanted.dump() << "\nstreamed " << streamed;
}

TEST(MarianGolden, IdsAndTextOfBothSides) {
  const Json file = read_json_file(golden("marian_cases.json"));
  for (const Json& directory : file.find("directories")->items()) {
    const std::string& name = directory.find("name")->text();
    SCOPED_TRACE(name);
    const PairTokenizer pair = load_pair_tokenizer(golden(name));
    EXPECT_EQ(pair.shared, name == "marian-shared");
    ASSERT_GE(directory.find("cases")->items().size(), 200u);
    for (const Json& one : directory.find("cases")->items()) EXPECT_TRUE(same_as_marian(pair, one));
    const std::string folder = folder_for_test();
    save_pair_tokenizer(pair, folder);
    const PairTokenizer again = load_pair_tokenizer(folder);
    EXPECT_EQ(again.shared, pair.shared);
    for (const Json& one : directory.find("cases")->items())
      EXPECT_TRUE(same_as_marian(again, one));
  }
}

// make_marian.py writes the cases and sets both variables.
TEST(MarianGolden, CompareFile) {
  const char* folder = std::getenv("JOGAK_MARIAN");
  const char* cases = std::getenv("JOGAK_MARIAN_CASES");
  if (!folder || !cases) GTEST_SKIP() << "run by tests/goldens/tokenizers/make_marian.py";
  const PairTokenizer pair = load_pair_tokenizer(folder);
  size_t count = 0, different = 0;
  const Json file = read_json_file(cases);
  for (const Json& one : file.find("cases")->items()) {
    const auto result = same_as_marian(pair, one);
    if (!result && ++different <= 10) ADD_FAILURE() << result.message();
    ++count;
  }
  EXPECT_EQ(different, 0u);
  std::printf("%zu texts, %zu differences\n", count, different);
}

TEST(Marian, RolesAndOneDirectoryForBothKinds) {
  const PairTokenizer pair = load_pair_tokenizer(golden("marian-shared"));
  EXPECT_EQ(pair.source.role_id("eos_token"), 0);
  EXPECT_EQ(pair.target.role_id("unk_token"), 1);
  EXPECT_EQ(pair.target.role_id("pad_token"), pair.target.vocab_size() - 1);
  EXPECT_EQ(pair.source.vocab_size(), pair.target.vocab_size());
  EXPECT_TRUE(pair.target.is_special(0));
  EXPECT_EQ(pair.source.encode_ids("the king", {.add_special = false}).back(),
            pair.source.encode_ids("the king")[1]);
}

TEST(MarianErrors, EachNamesItsFile) {
  const std::string folder = folder_for_test();
  EXPECT_EQ(error_of<MissingError>([&] { load_pair_tokenizer(folder); }),
            folder +
                ": no tokenizer of sentence pairs here, wanted source.spm, target.spm and "
                "vocab.json, or tokenizer.json");
  EXPECT_FALSE(has_pair_tokenizer(folder));
  save_pair_tokenizer(load_pair_tokenizer(golden("marian-shared")), folder);
  EXPECT_TRUE(has_pair_tokenizer(folder));
  const std::string vocab = join_path(folder, "vocab.json");
  write_file(vocab, R"({"</s>": 0, "a": 1})");
  EXPECT_EQ(error_of<FormatError>([&] { load_pair_tokenizer(folder); }),
            vocab + ": byte 0: found no token \"<unk>\", wanted it for unknown text");
  write_file(join_path(folder, "target.spm"), "");
  EXPECT_EQ(error_of<FormatError>([&] {
              write_file(vocab, R"({"</s>": 0, "<unk>": 1})");
              load_pair_tokenizer(folder);
            }),
            join_path(folder, "target.spm") + ": byte 0: found an empty file, wanted pieces");
  EXPECT_EQ(error_of<UsageError>([&] {
              load_pair_tokenizer(golden("marian-shared")).source.to_json();
            }).substr(0, 37),
            "tokenizer.json: found a side of a Mar");
}

}  // namespace
}  // namespace jogak
