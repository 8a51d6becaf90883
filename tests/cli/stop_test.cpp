// SIGTERM and Ctrl-C end every command within a second, wherever it is, and nothing stays behind.
#include "tests/cli/stop.h"

#include <ctime>

namespace jogak {
namespace {

TEST_F(Stop, WhereDataIsMade) {
  ends({"data", "make", "dates", dir / "dates.txt", "--count", "10000000"}, SIGTERM);
  ends({"data", "make", "shapes", dir / "shapes", "--count", "1000000"}, SIGINT);
  ends({"train", recipe("", "make = \"dates\"\ncount = 10000000\n"), "--out", dir / "run"},
       SIGTERM);
}

TEST_F(Stop, WhereAModelIsMade) {
  const std::string large = "n_layer = 48\nn_embd = 1024\nn_head = 16\n";
  ends({"train", recipe(large, "make = \"dates\"\ncount = 100\n"), "--out", dir / "run", "--force"},
       SIGINT);
  ends({"new", dir / "model", "--family", "gpt2", "--preset", "base", "--set", "n_layer=48"},
       SIGTERM);
  ends({"study", recipe(large, "make = \"dates\"\ncount = 100\n"), "--out", dir / "study"},
       SIGTERM);
}

// Its runs are programs of their own: none outlives it, whether it makes a model or trains.
TEST_F(Stop, AStudyEndsAfterItsRuns) {
  const std::string small = recipe("n_layer = 1\nn_embd = 16\nn_head = 2\n",
                                   "make = \"dates\"\ncount = 100\n[train]\nsteps = 1000000\n");
  ends({"study", small, "--jobs", "2", "--out", dir / "study"}, SIGTERM);
  ends({"study", small, "--jobs", "2", "--out", dir / "study", "--resume"}, SIGINT);
}

TEST_F(Stop, WhereFilesAreRead) {
  std::string words, csv = "date,a,b,c\n";
  for (int64_t i = 0; words.size() < size_t{24} << 20; ++i)
    words += text_of(i * 7919 % 1000003, " of ", i * 104729 % 1299709, "\n");
  for (time_t t = 0; csv.size() < size_t{24} << 20; t += 60) {
    char date[32];
    tm parts{};
    strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S", gmtime_r(&t, &parts));
    csv += text_of(date, ",", t % 7, ",", t % 11, ",", t % 13, "\n");
  }
  write_file(dir / "words.txt", words);
  write_file(dir / "series.csv", csv);
  ends({"tokenizer", "train", "--type", "bpe", "--vocab-size", "30000", "--files",
        dir / "words.txt", "--out", dir / "tok"},
       SIGTERM);
  ends({"eval", "--hypotheses", dir / "words.txt", "--references", dir / "words.txt"}, SIGINT);
  ASSERT_EQ(
      jogak({"new", dir / "model", "--family", "patchtst", "--set", "num_input_channels=3"}).code,
      0);
  ends({"forecast", dir / "model", "--input", dir / "series.csv"}, SIGTERM);
}

TEST_F(Stop, WhereThingsAreMeasured) {
  std::string lines;
  for (int i = 0; i < 500; ++i) lines += text_of("the cat ", i % 17, " sat on the mat ", i, "\n");
  write_file(dir / "a.txt", lines);
  ends({"eval", "--hypotheses", dir / "a.txt", "--references", dir / "a.txt", "--bootstrap",
        "1000000"},
       SIGTERM);
  ends({"bench", "machine", "--shapes"}, SIGINT);  // without it half a second is enough
}

TEST_F(Stop, WhereAModelAnswers) {
  std::string lines;
  for (int i = 0; i < 1100; ++i) lines += "the cat sat on the mat and the dog sat on the cat\n";
  write_file(dir / "a.txt", lines);
  ASSERT_EQ(jogak({"tokenizer", "train", "--type", "char", "--files", dir / "a.txt", "--out",
                   dir / "tok"})
                .code,
            0);
  const Result made =
      jogak({"new", dir / "bert", "--family", "bert", "--tokenizer", dir / "tok", "--set",
             "hidden_size=512", "--set", "num_hidden_layers=8", "--set", "intermediate_size=2048"});
  ASSERT_EQ(made.code, 0) << made.err;
  ends({"embed", dir / "bert"}, SIGTERM, lines);
  ends({"tokenizer", "encode", dir / "tok"}, SIGINT, "the cat\n");  // waiting for more
  std::string line;
  for (int i = 0; i < 400000; ++i) line += "the cat sat on the mat ";
  ends({"tokenizer", "encode", dir / "tok"}, SIGTERM, line + "\n");
}

}  // namespace
}  // namespace jogak
