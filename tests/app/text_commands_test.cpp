// fill, classify and embed against the bare model, one text at a time.
#include <cmath>
#include <filesystem>

#include "app/use/classify.h"
#include "app/use/embed.h"
#include "app/use/fill.h"
#include "app/use/forward.h"
#include "app/use/predictions.h"
#include "base/file.h"
#include "tests/support/expect.h"
#include "tests/support/golden.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

// A golden model with a tokenizer that gives token i for the word "ti", and 7 for [MASK].
class TextCommands : public testing::Test {
 protected:
  TempDir dir;
  const std::vector<std::string> texts = {"t5 t9 t60 [MASK] t3", "t1 [MASK]",
                                          "[MASK] t2 t2 t8 t11 t30 [MASK] t4", "t12 [MASK] t6"};
  std::vector<std::string> written;

  std::string model(const char* golden) {
    const std::string to = dir / golden;
    std::filesystem::copy(test::golden_dir(golden), to);
    Json vocab = Json::object();
    for (int i = 0; i < 61; ++i) vocab.set(i == 7 ? "[MASK]" : text_of("t", i), i);
    Json words = Json::object({{"type", "WordLevel"}, {"unk_token", "t0"}});
    words.set("vocab", std::move(vocab));
    Json mask = Json::object({{"id", 7}, {"content", "[MASK]"}, {"special", true}});
    for (const char* key : {"single_word", "lstrip", "rstrip", "normalized"}) mask.set(key, false);
    Json all = Json::object({{"version", "1.0"}, {"added_tokens", Json::array({mask})}});
    all.set("pre_tokenizer", Json::object({{"type", "WhitespaceSplit"}}));
    write_file(to + "/tokenizer.json", all.set("model", std::move(words)).dump());
    return to;
  }

  template <class Command>
  Command command(const std::string& directory) {
    written.clear();
    Command c;
    c.directory = directory;
    c.batch = 2;
    c.line = [this](const std::string& line) { written.push_back(line); };
    c.flush = [] {};
    return c;
  }

  std::vector<int64_t> ids(const std::string& directory, const std::string& text) {
    const auto ids = Tokenizer::load(directory).encode_ids(text);
    return {ids.begin(), ids.end()};
  }

  // What the model says of one text alone.
  std::vector<float> alone(const std::string& directory, const std::string& text) {
    const Model m = open_model(directory);
    const auto given = ids(directory, text);
    jogak::Run run;
    const Tensor input = from_values(given, {1, static_cast<int64_t>(given.size())});
    return to_host<float>(forward(m, ForwardInputs({{"input_ids", input}}), run).named[0].second);
  }

  Json json(size_t i) { return parse_json(written.at(i), "line"); }
};

TEST_F(TextCommands, FillGivesTheLikeliestTokensOfEachMask) {
  const std::string bert = model("bert-a");
  auto c = command<FillCommand>(bert);
  c.top_k = 3, c.json = true;
  take_texts(texts, fill_lines(c));
  ASSERT_EQ(written.size(), texts.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto logits = alone(bert, texts[i]);
    const auto given = ids(bert, texts[i]);
    const size_t V = logits.size() / given.size();
    const Json line = json(i);
    const auto& got = line.find("predictions")->items();
    size_t at = 0, mask = 0;
    for (size_t t = 0; t < given.size(); ++t) {
      if (given[t] != 7) continue;
      for (const Prediction& one : likeliest_of(std::span(logits).subspan(t * V, V), 3)) {
        ASSERT_LT(at, got.size());
        EXPECT_EQ(got[at].find("id")->integer(), one.index);
        EXPECT_EQ(got[at].find("label")->text(),
                  one.index == 7 ? "[MASK]" : text_of("t", one.index));
        EXPECT_EQ(got[at].find("mask")->integer(), static_cast<int64_t>(mask));
        EXPECT_NEAR(got[at++].find("score")->number(), one.score, 1e-6);
      }
      ++mask;
    }
    EXPECT_EQ(at, got.size());
  }
  auto plain = command<FillCommand>(bert);
  plain.top_k = 1;
  take_texts(std::vector<std::string>{"t9 [MASK] t2"}, fill_lines(plain));
  ASSERT_EQ(written.size(), 1u);
  const std::string token = written[0].substr(0, written[0].find('\t'));
  EXPECT_TRUE(written[0].ends_with("\tt9 " + token + " t2")) << written[0];
}

