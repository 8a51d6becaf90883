// fill, classify, embed and info --parity, as a user types them.
#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "base/json.h"
#include "tests/cli/process.h"
#include "tests/support/expect.h"
#include "tests/support/places.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

Json first_line(const Result& got) {
  EXPECT_EQ(got.code, 0) << got.err;
  return parse_json(got.out.substr(0, got.out.find('\n')), "stdout");
}

int64_t lines_of(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

class EncoderCommands : public testing::Test {
 protected:
  TempDir dir;
  std::string words = dir / "words", fills = dir / "fills", labels = dir / "labels";

  void SetUp() override {
    write_file(dir / "a.txt", "the quick brown fox jumps over the lazy dog. 다람쥐 헌 쳇바퀴\n");
    run({"tokenizer", "train", "--type", "char", "--special", "[MASK]", "--files", dir / "a.txt",
         "--out", words});
    run({"new", fills, "--family", "bert", "--tokenizer", words});
    run({"new", labels, "--family", "bert", "--tokenizer", words, "--set",
         R"(architectures=["BertForSequenceClassification"])", "--set",
         R"(id2label={"0": "good", "1": "나쁨", "2": "fair"})"});
  }

  static void run(const Arguments& arguments) {
    const Result done = jogak(arguments);
    ASSERT_EQ(done.code, 0) << done.err;
  }
};

TEST_F(EncoderCommands, FillTakesTextsAndLines) {
  const Result shown = jogak({"fill", fills, "the [MASK]og", "--top-k", "3"});
  EXPECT_EQ(lines_of(shown.out), 3) << shown.out << shown.err;
  const Json one = first_line(jogak({"fill", fills, "--json"}, {.input = "다[MASK]쥐\n"}));
  EXPECT_EQ(one.find("text")->text(), "다[MASK]쥐");
  const auto& best = one.find("predictions")->items();
  ASSERT_EQ(best.size(), 5u);
  EXPECT_GE(best[0].find("score")->number(), best[1].find("score")->number());
  EXPECT_EQ(jogak({"fill", fills, "no word is missing"}).code, 65);
  EXPECT_EQ(jogak({"fill", labels, "a [MASK]"}).code, 65);
  EXPECT_EQ(jogak({"fill", dir / "none", "a [MASK]"}).code, 66);
}

TEST_F(EncoderCommands, ClassifyNamesItsLabels) {
  const Json one = first_line(jogak({"classify", labels, "the fox", "--top-k", "9", "--json"}));
  double sum = 0;
  std::string names;
  for (const Json& p : one.find("predictions")->items()) {
    sum += p.find("score")->number();
    names += p.find("label")->text();
  }
  EXPECT_NEAR(sum, 1, 1e-9);
  EXPECT_EQ(names.size(), std::string("goodfair나쁨").size());
  const Result two = jogak({"classify", labels}, {.input = "a\nthe dog\n"});
  EXPECT_EQ(lines_of(two.out), 2) << "one label each";
  EXPECT_TRUE(two.out.ends_with("\tthe dog\n"));
  EXPECT_EQ(jogak({"classify", labels, "--pair", "fox\tdog"}).code, 0);
  EXPECT_EQ(jogak({"classify", labels, "--pair", "fox"}).code, 65);
  EXPECT_NE(jogak({"classify", fills, "fox"}).err.find("jogak fill runs it"), std::string::npos);
}

// transformers would keep the end of such a text.
TEST_F(EncoderCommands, TextsAreCutAtTheirEndOrNotAtAll) {
  std::string text;
  for (int i = 0; i < 400; ++i) text += "the fox ";
  const Result cut = jogak({"embed", fills}, {.input = text + "\n"});
  EXPECT_EQ(cut.code, 0);
  EXPECT_NE(cut.err.find("and is cut: the model reads "), std::string::npos) << cut.err;
  write_file(fills + "/tokenizer_config.json", R"({"truncation_side": "left"})");
  EXPECT_EQ(jogak({"embed", fills}, {.input = "the fox\n"}).code, 0);
  const Result left = jogak({"embed", fills}, {.input = text + "\n"});
  EXPECT_EQ(left.code, 65);
  EXPECT_NE(left.err.find("\"truncation_side\": \"left\""), std::string::npos) << left.err;
}

TEST_F(EncoderCommands, EmbedGivesAVectorALine) {
  const Result got = jogak({"embed", fills}, {.input = "fox\nthe lazy dog\nfox\n"});
  ASSERT_EQ(lines_of(got.out), 3) << got.err;
  EXPECT_EQ(std::count(got.out.begin(), got.out.begin() + got.out.find('\n'), ' '), 63);
  const Json one = first_line(jogak({"embed", fills, "fox", "--normalize", "--json"}));
  double squares = 0;
  for (const Json& x : one.find("embedding")->items()) squares += x.number() * x.number();
  EXPECT_NEAR(squares, 1, 1e-5);
  EXPECT_EQ(jogak({"embed", fills, "fox", "--normalize", "--no-normalize"}).code, 2);
  EXPECT_EQ(jogak({"embed", fills, "fox", "--pool", "middle"}).code, 2);
  const Result bad = jogak({"embed", fills}, {.input = "fox\n\xff\n"});
  EXPECT_EQ(bad.code, 65);
  EXPECT_EQ(lines_of(bad.out), 1) << "what came before is not lost";
}

TEST_F(EncoderCommands, ForecastGoesOnWithACsv) {
  const std::string model = dir / "series", file = dir / "in.csv";
  run({"new", model, "--family", "patchtst", "--set", "num_input_channels=3"});
  run({"data", "make", "series", file, "--count", "150"});
  const Result csv = jogak({"forecast", model, "--input", file, "--plot", dir / "x.svg"});
  EXPECT_EQ(lines_of(csv.out), 97) << csv.err << "a header and 96 steps";
  EXPECT_TRUE(csv.out.starts_with("date,")) << csv.out.substr(0, 60);
  EXPECT_NE(csv.out.find("\n2020-01-07 06:00:00,"), std::string::npos) << csv.out.substr(0, 90);
  EXPECT_NE(read_file(dir / "x.svg").find("<polyline"), std::string::npos);
  const Json json = first_line(jogak(
      {"forecast", model, "--input", file, "--horizon", "3", "--quantiles", "0.9,0.1", "--json"}));
  EXPECT_EQ(json.find("horizon")->integer(), 3);
  ASSERT_EQ(json.find("series")->items().size(), 3u);
  EXPECT_EQ(json.find("series")->items()[2].find("quantiles")->members().size(), 2u);
  const Result drawn = jogak({"forecast", model, "--input", file, "--plot", "-", "--lang", "ko"});
  EXPECT_NE(drawn.out.find("● 예측"), std::string::npos) << drawn.err;
  EXPECT_EQ(jogak({"forecast", model}).code, 2);
  EXPECT_EQ(jogak({"forecast", model, "--input", file, "--quantiles", "1.5"}).code, 2);
  EXPECT_EQ(jogak({"forecast", model, "--input", file, "--plot", "-", "--json"}).code, 2);
  EXPECT_EQ(jogak({"forecast", model, "--input", dir / "none.csv"}).code, 66);
  EXPECT_EQ(jogak({"forecast", fills, "--input", file}).code, 65);
}

TEST_F(EncoderCommands, ClassifyReadsImages) {
  run({"new", dir / "vit", "--family", "vit", "--set", "num_labels=3"});
  run({"data", "make", "shapes", dir / "idx", "--count", "4", "--format", "idx"});
  run({"data", "make", "shapes", dir / "png", "--count", "2"});
  std::vector<std::string> images;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(dir / "png"))
    if (entry.path().extension() == ".png") images.push_back(entry.path().string());
  ASSERT_EQ(images.size(), 2u);
  const Result got = jogak({"classify", dir / "vit", images[0], images[1], "--top-k", "2"});
  EXPECT_EQ(lines_of(got.out), 4) << got.err;
  EXPECT_TRUE(got.out.ends_with("\t" + images[1] + "\n")) << got.out;
  EXPECT_EQ(jogak({"classify", dir / "vit", dir / "a.txt"}).code, 65);
  EXPECT_EQ(jogak({"classify", dir / "vit", "--pair", images[0]}).code, 2);
}

