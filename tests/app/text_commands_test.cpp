// fill, classify and embed against the bare model, one text at a time.
#include <filesystem>

#include "app/use/encoder.h"
#include "app/use/forward.h"
#include "app/use/predictions.h"
#include "base/file.h"
#include "base/random.h"
#include "tests/support/expect.h"
#include "tests/support/golden.h"
#include "tests/support/temp_dir.h"
#include "text/tokenizer.h"
#include "train/memory.h"

namespace jogak {
namespace {

// A golden model with a tokenizer that gives token i for the word "ti", and 7 for [MASK].
class TextCommands : public testing::Test {
 protected:
  TempDir dir;
  const std::vector<std::string> texts = {"t5 t9 t60 [MASK] t3", "t1 [MASK]",
                                          "[MASK] t2 t2 t8 t11 t30 [MASK] t4", "t12 [MASK] t6"};
  const std::vector<TextLine> lines = text_lines(texts);

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
};

TEST_F(TextCommands, FillGivesTheLikeliestTokensOfEachMask) {
  const std::string bert = model("bert-a");
  const Encoder encoder(bert);
  const std::vector<FilledText> filled = encoder.fill(lines, {.top_k = 3, .batch = 2});
  ASSERT_EQ(filled.size(), texts.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto logits = alone(bert, texts[i]);
    const auto given = ids(bert, texts[i]);
    const size_t V = logits.size() / given.size();
    const std::vector<FilledWord>& got = filled[i].words;
    size_t at = 0, mask = 0;
    for (size_t t = 0; t < given.size(); ++t) {
      if (given[t] != 7) continue;
      for (const Prediction& one : likeliest_of(std::span(logits).subspan(t * V, V), 3)) {
        ASSERT_LT(at, got.size());
        EXPECT_EQ(got[at].id, one.index);
        EXPECT_EQ(got[at].word, one.index == 7 ? "[MASK]" : text_of("t", one.index));
        EXPECT_EQ(got[at].mask, mask);
        EXPECT_NEAR(got[at++].score, one.score, 1e-6);
      }
      ++mask;
    }
    EXPECT_EQ(at, got.size());
  }
  const FilledText one = encoder.fill(text_lines(std::vector<std::string>{"t9 [MASK] t2"}))[0];
  EXPECT_EQ(one.with(one.words.at(0)), "t9 " + one.words[0].word + " t2");
}

// The tokens of a text take a hundred times its memory; those behind what the model reads are not
// made.
TEST_F(TextCommands, ATextFarLongerThanTheModelReadsTakesLittleMemory) {
  const Encoder classifier(model("bert-d")), tagger(model("bert-g"));
  std::string text;
  Rng rng(1);
  while (text.size() < size_t{8} << 20) text += text_of("t", 8 + rng.below(50), " ");
  const auto read = [&](size_t bytes) {
    return text_lines(std::vector<std::string>{text.substr(0, bytes)});
  };
  const std::vector<TextLine> whole = read(text.size()), part = read(2000);
  const size_t before = peak_resident_bytes();
  const auto label = classifier.classify(whole)[0].labels.at(0);
  const auto words = tagger.classify(whole, {.words = true})[0].tokens;
  EXPECT_LT(peak_resident_bytes() - before, size_t{64} << 20);
  EXPECT_EQ(label.score, classifier.classify(part)[0].labels.at(0).score);  // cut as well
  const auto wanted = tagger.classify(part, {.words = true})[0].tokens;
  ASSERT_EQ(words.size(), wanted.size());
  for (size_t i = 0; i < words.size(); ++i) {
    EXPECT_EQ(words[i].word, wanted[i].word);
    EXPECT_EQ(words[i].best.score, wanted[i].best.score);
  }
}

TEST_F(TextCommands, ClassifyGivesScoresThatAddUp) {
  const std::string bert = model("bert-d");
  const auto found = Encoder(bert).classify(lines, {.top_k = 3, .batch = 2});
  ASSERT_EQ(found.size(), texts.size());
  const char* names[] = {"bad", "fair", "good"};
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto wanted = likeliest_of(alone(bert, texts[i]), 3);
    EXPECT_EQ(found[i].input, texts[i]);
    double sum = 0;
    for (size_t k = 0; k < 3; ++k) {
      EXPECT_EQ(found[i].labels.at(k).label, names[wanted[k].index]);
      EXPECT_NEAR(found[i].labels[k].score, wanted[k].score, 1e-6);
      sum += found[i].labels[k].score;
    }
    EXPECT_NEAR(sum, 1, 1e-9);
  }
}

TEST_F(TextCommands, ClassifyLabelsTokens) {
  const std::string bert = model("bert-g");
  const Encoder encoder(bert);
  EXPECT_TRUE(encoder.labels_tokens());
  const auto logits = alone(bert, texts[0]);
  const std::vector<TokenLabel> got = encoder.classify(lines, {.batch = 2})[0].tokens;
  ASSERT_EQ(got.size(), 5u) << "one for each token";
  for (size_t t = 0; t < 5; ++t) {
    const Prediction best = likeliest_of(std::span(logits).subspan(t * 5, 5), 1)[0];
    EXPECT_EQ(got[t].best.label, text_of("LABEL_", best.index));
    EXPECT_NEAR(got[t].best.score, best.score, 1e-6);
  }
  EXPECT_EQ(got[2].word, "t60");
  EXPECT_EQ(got[2].start, 6u);
  EXPECT_EQ(got[2].end, 9u);
  const auto words = encoder.classify(lines, {.words = true})[0].tokens;
  ASSERT_EQ(words.size(), 5u) << "five words are five tokens here";
  EXPECT_EQ(words[2].word, "t60");
  EXPECT_EQ(words[2].best.label, got[2].best.label);
}

TEST_F(TextCommands, EmbedTakesTheMeanOfWhatIsNotPadding) {
  const std::string bert = model("bert-h");
  const Encoder encoder(bert);
  const auto found = encoder.embed(lines, {.batch = 2});
  ASSERT_EQ(found.size(), texts.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto wanted = pooled_vector(alone(bert, texts[i]), 32, std::vector{Pool::mean});
    ASSERT_EQ(found[i].vector.size(), 32u);
    for (size_t k = 0; k < 32; ++k) EXPECT_NEAR(found[i].vector[k], wanted[k], 1e-6);
  }
  const auto unit = encoder.embed(lines, {.normalize = true});
  EXPECT_NEAR(similarity(unit[0].vector, unit[0]).cosine, 1, 1e-6);
  EXPECT_LT(similarity(unit[0].vector, unit[1]).cosine, 0.9999);
  double length = 0;
  for (const float x : unit[2].vector) length += double{x} * x;
  EXPECT_NEAR(length, 1, 1e-5);
}

TEST_F(TextCommands, AnOpenEncoderAnswersAgainAndAgain) {
  const Encoder encoder(model("bert-d"));
  const auto first = encoder.classify(lines), again = encoder.classify(lines);
  for (size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(first[i].labels[0].score, again[i].labels[0].score);
    const auto alone = encoder.classify(std::span(lines).subspan(i, 1));
    EXPECT_EQ(first[i].labels[0].score, alone[0].labels[0].score) << "alone and beside others";
  }
  EXPECT_EQ(encoder.embed(lines).size(), texts.size()) << "vectors of the same open model";
}

TEST_F(TextCommands, StopWhenTheyAreToldTo) {
  std::atomic<bool> stop{true};
  EXPECT_THROW(Encoder(model("bert-a")).fill(lines, {.stop = &stop}), Stopped);
  const Encoder labels(model("bert-d"));
  EXPECT_THROW(labels.classify(lines, {.stop = &stop}), Stopped);
  EXPECT_THROW(labels.embed(lines, {.stop = &stop}), Stopped);
}

TEST_F(TextCommands, LongTextsAreCutAndOtherModelsNamed) {
  const std::string bert = model("bert-h");
  const Encoder encoder(bert);
  std::string text;
  for (int i = 0; i < 40; ++i) text += text_of(i > 0 ? " t" : "t", 10 + i);
  const std::vector<std::string> both = {text, text.substr(0, 17 * 4 - 1)};  // its 17 positions
  const auto found = encoder.embed(text_lines(both));
  EXPECT_EQ(found[0].vector, found[1].vector);
  EXPECT_EQ(error_of<FormatError>([&] { encoder.check(FillOptions{}); }),
            bert + ": this model fills in no words; jogak embed runs it");
  EXPECT_NE(error_of<FormatError>([&] {
              Encoder(test::golden_dir("gpt2-a"));
            }).find("jogak generate runs this one"),
            std::string::npos);
  const std::vector<std::string> without = {"t1 [MASK]", "t1 t2"};
  EXPECT_EQ(error_of<FormatError>([&] { Encoder(model("bert-a")).fill(text_lines(without)); }),
            "text 2: found no [MASK] in it, wanted one for each word to fill in");
}

}  // namespace
}  // namespace jogak
