// Equality with PyPI sentencepiece; the goldens are written by make_spm.py.
#include "tests/text/helpers.h"
#include "text/stream_decoder.h"

namespace jogak {
namespace {

// A case has a text with its ids, pieces, offsets and decoded text, or only ids and their text.
::testing::AssertionResult same_as_spm(const Tokenizer& tokenizer, const Json& wanted) {
  std::vector<int> ids;
  for (const Json& id : wanted.find("ids")->items()) ids.push_back(static_cast<int>(id.integer()));
  const std::string decoded = tokenizer.decode(ids);
  StreamDecoder stream(tokenizer);
  std::string streamed;
  for (const int id : ids) streamed += stream.push(id);
  streamed += stream.finish();
  Json ours = Json::object({{"ids", Json::list(ids)}, {"decoded", decoded}});
  bool good = streamed == decoded;
  if (wanted.find("text")) {
    const std::string& text = wanted.find("text")->text();
    const Encoding got = tokenizer.encode(text);
    Json offsets = Json::array();
    for (const Span& span : got.offsets)
      offsets.push(Json::array({Json(span.from), Json(span.to)}));
    ours = Json::object({{"text", text},
                         {"ids", Json::list(got.ids)},
                         {"tokens", Json::list(got.tokens)},
                         {"offsets", offsets},
                         {"decoded", decoded}});
    good = good && tokenizer.encode_ids(text) == got.ids;
  }
  if (good && ours == wanted) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << "ours   " << ours.dump() << "\nwanted " << wanted.dump() << "\nstreamed " << streamed;
}

// Over "id:from:to:piece," of every token, then the decoded text.
std::string hash_of_spm(const Tokenizer& tokenizer, const std::string& text) {
  const Encoding got = tokenizer.encode(text);
  EXPECT_EQ(tokenizer.encode_ids(text), got.ids);
  std::string all;
  for (size_t i = 0; i < got.ids.size(); ++i)
    all += text_of(got.ids[i], ":", got.offsets[i].from, ":", got.offsets[i].to, ":", got.tokens[i],
                   ",");
  return fnv(all + tokenizer.decode(got.ids));
}

void expect_models(const std::string& cases, const std::string& folder, size_t models) {
  const Json file = read_json_file(golden(cases));
  const auto& fixed = file.find("fixed")->items();
  ASSERT_EQ(file.find("models")->items().size(), models);
  for (const Json& model : file.find("models")->items()) {
    const Fields fields(model, cases);
    SCOPED_TRACE(fields.text("name"));
    const Tokenizer tokenizer = Tokenizer::load(join_path(folder, fields.text("name") + ".model"));
    for (const Json& one : fields.list("exact")) EXPECT_TRUE(same_as_spm(tokenizer, one));
    for (const Json& one : fields.list("decoding")) EXPECT_TRUE(same_as_spm(tokenizer, one));
    ASSERT_EQ(fields.list("fixed").size(), fixed.size());
    for (size_t i = 0; i < fixed.size(); ++i)
      EXPECT_EQ(hash_of_spm(tokenizer, fixed[i].text()), fields.list("fixed")[i].text())
          << json_quote(fixed[i].text());
    for (const Json& one : fields.list("hashed"))
      EXPECT_EQ(hash_of_spm(tokenizer, one.items()[0].text()), one.items()[1].text())
          << json_quote(one.items()[0].text());
  }
}

TEST(SpmGolden, EveryKindOfModel) { expect_models("spm_cases.json", golden("spm"), 13); }

TEST(SpmGolden, PublishedModels) {
  if (data_folder().empty()) GTEST_SKIP() << "set JOGAK_DATA to the data folder";
  expect_models("spm_data_cases.json", data_folder(), 9);
}

// tests/goldens/tokenizers/compare_spm.py writes the cases and sets both variables.
TEST(SpmGolden, CompareFile) {
  const char* path = std::getenv("JOGAK_SPM");
  const char* cases = std::getenv("JOGAK_SPM_CASES");
  if (!path || !cases) GTEST_SKIP() << "run by tests/goldens/tokenizers/compare_spm.py";
  const Tokenizer tokenizer = Tokenizer::load(path);
  const std::string lines = read_file(cases);
  size_t count = 0, different = 0;
  for (size_t at = 0; at < lines.size(); ++count) {
    const size_t end = std::min(lines.find('\n', at), lines.size());
    const auto result =
        same_as_spm(tokenizer, parse_json(std::string_view(lines).substr(at, end - at), cases));
    if (!result && ++different <= 10) ADD_FAILURE() << result.message();
    at = end + 1;
  }
  EXPECT_EQ(different, 0u);
  std::printf("%zu cases, %zu differences\n", count, different);
}

}  // namespace
}  // namespace jogak