TEST_F(EncoderCommands, TheCertificateNamesItsScript) {
  const std::string file = dir / "parity.json";
  const Result said = jogak({"info", labels, "--parity", file});
  EXPECT_NE(said.out.find("scripts/replay-parity.py"), std::string::npos) << said.err;
  EXPECT_TRUE(file_exists(source_path("scripts/replay-parity.py")));
  const Json made = read_json_file(file);
  EXPECT_EQ(made.find("model_type")->text(), "bert");
  EXPECT_TRUE(made.find("tokens")->items().empty()) << "it has no token for an unknown letter";
  EXPECT_EQ(made.find("files")->items().size(), 4u) << "config, weights and two of the tokenizer";
  run({"tokenizer", "train", "--type", "bpe", "--files", dir / "a.txt", "--out", dir / "bytes"});
  run({"new", dir / "cuts", "--family", "gpt2", "--tokenizer", dir / "bytes"});
  run({"info", dir / "cuts", "--parity", file});
  const Json cut = read_json_file(file);
  ASSERT_EQ(cut.find("tokens")->items().size(), 5u);
  EXPECT_GT(cut.find("tokens")->items()[1].find("ids")->items().size(), 5u);
  EXPECT_EQ(jogak({"info", labels, "--parity", dir / "none/x.json"}).code, 74);
}

TEST_F(EncoderCommands, InfoLeavesOutWhatAFamilyHasNot) {
  run({"new", dir / "vit", "--family", "vit"});
  run({"new", dir / "series", "--family", "patchtst", "--set", "num_input_channels=3"});
  const std::string image = jogak({"info", dir / "vit"}).out;
  EXPECT_EQ(image.find("vocabulary"), std::string::npos) << image;
  EXPECT_EQ(image.find("tokenizer"), std::string::npos) << image;
  EXPECT_NE(image.find("28 x 28, channels: 1"), std::string::npos) << image;
  const Json series = first_line(jogak({"info", dir / "series", "--json"}));
  EXPECT_EQ(series.find("vocab"), nullptr);
  EXPECT_EQ(series.find("series")->integer(), 3);
  EXPECT_EQ(series.find("horizon")->integer(), 96);
  EXPECT_NE(jogak({"info", labels}).out.find("3: good, 나쁨, fair"), std::string::npos);
}

}  // namespace
}  // namespace jogak
