// Translation as a user does it: pairs in, a run, lines through it.
#include "base/file.h"
#include "base/json.h"
#include "tests/cli/process.h"
#include "tests/support/expect.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

constexpr char kRecipe[] = R"(schema = 1
[model]
family = "seq2seq"
preset = "tiny"
d_model = 32
encoder_layers = 1
decoder_layers = 1
max_position_embeddings = 40
[tokenizer]
type = "char"
normalize = false
[data]
kind = "pairs"
make = "dates"
count = 400
valid_count = 20
[train]
steps = 8
batch_tokens = 300
schedule = "noam"
optimizer = "adam"
beta2 = 0.98
eps = 1e-9
label_smoothing = 0.1
eval_every = 4
checkpoint_every = 2
average = 2
warmup = 4
metric = "bleu"
bleu_tokenize = "char"
)";

Json json_of(const Result& got) {
  EXPECT_EQ(got.code, 0) << got.err;
  return parse_json(got.out.empty() ? "{}" : got.out, "stdout");
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

class TranslateCommands : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    place = new TempDir;
    write_file(*place / "r.toml", kRecipe);
    const Json done = json_of(jogak({"train", *place / "r.toml", "--out", run(), "--json"}));
    ASSERT_EQ(done.find("step")->integer(), 8);
    EXPECT_TRUE(done.find("best_bleu")->is_number());
    EXPECT_TRUE(done.find("averaged")->is_bool());
  }
  static void TearDownTestSuite() { delete place; }
  static std::string run() { return *place / "run"; }
  static TempDir* place;
};
TempDir* TranslateCommands::place = nullptr;

TEST_F(TranslateCommands, TheDirectoryIsAMarianDirectory) {
  for (const char* name : {"config.json", "generation_config.json", "model.safetensors",
                           "source.spm", "target.spm", "vocab.json", "tokenizer_config.json"})
    EXPECT_TRUE(file_exists(join_path(run(), name))) << name;
  const Json info = json_of(jogak({"info", run(), "--json"}));
  EXPECT_EQ(info.find("model_type")->text(), "marian");
  EXPECT_EQ(info.find("layers")->integer(), 2);
  EXPECT_EQ(
      jogak({"generate", run(), "-p", "a"}).err,
      "jogak: " + run() + ": a marian model does not continue text; jogak translate runs it\n");
}

TEST_F(TranslateCommands, LinesKeepTheirOrderAndEmptyOnesStayEmpty) {
  const std::string input = "May 9, 2031\n\n2031년 5월 9일\r\n   \nMay 10, 2031";
  const Result got = jogak({"translate", run(), "--max-length", "12"}, {.input = input});
  ASSERT_EQ(got.code, 0) << got.err;
  const auto lines = lines_of(got.out);
  ASSERT_EQ(lines.size(), 5u) << got.out;
  EXPECT_EQ(lines[1], "");
  EXPECT_EQ(lines[3], "");
  const std::string sources[] = {"May 9, 2031", "", "2031년 5월 9일", "   ", "May 10, 2031"};
  for (size_t i = 0; i < 5; ++i) {
    const Result alone =
        jogak({"translate", run(), "--max-length", "12"}, {.input = sources[i] + "\n"});
    EXPECT_EQ(alone.out, lines[i] + "\n") << i;
  }
  EXPECT_EQ(jogak({"translate", run(), sources[0], sources[4], "--max-length", "12"}).out,
            lines[0] + "\n" + lines[4] + "\n")
      << "texts as arguments";
}

TEST_F(TranslateCommands, JsonHoldsTheBestTextsAndTheirAlignment) {
  const Json got =
      json_of(jogak({"translate", run(), "--json", "--alignment", "--beams", "3", "--n-best", "2"},
                    {.input = "May 9, 2031\n"}));
  EXPECT_EQ(got.find("source")->text(), "May 9, 2031");
  const auto& texts = got.find("translations")->items();
  ASSERT_EQ(texts.size(), 2u);
  EXPECT_GE(texts[0].find("score")->number(), texts[1].find("score")->number());
  const Json& alignment = *texts[0].find("alignment");
  const size_t S = alignment.find("source")->items().size();
  EXPECT_EQ(alignment.find("weights")->items().size(), alignment.find("target")->items().size());
  for (const Json& row : alignment.find("weights")->items()) {
    ASSERT_EQ(row.items().size(), S);
    double sum = 0;
    for (const Json& weight : row.items()) sum += weight.number();
    EXPECT_NEAR(sum, 1, 1e-4);
  }
  const Result shown = jogak({"translate", run(), "--alignment"}, {.input = "May 9, 2031\n"});
  EXPECT_NE(shown.out.find("Σ"), std::string::npos) << shown.out;
}

