#include "generate/settings.h"

#include <set>

#include "base/file.h"
#include "generate/plan.h"
#include "generate/settings_keys.h"
#include "tests/support/expect.h"
#include "tests/support/places.h"

namespace jogak {
namespace {

GenerationFile read(const std::string& text, int64_t vocab = 100) {
  return read_generation_file(parse_json(text, "g.json"), "g.json", vocab);
}

TEST(GenerationSettings, EveryKeyIsReadAndNullIsNotSaid) {
  const GenerationSettings s =
      read(R"({"max_length": 9, "eos_token_id": [3, 5], "early_stopping": "never", "top_p": 1,
               "exponential_decay_length_penalty": [2, 1.5], "forced_eos_token_id": 7,
               "sequence_bias": [[[1], 2.5], [[1, 2], -1], [[1], 3]], "num_beams": null,
               "stop_strings": "x"})")
          .settings;
  EXPECT_EQ(s.max_length, 9);
  EXPECT_EQ(s.eos_token_id, (std::vector<int>{3, 5}));
  EXPECT_EQ(s.early_stopping, EarlyStopping::never);
  EXPECT_EQ(s.forced_eos_token_id, std::vector<int>{7});
  EXPECT_EQ(s.exponential_decay_length_penalty->start, 2);
  ASSERT_EQ(s.sequence_bias->size(), 2u) << "what comes again replaces what was";
  EXPECT_EQ(s.sequence_bias->at(0).bias, 3);
  EXPECT_EQ(s.num_beams, std::nullopt);
  EXPECT_EQ(s.stop_strings, std::vector<std::string>{"x"});
}

TEST(GenerationSettings, SpecialTokensSayNothingOfHow) {
  EXPECT_FALSE(read(R"({"bos_token_id": 1, "eos_token_id": 2, "pad_token_id": -1, "use_cache": true,
                        "decoder_start_token_id": 4, "transformers_version": "5"})")
                   .settings.say_how());
  EXPECT_TRUE(read(R"({"eos_token_id": 2, "max_new_tokens": 3})").settings.say_how());
  EXPECT_FALSE(read(R"({"top_k": null})").settings.say_how());
}

TEST(GenerationSettings, TheRestIsAsInTransformers) {
  const GenerationPlan drawn = plan_of(read(R"({"do_sample": true})").settings);
  EXPECT_EQ(drawn.beam.sampling.temperature, 1);
  EXPECT_EQ(drawn.beam.sampling.top_k, 50);
  EXPECT_EQ(drawn.beam.beams, 1);
  const GenerationPlan greedy = plan_of(read(R"({"temperature": 0.5, "top_k": 3})").settings);
  EXPECT_FALSE(greedy.draws());
  // Filters leave beams something to go on with when every end token comes.
  EXPECT_EQ(plan_of(read(R"({"do_sample": true, "num_beams": 3, "eos_token_id": [1, 2]})").settings)
                .beam.sampling.keep,
            3);
}

TEST(GenerationSettings, NewTokensCountBeforeTheWholeLength) {
  EXPECT_EQ(plan_of(read(R"({"max_new_tokens": 4, "max_length": 9})").settings).room_after(7), 4);
  const GenerationPlan whole = plan_of(read(R"({"max_length": 9})").settings);
  EXPECT_EQ(whole.room_after(7), 2);
  expect_error<UsageError>([&] { whole.room_after(9); },
                           "g.json: \"max_length\": found 9, but the prompt has 9 tokens");
  EXPECT_EQ(plan_of({}).room_after(9), 0) << "not said";
}

GenerationPlan planned(const std::string& directory, const GenerationSettings& asked) {
  GenerationSettings usual;
  usual.do_sample = true, usual.temperature = 0.8, usual.top_k = 40, usual.max_new_tokens = 128;
  return plan_of(merged(read(directory).settings, asked, usual));
}

TEST(GenerationSettings, ASilentDirectoryIsWrittenAsUsual) {
  const GenerationPlan silent = planned(R"({"eos_token_id": 3})", {});
  EXPECT_EQ(silent.beam.sampling.temperature, 0.8);
  EXPECT_EQ(silent.max_new_tokens, 128);
  EXPECT_EQ(silent.beam.eos_ids, std::vector<int>{3});
  const GenerationPlan told = planned(R"({"repetition_penalty": 1.5})", {});
  EXPECT_FALSE(told.draws()) << "greedy, as in transformers";
  EXPECT_EQ(told.max_new_tokens, 128) << "but not twenty tokens";
  EXPECT_EQ(planned(R"({"max_length": 30})", {}).room_after(10), 20);
}

TEST(GenerationSettings, WhatIsAskedForCountsFirst) {
  GenerationSettings asked;
  asked.max_length = 50;
  EXPECT_EQ(planned(R"({"max_new_tokens": 5})", asked).room_after(10), 40);
  asked.num_beams = 4;
  EXPECT_FALSE(planned("{}", asked).draws()) << "beams alone do not draw";
  asked.temperature = 0.5;
  EXPECT_EQ(planned("{}", asked).beam.sampling.temperature, 0.5);
  asked = {};
  asked.temperature = 0;
  EXPECT_FALSE(planned(R"({"do_sample": true})", asked).draws());
  asked.num_return_sequences = 3;
  EXPECT_EQ(planned("{}", asked).beam.beams, 3);
  asked = {};
  asked.eos_token_id.emplace();
  EXPECT_TRUE(planned(R"({"eos_token_id": 3})", asked).beam.eos_ids.empty());
}

