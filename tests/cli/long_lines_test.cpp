// Commands that read lines: one that is too long is an error with its number, the others are
// answered.
#include <algorithm>

#include "base/file.h"
#include "tests/cli/process.h"
#include "tests/support/expect.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

class LongLineCommands : public testing::Test {
 protected:
  TempDir dir;
  std::string words = dir / "words", fills = dir / "fills";

  void SetUp() override {
    write_file(dir / "a.txt", "the quick brown fox = jumps over the lazy dog.\n");
    run({"tokenizer", "train", "--type", "char", "--special", "[MASK]", "--special", "[PAD]",
         "--files", dir / "a.txt", "--out", words});
    run({"new", fills, "--family", "bert", "--tokenizer", words});
    run({"new", dir / "labels", "--family", "bert", "--tokenizer", words, "--set",
         R"(architectures=["BertForSequenceClassification"])"});
  }
  static void run(const Arguments& arguments) {
    const Result done = jogak(arguments);
    ASSERT_EQ(done.code, 0) << done.err;
  }
  // Three lines, of which the second is too long: two answers and one error.
  static void two_of_three(const Arguments& arguments, const std::string& one) {
    Arguments all = arguments;
    all.insert(all.end(), {"--max-line", "20"});
    const Result got = jogak(all, {.input = one + "\n" + std::string(21, 'x') + "\n" + one + "\n"});
    EXPECT_EQ(got.code, 65) << arguments[0];
    EXPECT_EQ(std::count(got.out.begin(), got.out.end(), '\n'), 2) << arguments[0] << got.out;
    EXPECT_EQ(got.err,
              "jogak: standard input: line 2: found a line of more than 20 bytes, wanted at most "
              "that (--max-line); the others were answered\n")
        << arguments[0];
    EXPECT_EQ(jogak(arguments, {.input = one + "\n"}).code, 0) << "as ever without it";
  }
};

TEST_F(LongLineCommands, OfStandardInput) {
  two_of_three({"classify", dir / "labels"}, "the fox");
  two_of_three({"embed", fills}, "the fox");
  two_of_three({"fill", fills, "--top-k", "1"}, "the [MASK]ox");
  two_of_three({"tokenizer", "encode", words}, "the fox");
  two_of_three({"tokenizer", "decode", words}, "1 2 3");
}

// The line itself is there, and what is made of it, but no token of what no model reads.
TEST_F(LongLineCommands, TakeLittleMemory) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "sanitizers take memory of their own";
#endif
  run({"new", dir / "scores", "--family", "bert", "--tokenizer", words, "--set",
       R"(architectures=["BertForSequenceClassification"])", "--set", "num_labels=1"});
  run({"new", dir / "gpt", "--preset", "tiny", "--tokenizer", words});
  std::string line = "[MASK] ";
  while (line.size() < size_t{4} << 20) line += "the quick brown fox jumps over the lazy dog ";
  const auto most = static_cast<int64_t>(16 * line.size() + (size_t{64} << 20));
  const auto takes_little = [&](const Arguments& arguments, int code = 0) {
    const Result got = jogak(arguments, {.input = line + "\n", .out_to = "/dev/null"});
    EXPECT_EQ(got.code, code) << arguments[0] << got.err;
    EXPECT_LT(got.peak, most) << arguments[0];
    printf("  %s: %.1f bytes a byte\n", arguments[0].c_str(),
           static_cast<double>(got.peak) / static_cast<double>(line.size()));
  };
  takes_little({"classify", dir / "labels"});
  takes_little({"embed", fills});
  takes_little({"fill", fills, "--top-k", "1"});
  takes_little({"rank", dir / "scores", "--query", "fox"});
  takes_little({"tokenizer", "encode", words});
  takes_little({"generate", dir / "gpt", "-n", "2"}, 2);
  run({"new", dir / "pairs", "--family", "seq2seq", "--preset", "tiny", "--tokenizer", words});
  takes_little({"translate", dir / "pairs"}, 65);
  for (const char* name : {"long.hyp", "long.ref", "long.txt"})
    write_file(dir / name, line + "\nthe fox\n");
  write_file(dir / "long.tsv", line + "\tthe fox\nlazy dog\tthe fox\n");
  write_file(dir / "long.csv", "text,label\n" + line.substr(7) + ",LABEL_0\nthe fox,LABEL_1\n");
  takes_little({"eval", "--hypotheses", dir / "long.hyp", "--references", dir / "long.ref"});
  takes_little({"eval", dir / "gpt", "--data", dir / "long.txt", "--from", "0.999"});
  takes_little({"eval", dir / "pairs", "--data", dir / "long.tsv"});
  takes_little({"eval", dir / "labels", "--data", dir / "long.csv"});
}

// Cut into pieces while that is a wait anybody would take; else one error, and the others.
TEST_F(LongLineCommands, AreTranslatedInPiecesUpToSomeNumber) {
  run({"new", dir / "pairs", "--family", "seq2seq", "--preset", "tiny", "--tokenizer", words,
       "--set", "max_position_embeddings=16"});
  std::string some, many;
  while (some.size() < 200) some += "the fox ";
  while (many.size() < 40'000) many += "the fox ";
  const Result got = jogak({"translate", dir / "pairs", "--beams", "1", "--json"},
                           {.input = "the fox\n" + many + "\n" + some + "\nlazy dog\n"});
  EXPECT_EQ(got.code, 65);
  EXPECT_EQ(std::count(got.out.begin(), got.out.end(), '\n'), 3) << got.out;
  EXPECT_NE(got.err.find("line 3 is longer than the model reads, 16 tokens: translated in "),
            std::string::npos)
      << got.err;
  EXPECT_NE(got.err.find("jogak: standard input: line 2: found a line of more than 16384 tokens, "
                         "wanted at most 1024 times the 16 that the model reads; the others were "
                         "answered\n"),
            std::string::npos)
      << got.err;
}

TEST_F(LongLineCommands, OfFilesThatAreScored) {
  write_file(dir / "all.hyp", "the fox\nxxxxxxxxxxxxxxxxxxxxxxxxxx\nlazy dog\n");
  write_file(dir / "all.ref", "the fox\nshort\nlazy dog and a half\n");
  write_file(dir / "two.hyp", "the fox\nlazy dog\n");
  write_file(dir / "two.ref", "the fox\nlazy dog and a half\n");
  const auto score = [&](const std::string& name) {
    return jogak({"eval", "--hypotheses", dir / (name + ".hyp").c_str(), "--references",
                  dir / (name + ".ref").c_str(), "--max-line", "20", "--json"});
  };
  const Result some = score("all"), two = score("two");
  EXPECT_EQ(some.code, 65);
  EXPECT_EQ(two.code, 0) << two.err;
  EXPECT_EQ(some.out, two.out) << "the score of the others";
  EXPECT_EQ(some.err.find("jogak: " + (dir / "all.hyp") + ": line 2: found a line of more than 20"),
            0u)
      << some.err;
}

}  // namespace
}  // namespace jogak