TEST_F(TranslateCommands, ALineTooLongForTheModelIsCut) {
  std::string line;
  while (line.size() < 10000) line += "May 9, 2031 ";
  const Result got =
      jogak({"translate", run(), "--beams", "1", "--max-length", "3"}, {.input = line + "\nMay\n"});
  EXPECT_EQ(got.code, 0) << got.err;
  EXPECT_EQ(lines_of(got.out).size(), 2u);
  EXPECT_NE(got.err.find("line 1 is longer than the model reads, 40 tokens"), std::string::npos)
      << got.err;
  const std::string solid(10000, '9');  // no space to cut at
  EXPECT_EQ(jogak({"translate", run(), "--beams", "1", "--max-length", "3"}, {.input = solid}).code,
            0);
}

TEST_F(TranslateCommands, BrokenTextIsRefusedWithLineAndByte) {
  const Result got =
      jogak({"translate", run(), "--max-length", "8"}, {.input = "May 9, 2031\nab\xff\n"});
  EXPECT_EQ(got.code, 65);
  EXPECT_EQ(lines_of(got.out).size(), 1u) << "what came before is not lost";
  EXPECT_NE(got.err.find("standard input: byte 14: line 2: "), std::string::npos) << got.err;
}

TEST_F(TranslateCommands, EvalGivesScoresToQuote) {
  write_file(*place / "a.txt", "May 9, 2031\nMay 10, 2031\n");
  write_file(*place / "b.txt", "2031-05-09\n2031-05-10\n");
  const Json got = json_of(jogak({"eval", run(), "--source", *place / "a.txt", "--target",
                                  *place / "b.txt", "--beams", "2", "--json"}));
  for (const char* key : {"loss", "perplexity", "bleu", "chrf", "exact_match"})
    EXPECT_TRUE(got.find(key)->is_number()) << key;
  EXPECT_TRUE(got.find("signature")->text().starts_with("nrefs:1|case:mixed|eff:no|tok:13a"));
  EXPECT_EQ(json_of(jogak({"eval", run(), "--make", "dates", "--count", "5", "--json"}))
                .find("lines")
                ->integer(),
            5);
  write_file(*place / "b.txt", "2031-05-09\n");
  const Result uneven =
      jogak({"eval", run(), "--source", *place / "a.txt", "--target", *place / "b.txt"});
  EXPECT_EQ(uneven.code, 65);
  EXPECT_NE(uneven.err.find("a.txt"), std::string::npos);
  EXPECT_EQ(jogak({"eval", run(), "--source", *place / "a.txt"}).code, 2);
}

TEST_F(TranslateCommands, ResumingKeepsTheTokenizerAndTheRun) {
  const std::string before = read_file(join_path(run(), "vocab.json"));
  const Json more =
      json_of(jogak({"train", "--resume", "--out", run(), "--steps", "10", "--json"}));
  EXPECT_EQ(more.find("step")->integer(), 10);
  EXPECT_EQ(read_file(join_path(run(), "vocab.json")), before);
  EXPECT_GT(json_of(jogak({"train", *place / "r.toml", "--dry-run", "--json"}))
                .find("predicted_peak_mb")
                ->number(),
            0);
}

TEST_F(TranslateCommands, BenchMeasuresTranslation) {
  const Json got = json_of(
      jogak({"bench", "translate", "--preset", "tiny", "--set", "vocab_size=50", "--batch", "2",
             "--seq", "5", "--steps", "3", "--beams", "2", "--rounds", "1", "--json"}));
  EXPECT_GT(got.find("tokens_per_s")->number(), 0);
  EXPECT_EQ(jogak({"bench", "translate", "--family", "gpt2"}).code, 2);
}

}  // namespace
}  // namespace jogak