TEST(GenerationSettings, UnknownKeysAreListedHarmlessOnesNot) {
  EXPECT_EQ(read(R"({"temprature": 1, "output_scores": true, "low_memory": null})").unknown,
            std::vector<std::string>{"temprature"});
}

TEST(GenerationSettings, NoKeyIsKnownTwiceAndEachFlagIsOfOneKey) {
  std::set<std::string> keys, flags;
  for (const GenerationKey& key : generation_keys()) {
    EXPECT_TRUE(keys.insert(key.key).second) << key.key;
    EXPECT_TRUE(!*key.flag || flags.insert(key.flag).second) << key.flag;
  }
  for (const RefusedKey& key : refused_generation_keys())
    EXPECT_TRUE(keys.insert(key.key).second) << key.key;
  for (const char* key : harmless_generation_keys()) EXPECT_TRUE(keys.insert(key).second) << key;
}

// One line for each key: what it is, its flag and its default.
TEST(GenerationSettings, TheDocumentationHasEveryKey) {
  const std::string page = read_file(source_path("docs/generate.md"));
  for (const GenerationKey& key : generation_keys()) {
    const char* name = *key.flag ? key.flag : key.translate_flag ? key.translate_flag : "";
    const std::string flag = *name ? text_of("`--", name, " ", key.value_name(), "`") : "";
    const std::string line =
        text_of("| `", key.key, "` | ", key.help.en, " | ", flag, " | ", key.otherwise, " |");
    EXPECT_NE(page.find(line), std::string::npos) << line;
  }
  for (const RefusedKey& key : refused_generation_keys())
    EXPECT_NE(page.find(text_of("`", key.key, "`")), std::string::npos) << key.key;
  for (const char* key : harmless_generation_keys())
    EXPECT_NE(page.find(text_of("`", key, "`")), std::string::npos) << key;
}

void refuse(const std::string& text, const std::string& message) {
  expect_error<FormatError>([&] { plan_of(read(text).settings); }, "g.json: " + message);
}

TEST(GenerationSettingErrors, NameThePlaceTheKeyAndWhatWasWanted) {
  refuse(R"({"top_k": -1})",
         "byte 10: \"top_k\": found -1, wanted an integer from 0 to 1000000000");
  refuse(R"({"top_p": 1.5})", "byte 10: \"top_p\": found 1.5, wanted a number from 0 to 1");
  refuse(R"({"repetition_penalty": 0})",
         "byte 23: \"repetition_penalty\": found 0, wanted a number above 0");
  refuse(R"({"do_sample": 1})", "byte 14: \"do_sample\": found 1, wanted true or false");
  refuse(R"({"eos_token_id": 100})",
         "byte 17: \"eos_token_id\": found 100, wanted an id from 0 to 99");
  refuse(R"({"eos_token_id": []})",
         "byte 17: \"eos_token_id\": found an array, wanted at least one id, or null");
  refuse(R"({"bad_words_ids": [[]]})",
         "byte 19: \"bad_words_ids\": found an array, wanted a list of at least one id");
  refuse("{\"sequence_bias\": {\"(1,)\": 2}}",
         "byte 18: \"sequence_bias\": found an object, wanted a list of [[ids], number]");
  refuse(R"({"exponential_decay_length_penalty": [1]})",
         "byte 37: \"exponential_decay_length_penalty\": found an array, wanted "
         "[new tokens from 0, a factor above 0]");
  refuse(R"({"early_stopping": "soon"})",
         "byte 19: \"early_stopping\": found \"soon\", wanted true, false or \"never\"");
}

TEST(GenerationSettingErrors, WhatIsNotDoneIsRefusedByItsKey) {
  refuse(R"({"num_beam_groups": 2})",
         "byte 20: \"num_beam_groups\": found 2, wanted 1 or null: search in groups of beams is "
         "not done here");
  refuse(R"({"constraints": []})",
         "byte 16: \"constraints\": found an array, wanted null: search with constraints is not "
         "done here");
  for (const RefusedKey& key : refused_generation_keys()) {
    const Json odd = Json::object({{key.key, Json::array({7})}});
    EXPECT_THROW(read_generation_file(odd, "g.json", 10), FormatError) << key.key;
    for (const Json& value : key.harmless)
      EXPECT_TRUE(
          read_generation_file(Json::object({{key.key, value}}), "g.json", 10).unknown.empty())
          << key.key;
  }
}

TEST(GenerationSettingErrors, WhatDoesNotGoTogether) {
  refuse(R"({"num_beams": 2, "num_return_sequences": 3})",
         "\"num_return_sequences\": found 3, wanted at most num_beams, 2, or do_sample");
  refuse(R"({"do_sample": true, "temperature": 0})",
         "\"temperature\": found 0, wanted a number above 0 where do_sample is true");
  refuse(R"({"exponential_decay_length_penalty": [1, 2]})",
         "\"exponential_decay_length_penalty\": there is no eos_token_id that could gain");
  refuse(R"({"forced_eos_token_id": 4, "suppress_tokens": [4]})",
         "\"forced_eos_token_id\": found what suppress_tokens forbids");
}

}  // namespace
}  // namespace jogak
