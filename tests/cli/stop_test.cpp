// SIGTERM and Ctrl-C end every command within a second, wherever it is, and nothing stays behind.
#include <signal.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "base/file.h"
#include "tests/cli/process.h"
#include "tests/support/expect.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// A second, of which the program takes 0.6; the rest, and with sanitizers more, is for a busy
// machine.
#ifdef __SANITIZE_ADDRESS__
constexpr milliseconds kStart(1500), kLimit(6000);
#else
constexpr milliseconds kStart(300), kLimit(1500);
#endif

struct Stop : testing::Test {
  TempDir dir;

  // Names of everything below, so that what is left behind is seen.
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(dir.path()))
      out.push_back(entry.path().string());
    std::sort(out.begin(), out.end());
    return out;
  }

  // Whether the process is so far that it handles the signal itself.
  static bool catches(int process, int signal) {
    std::ifstream status(text_of("/proc/", process, "/status"));
    for (std::string word; status >> word;)
      if (word == "SigCgt:") {
        status >> word;
        return (std::stoull(word, nullptr, 16) >> (signal - 1) & 1) != 0;
      }
    return false;
  }

  void ends(const Arguments& arguments, int signal, const std::string& input = "") {
    const std::vector<std::string> before = names();
    Running run(arguments);
    if (!input.empty()) run.write(input);
    for (int i = 0; i < 1000 && !catches(run.pid(), signal); ++i)  // a busy machine starts slowly
      std::this_thread::sleep_for(milliseconds(10));
    std::this_thread::sleep_for(kStart);
    ASSERT_TRUE(run.alive()) << arguments[0] << " was too quick";
    run.signal(signal);
    const auto from = Clock::now();
    while (run.alive() && Clock::now() - from < 4 * kLimit)
      std::this_thread::sleep_for(milliseconds(10));
    EXPECT_LT(Clock::now() - from, kLimit) << arguments[0];
    const Result got = run.finish();
    EXPECT_EQ(got.code, signal == SIGTERM ? 75 : 130) << arguments[0] << got.err;
    EXPECT_NE(got.err.find("jogak: stopped"), std::string::npos) << arguments[0] << got.err;
    if (arguments[0] != "study") {  // which keeps what it has, to go on with
      EXPECT_EQ(names(), before) << arguments[0];
    }
  }

  // Processes whose command line names the directory: the work's own runs.
  std::string who_works_here() const {
    std::string out;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      std::ifstream file(entry.path() / "cmdline");
      const std::string words{std::istreambuf_iterator<char>(file), {}};
      if (words.find(dir.path()) != std::string::npos)
        out += entry.path().filename().string() + " ";
    }
    return out;
  }

  std::string recipe(const std::string& model, const std::string& data) {
    const std::string path = dir / "r.toml";
    write_file(path, "[model]\npreset = \"tiny\"\n" + model + "[data]\nkind = \"lines\"\n" + data);
    return path;
  }
};

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
  EXPECT_EQ(who_works_here(), "");
  ends({"study", small, "--jobs", "2", "--out", dir / "study", "--resume"}, SIGINT);
  EXPECT_EQ(who_works_here(), "");
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

TEST_F(Stop, WhereAModelWritesOrIsWritten) {
  write_file(dir / "a.txt", "the cat sat on the mat and the dog sat on the cat\n");
  ASSERT_EQ(jogak({"tokenizer", "train", "--type", "char", "--files", dir / "a.txt", "--out",
                   dir / "tok"})
                .code,
            0);
  const Result made =
      jogak({"new", dir / "gpt", "--tokenizer", dir / "tok", "--set", "n_embd=768", "--set",
             "n_head=12", "--set", "n_layer=12", "--set", "n_positions=1024"});
  ASSERT_EQ(made.code, 0) << made.err;
  ends({"generate", dir / "gpt", "-p", "the", "-n", "900"}, SIGTERM);
  ends({"quantize", dir / "gpt", dir / "small", "--data", dir / "a.txt"}, SIGINT);
}

}  // namespace
}  // namespace jogak