TEST_F(TextCommands, ClassifyGivesScoresThatAddUp) {
  const std::string bert = model("bert-d");
  auto c = command<ClassifyCommand>(bert);
  c.top_k = 3, c.json = true;
  take_texts(texts, classify_lines(c));
  ASSERT_EQ(written.size(), texts.size());
  const char* names[] = {"bad", "fair", "good"};
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto wanted = likeliest_of(alone(bert, texts[i]), 3);
    const Json line = json(i);
    const auto& got = line.find("predictions")->items();
    double sum = 0;
    for (size_t k = 0; k < 3; ++k) {
      EXPECT_EQ(got[k].find("label")->text(), names[wanted[k].index]);
      EXPECT_NEAR(got[k].find("score")->number(), wanted[k].score, 1e-6);
      sum += got[k].find("score")->number();
    }
    EXPECT_NEAR(sum, 1, 1e-9);
  }
}

TEST_F(TextCommands, ClassifyLabelsTokens) {
  const std::string bert = model("bert-g");
  auto c = command<ClassifyCommand>(bert);
  c.json = true;
  take_texts(texts, classify_lines(c));
  const auto logits = alone(bert, texts[0]);
  const Json line = json(0);
  const auto& got = line.find("predictions")->items();
  ASSERT_EQ(got.size(), 5u) << "one for each token";
  for (size_t t = 0; t < 5; ++t) {
    const Prediction best = likeliest_of(std::span(logits).subspan(t * 5, 5), 1)[0];
    EXPECT_EQ(got[t].find("label")->text(), text_of("LABEL_", best.index));
    EXPECT_NEAR(got[t].find("score")->number(), best.score, 1e-6);
  }
  EXPECT_EQ(got[2].find("word")->text(), "t60");
  EXPECT_EQ(got[2].find("start")->integer(), 6);
  EXPECT_EQ(got[2].find("end")->integer(), 9);
  auto by_word = command<ClassifyCommand>(bert);
  by_word.words = true;
  written.clear();
  take_texts(std::vector<std::string>{texts[0]}, classify_lines(by_word));
  ASSERT_EQ(written.size(), 6u) << "five words are five tokens here, and an empty line";
  EXPECT_TRUE(written[2].starts_with("t60\t" + got[2].find("label")->text() + "\t")) << written[2];
}

TEST_F(TextCommands, EmbedTakesTheMeanOfWhatIsNotPadding) {
  const std::string bert = model("bert-h");
  auto c = command<EmbedCommand>(bert);
  c.json = true;
  take_texts(texts, embed_lines(c));
  ASSERT_EQ(written.size(), texts.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto hidden = alone(bert, texts[i]);
    const auto wanted = pooled_vector(hidden, 32, std::vector{Pool::mean});
    const Json line = json(i);
    const auto& got = line.find("embedding")->items();
    ASSERT_EQ(got.size(), 32u);
    for (size_t k = 0; k < 32; ++k) EXPECT_NEAR(got[k].number(), wanted[k], 1e-6);
  }
  auto near = command<EmbedCommand>(bert);
  near.compare = true, near.normalize = true;
  take_texts(std::vector<std::string>{texts[0], texts[1], texts[0]}, embed_lines(near));
  EXPECT_EQ(written[0], "1.0000\t" + texts[0]);
  EXPECT_EQ(written[2], written[0]);
  EXPECT_NE(written[1].substr(0, 6), "1.0000");
}

TEST_F(TextCommands, LongTextsAreCutAndOtherModelsNamed) {
  const std::string bert = model("bert-h");
  std::string text;
  for (int i = 0; i < 40; ++i) text += text_of(i > 0 ? " t" : "t", 10 + i);
  auto c = command<EmbedCommand>(bert);
  take_texts(std::vector<std::string>{text}, embed_lines(c));
  std::vector<std::string> cut = {text.substr(0, 17 * 4 - 1)};  // its 17 positions
  const std::string whole = written.at(0);
  take_texts(cut, embed_lines(command<EmbedCommand>(bert)));
  EXPECT_EQ(written.at(0), whole);
  EXPECT_EQ(error_of<FormatError>([&] { fill_lines(command<FillCommand>(bert)); }),
            bert + ": this model fills in no words; jogak embed runs it");
  const std::string gpt = test::golden_dir("gpt2-a");
  EXPECT_NE(error_of<FormatError>([&] {
              embed_lines(command<EmbedCommand>(gpt));
            }).find("jogak generate runs this one"),
            std::string::npos);
  const std::string fills = model("bert-a");
  EXPECT_EQ(error_of<FormatError>([&] {
              take_texts(std::vector<std::string>{"t1 [MASK]", "t1 t2"},
                         fill_lines(command<FillCommand>(fills)));
            }),
            "text 2: found no [MASK] in it, wanted one for each word to fill in");
}

}  // namespace
}  // namespace jogak
