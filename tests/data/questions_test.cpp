// Questions with answers: how they are read, cut into windows and made into targets.
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/json.h"
#include "data/question_text.h"
#include "data/question_windows.h"
#include "data/span_data.h"
#include "tests/support/expect.h"
#include "tests/support/temp_dir.h"
#include "text/train/char.h"

namespace jogak {
namespace {

constexpr const char* kSquad = R"({"version": "1.1", "data": [{"title": "t", "paragraphs": [
  {"context": "서울은 수도이다", "qas": [{"id": "1", "question": "어디?", "answers":
    [{"text": "서울", "answer_start": 0}, {"text": "서울은", "answer_start": 0}]}]}]}]})";

TEST(Questions, SquadAndLinesSayTheSame) {
  const TempDir dir;
  write_file(dir / "a.json", kSquad);
  write_file(dir / "a.jsonl",
             "{\"question\": \"어디?\", \"context\": \"서울은 수도이다\", \"answers\": "
             "{\"text\": [\"서울\", \"서울은\"], \"answer_start\": [0, 0]}}\n");
  for (const char* name : {"a.json", "a.jsonl"}) {
    const QuestionTexts texts = read_questions(dir / name);
    ASSERT_EQ(texts.questions.size(), 1u) << name;
    const Question& q = texts.questions[0];
    EXPECT_EQ(q.question, "어디?");
    EXPECT_EQ(q.answers, (std::vector<std::string>{"서울", "서울은"}));
    EXPECT_EQ(q.start, 0u);
    EXPECT_EQ(q.end, 2u);  // characters, not bytes
    EXPECT_EQ(characters(q.context, 4, 6), "수도");
  }
}

TEST(Questions, WhatIsWrongIsNamedByItsPlace) {
  const TempDir dir;
  const auto error = [&](const std::string& answers) {
    write_file(dir / "a.jsonl",
               R"({"question": "q", "context": "one two", "answers": )" + answers + "}\n");
    return error_of<FormatError>([&] { read_questions(dir / "a.jsonl"); });
  };
  const std::string moved = error(R"([{"text": "two", "answer_start": 3}])");
  EXPECT_NE(moved.find("line 1"), std::string::npos) << moved;
  EXPECT_NE(moved.find("\"answer_start\": found 3, wanted the place in the context where \"two\""),
            std::string::npos)
      << moved;
  EXPECT_NE(error("[]").find("\"answers\""), std::string::npos);
  write_file(dir / "b.txt", "");
  EXPECT_THROW(read_questions(dir / "b.txt"), UsageError);
}

TEST(Questions, OfDatesAreAnsweredByTheirParts) {
  const QuestionTexts texts =
      date_questions({"May 9th, 2031 = 2031-05-09", "5월 9일 = 2031-05-09", "x = 2031-05-09"});
  const char* const wanted[] = {"2031", "05", "09"};
  for (size_t i = 0; i < 3; ++i) {
    const Question& q = texts.questions[i];
    EXPECT_EQ(q.answers[0], wanted[i]);
    EXPECT_EQ(characters(q.context, q.start, q.end), wanted[i]);
  }
}

// [CLS] question [SEP] text [SEP], a token for each character.
Tokenizer char_tokenizer() {
  const std::string_view texts[] = {"abcdefghijklmnopqrstuvwxyz ?"};
  const Tokenizer plain = train_char(
      texts, {.special_tokens = {"[PAD]", "[UNK]", "[CLS]", "[SEP]"}, .unk_token = "[UNK]"});
  Json json = parse_json(plain.to_json(), "tokenizer");
  json.set("post_processor", parse_json(R"({"type": "BertProcessing", "sep": ["[SEP]", 3],
                                            "cls": ["[CLS]", 2]})",
                                        "frame"));
  return Tokenizer::from_json(json.dump(), "tokenizer");
}

TEST(QuestionWindows, OverlapAndKnowTheirPlaceInTheText) {
  const Tokenizer tokenizer = char_tokenizer();
  const std::string context = "abcdefghijklmnopqrst";
  const auto windows = question_windows(tokenizer, "why?", context, 17, 4);  // room for 10
  ASSERT_EQ(windows.size(), 3u);
  std::string seen;
  for (const QuestionWindow& one : windows) {
    EXPECT_LE(one.text.ids.size(), 17u);
    EXPECT_EQ(one.last - one.first, 10u - (&one == &windows.back() ? 2 : 0));
    for (size_t t = one.first; t < one.last; ++t) {
      const Span at = one.place(t);
      EXPECT_EQ(one.text.tokens[t], context.substr(at.from, at.to - at.from));
    }
  }
  EXPECT_EQ(windows[1].offset, 6u);
  EXPECT_EQ(question_windows(tokenizer, "why?", context, 64).size(), 1u);
  EXPECT_THROW(question_windows(tokenizer, "why?", context, 7), FormatError);
}

TEST(SpanDataTargets, AreTheAnswersTokensOrTheFirst) {
  const Tokenizer tokenizer = char_tokenizer();
  const QuestionTexts texts{{{"why?", "abcdefghijklmnopqrst", {"cde"}, 2, 5}}, "x"};
  const SpanData data(texts, tokenizer, {17, 0});
  ASSERT_GE(data.size(), 2);
  const auto targets = to_host<int64_t>(data.eval_batch(0, data.size()).targets);
  EXPECT_EQ(targets[0], 6 + 2);  // behind [CLS] why? [SEP]
  EXPECT_EQ(targets[1], 6 + 4);
  EXPECT_EQ(targets[2], 0);  // the second part does not hold it
  EXPECT_EQ(targets[3], 0);
  EXPECT_EQ(data.questions(), 1);
}

}  // namespace
}  // namespace jogak
