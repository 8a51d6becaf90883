// answer and rank against the bare model.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "app/use/encoder.h"
#include "app/use/forward.h"
#include "base/file.h"
#include "tests/support/expect.h"
#include "tests/support/golden.h"
#include "tests/support/temp_dir.h"
#include "text/tokenizer.h"

namespace jogak {
namespace {

// A golden model with a tokenizer that gives token i for the word "ti", and puts t1 before, t2
// between and behind texts.
std::string with_words(const TempDir& dir, const char* golden, int64_t words) {
  const std::string to = dir / golden;
  std::filesystem::copy(test::golden_dir(golden), to);
  Json vocab = Json::object();
  for (int64_t i = 0; i < words; ++i) vocab.set(text_of("t", i), i);
  Json model = Json::object({{"type", "WordLevel"}, {"unk_token", "t0"}});
  model.set("vocab", std::move(vocab));
  Json all = Json::object({{"version", "1.0"}, {"added_tokens", Json::array()}});
  all.set("pre_tokenizer", Json::object({{"type", "WhitespaceSplit"}}));
  all.set("post_processor",
          parse_json(R"({"type": "BertProcessing", "sep": ["t2", 2], "cls": ["t1", 1]})", "x"));
  write_file(to + "/tokenizer.json", all.set("model", std::move(model)).dump());
  return to;
}

// Of one pair alone.
std::vector<Tensor> said(const std::string& directory, const std::string& a, const std::string& b) {
  const Encoding pair = Tokenizer::load(directory).encode_pair(a, b);
  const auto row = [](const std::vector<int>& x) {
    return from_values(std::vector<int64_t>(x.begin(), x.end()),
                       {1, static_cast<int64_t>(x.size())});
  };
  const Model model = open_model(directory);
  jogak::Run run;
  std::vector<Tensor> out;
  for (const auto& [name, value] : forward(model,
                                           ForwardInputs({{"input_ids", row(pair.ids)},
                                                          {"token_type_ids", row(pair.type_ids)}}),
                                           run)
                                       .named)
    out.push_back(value);
  return out;
}

TEST(Answer, IsTheSpanWithTheHighestProbability) {
  const TempDir dir;
  const std::string bert = with_words(dir, "bert-i", 61);
  const std::string question = "t9 t8", text = "t5 t30 t7 t12 t3";
  const std::vector<Tensor> ends = said(bert, question, text);
  const auto first = to_host<float>(ends[0]), last = to_host<float>(ends[1]);
  double best = -1, sum_first = 0, sum_last = 0;
  size_t from = 0, to = 0;
  for (size_t i = 4; i < 9; ++i)  // behind t1 t9 t8 t2
    sum_first += std::exp(double{first[i]}), sum_last += std::exp(double{last[i]});
  for (size_t i = 4; i < 9; ++i)
    for (size_t j = i; j < 9; ++j)
      if (const double score =
              std::exp(double{first[i]}) / sum_first * std::exp(double{last[j]}) / sum_last;
          score > best)
        best = score, from = i - 4, to = j - 4;
  const Encoder encoder(bert);
  const auto lines = text_lines(std::vector<std::string>{text, "t4"});
  const std::vector<AnsweredText> answers = encoder.answer(question, lines, {.top_k = 3});
  ASSERT_EQ(answers.size(), 2u);
  ASSERT_EQ(answers[0].answers.size(), 3u);
  const size_t starts[] = {0, 3, 7, 10, 14}, stops[] = {2, 6, 9, 13, 16};
  EXPECT_EQ(answers[0].answers[0].start, starts[from]);
  EXPECT_EQ(answers[0].answers[0].end, stops[to]);
  EXPECT_EQ(answers[0].answers[0].text, text.substr(starts[from], stops[to] - starts[from]));
  EXPECT_NEAR(answers[0].answers[0].score, best, 1e-6);
  EXPECT_GE(answers[0].answers[0].score, answers[0].answers[1].score);
  EXPECT_EQ(answers[1].answers[0].text, "t4");  // the only one there is
  EXPECT_NEAR(answers[1].answers[0].score, 1, 1e-6);
}

// The model reads 17 tokens: a longer text is read in parts, and places are those of the text.
TEST(Answer, OfALongTextStandsWhereItSays) {
  const TempDir dir;
  const Encoder encoder(with_words(dir, "bert-i", 61));
  std::string text;
  for (int i = 10; i < 50; ++i) text += text_of(i > 10 ? " " : "", "t", i);
  const auto lines = text_lines(std::vector<std::string>{text});
  const std::vector<AnsweredText> found = encoder.answer("t9", lines, {.top_k = 5, .tokens = 4});
  EXPECT_EQ(found[0].answers.size(), 5u);
  for (const Answer& one : found[0].answers)
    EXPECT_EQ(text.substr(one.start, one.end - one.start), one.text);
}

TEST(Rank, OrdersTextsByTheScoreOfThePair) {
  const TempDir dir;
  const std::string bert = with_words(dir, "bert-f", 61);  // one label
  const std::vector<std::string> texts = {"t5 t6", "t30", "t7 t8 t9 t10", "t4 t4"};
  const Encoder encoder(bert);
  const std::vector<RankedText> ranked = encoder.rank("t9 t3", text_lines(texts), {.batch = 3});
  ASSERT_EQ(ranked.size(), texts.size());
  for (size_t i = 0; i < ranked.size(); ++i) {
    EXPECT_EQ(ranked[i].text, texts[ranked[i].index]);
    const double logit = item(said(bert, "t9 t3", ranked[i].text)[0]);
    EXPECT_NEAR(ranked[i].score, 1 / (1 + std::exp(-logit)), 1e-5);
    if (i > 0) {
      EXPECT_GE(ranked[i - 1].score, ranked[i].score);
    }
  }
  const Json json = to_json("t9 t3", ranked);
  EXPECT_EQ(json.find("query")->text(), "t9 t3");
  EXPECT_EQ(json.find("results")->items().size(), texts.size());
}

// What sentence-transformers wrote into config.json decides what a score is.
TEST(Rank, TheConfigurationSaysWhetherScoresAreSquashed) {
  const TempDir dir;
  const std::string bert = with_words(dir, "bert-f", 61);
  const auto score = [&](const char* function) {
    Json config = read_json_file(bert + "/config.json");
    config.set("sentence_transformers", Json::object({{"activation_fn", function}}));
    write_file(bert + "/config.json", config.dump());
    return Encoder(bert).rank("t9", text_lines(std::vector<std::string>{"t5"}))[0].score;
  };
  const double logit = item(said(bert, "t9", "t5")[0]);
  EXPECT_NEAR(score("torch.nn.modules.linear.Identity"), logit, 1e-5);
  EXPECT_NEAR(score("torch.nn.modules.activation.Sigmoid"), 1 / (1 + std::exp(-logit)), 1e-5);
  EXPECT_THROW(score("torch.nn.modules.activation.Softplus"), FormatError);
}

TEST(AnswerAndRankErrors, AnotherKindOfModelNamesItsCommand) {
  const TempDir dir;
  const Encoder labels(with_words(dir, "bert-d", 61));
  const auto lines = text_lines(std::vector<std::string>{"t5"});
  EXPECT_NE(error_of<FormatError>([&] { labels.answer("t1", lines); }).find("jogak classify"),
            std::string::npos);
  EXPECT_NE(error_of<FormatError>([&] { labels.rank("t1", lines); }).find("single label"),
            std::string::npos);
}

}  // namespace
}  // namespace jogak
