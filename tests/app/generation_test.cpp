// What a directory says of how texts are made, all the way through Generator and Translator.
#include "app/use/generation.h"

#include <filesystem>

#include "app/models/model.h"
#include "app/use/generator.h"
#include "app/use/translate_lines.h"
#include "app/use/translator.h"
#include "base/file.h"
#include "generate/batcher.h"
#include "tests/support/expect.h"
#include "tests/support/golden.h"
#include "tests/support/temp_dir.h"
#include "text/tokenizer.h"

namespace jogak {
namespace {

// A golden's model with words t0, t1, .. for its tokens, and settings in one of two files.
std::string directory(const TempDir& dir, const std::string& golden, const std::string& settings,
                      bool legacy = false) {
  static int number = 0;
  const std::string out = dir / text_of("case-", number++), from = test::golden_dir(golden);
  make_directories(out);
  Json config = read_json_file(from + "/config.json");
  const Json given = parse_json(settings, "settings");
  const int64_t vocab = config.find("vocab_size")->integer();
  if (legacy)
    for (const auto& [key, value] : given.members()) config.set(key, value);
  else
    write_file(out + "/generation_config.json", settings);
  write_file(out + "/config.json", config.dump());
  std::filesystem::create_symlink(from + "/model.safetensors", out + "/model.safetensors");
  Json words = Json::object();
  for (int64_t i = 0; i < vocab; ++i) words.set(text_of("t", i), i);
  const Json tokenizer = Json::object(
      {{"pre_tokenizer", Json::object({{"type", "WhitespaceSplit"}})},
       {"model",
        Json::object({{"type", "WordLevel"}, {"unk_token", "t1"}, {"vocab", std::move(words)}})}});
  write_file(out + "/tokenizer.json", tokenizer.dump());
  return out;
}

using Ids = std::vector<int>;

TEST(Generation, TheFileSaysAndFlagsSayOtherwise) {
  const TempDir dir;
  const Generator plain(directory(dir, "gpt2-a", R"({"do_sample": false, "max_new_tokens": 6})"));
  const Ids greedy = plain.generate("t5 t9").ids;
  EXPECT_EQ(greedy.size(), 6u);
  const Generator first(directory(
      dir, "gpt2-a", text_of(R"({"suppress_tokens": [)", greedy[0], R"(], "max_length": 5})")));
  const Ids other = first.generate("t5 t9").ids;
  EXPECT_EQ(other.size(), 3u);
  EXPECT_NE(other[0], greedy[0]);
  GenerateOptions asked;
  asked.settings.suppress_tokens.emplace();
  asked.settings.max_new_tokens = 6;
  EXPECT_EQ(first.generate("t5 t9", asked).ids, greedy);
}

TEST(Generation, OlderDirectoriesSayItInConfigJson) {
  const TempDir dir;
  const char* kSettings = R"({"num_beams": 3, "num_return_sequences": 3, "max_new_tokens": 5,
                              "repetition_penalty": 1.7, "eos_token_id": [7, 8]})";
  const Generator now(directory(dir, "llama-a", kSettings));
  const Generator old(directory(dir, "llama-a", kSettings, true));
  const auto a = now.texts("t4", {}), b = old.texts("t4", {});
  ASSERT_EQ(a.size(), 3u);
  ASSERT_EQ(b.size(), 3u);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(a[i].ids, b[i].ids);
}

TEST(Generation, ATextIsTheSameInABatchOfOthers) {
  const TempDir dir;
  const Generator g(directory(dir, "falcon-a", R"({"do_sample": true, "max_new_tokens": 9,
      "no_repeat_ngram_size": 2, "repetition_penalty": 1.3, "typical_p": 0.9, "eos_token_id": 5,
      "min_new_tokens": 2, "exponential_decay_length_penalty": [3, 1.2], "top_k": 30})"));
  Batcher batcher(g.model().causal, &g.tokenizer(), {.sequences = 5});
  std::vector<int64_t> handles;
  for (int i = 0; i < 20; ++i)
    handles.push_back(batcher.add(g.request(text_of("t", i, " t", 2 * i), {.seed = 3})));
  batcher.finish_all();
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(batcher.take(handles[static_cast<size_t>(i)]).ids,
              g.generate(text_of("t", i, " t", 2 * i), {.seed = 3}).ids);
}

TEST(Generation, DrawnTextsOfOneSeedDiffer) {
  const TempDir dir;
  const Generator g(directory(dir, "gpt2-a", R"({"do_sample": true, "max_new_tokens": 8,
                                                "temperature": 3.0, "num_return_sequences": 3})"));
  const auto texts = g.texts("t2", {.seed = 9, .candidates = 4});
  ASSERT_EQ(texts.size(), 3u);
  EXPECT_NE(texts[0].ids, texts[1].ids);
  EXPECT_NE(texts[1].ids, texts[2].ids);
  ASSERT_EQ(texts[0].candidates.size(), 8u);
  EXPECT_EQ(texts[0].candidates[0].size(), 4u);
  GenerateOptions one{.seed = 9};
  one.settings.num_return_sequences = 1;
  EXPECT_EQ(g.generate("t2", one).ids, texts[0].ids);
}

TEST(Generation, PositionsWithoutEndGoOnTablesStop) {
  const TempDir dir;
  for (const auto& [golden, endless] :
       {std::pair{"llama-a", true}, {"falcon-a", true}, {"gpt2-a", false}}) {
    const Generator g(directory(dir, golden, "{}"));
    const int64_t made_for = g.model().context;
    GenerateOptions asked;
    asked.settings.max_new_tokens = made_for + 5;
    asked.settings.do_sample = false;
    const Generated text = g.generate("t3 t4", asked);
    EXPECT_EQ(std::ssize(text.ids), endless ? made_for + 5 : made_for - 2) << golden;
    EXPECT_EQ(text.finish_reason, FinishReason::length);
  }
}

TEST(Generation, ATranslationEndsAndBeginsAsTheFileSays) {
  const TempDir dir;
  const Translator plain(directory(dir, "marian-a", R"({"max_length": 6, "eos_token_id": null})"));
  const Ids ids = plain.translate({"t4 t5"})[0].texts[0].ids;
  EXPECT_EQ(ids.size(), 5u) << "the start token is one of six";
  const Translator ended(
      directory(dir, "marian-a", text_of(R"({"max_length": 9, "eos_token_id": )", ids[2], "}")));
  EXPECT_EQ(ended.translate({"t4 t5"})[0].texts[0].ids, Ids(ids.begin(), ids.begin() + 3));
  const Translator forced(directory(
      dir, "marian-a",
      R"({"max_length": 6, "forced_bos_token_id": 9, "forced_eos_token_id": 8, "num_beams": 3})"));
  const Ids framed = forced.translate({"t4 t5"})[0].texts[0].ids;
  EXPECT_EQ(framed.front(), 9);
  EXPECT_EQ(framed.back(), 8);
}

TEST(Generation, TranslatorsReadTilesAndWriteWhatTheyDoWithoutThem) {
  const TempDir dir;
  const std::string from = directory(dir, "marian-a", R"({"max_length": 9, "num_beams": 3})");
  const Translator translator(from);
  size_t tiles = 0;
  for (const Param& p : translator.model().store->all())
    tiles += p.value.dtype() == DType::packed ? 1 : 0;
  EXPECT_GT(tiles, 0u);
  const Model plain = open_translator(from, {.use = WeightUse::as_stored});
  const std::vector<std::string> lines = {"t4 t5", "t6 t7 t8", "t9"};
  const auto wanted = translate_lines(plain, translator.tokenizer(), lines, translator.options());
  const auto found = translator.translate(lines);
  for (size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(found[i].texts[0].ids, wanted[i].texts[0].ids);
    EXPECT_EQ(found[i].texts[0].score, wanted[i].texts[0].score);
  }
}

TEST(GenerationErrors, AreOneLineWithTheFile) {
  const TempDir dir;
  const std::string bad = directory(dir, "gpt2-a", R"({"num_beam_groups": 2})");
  expect_error<FormatError>([&] { Generator{bad}; },
                            bad +
                                "/generation_config.json: byte 20: \"num_beam_groups\": found 2, "
                                "wanted 1 or null: search in groups of beams is not done here");
  const std::string old = directory(dir, "gpt2-a", R"({"penalty_alpha": 0.6})", true);
  EXPECT_THROW(Generator{old}, FormatError);
  const Generator shorter(directory(dir, "gpt2-a", R"({"max_length": 2})"));
  EXPECT_THROW(shorter.generate("t1 t2 t3"), UsageError);
  const std::string stops = directory(dir, "marian-a", R"({"stop_strings": ["a"]})");
  EXPECT_THROW(Translator(stops).translate({"t4"}), UsageError);
}

}  // namespace
}  // namespace jogak
