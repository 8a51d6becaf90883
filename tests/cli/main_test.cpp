#include <algorithm>
#include <fstream>
#include <sstream>

#include "base/file.h"
#include "base/terminal.h"
#include "base/utf8.h"
#include "tests/cli/process.h"
#include "tests/support/expect.h"
#include "tests/support/golden.h"
#include "tests/support/places.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

const std::vector<std::pair<std::string, std::string>> kKorean = {{"LANG", "ko_KR.UTF-8"}};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool has_hangul(const std::string& text) {
  for (size_t at = 0; at < text.size();) {
    const utf8::Decoded next = utf8::decode(text, at);
    if (next.code >= 0xAC00 && next.code <= 0xD7A3) return true;
    at += static_cast<size_t>(std::max(next.size, 1));
  }
  return false;
}

// Nothing on stdout, one line on stderr, the code.
void expect_refused(const Arguments& arguments, int code, const std::string& message,
                    const Call& call = {}) {
  const Result got = jogak(arguments, call);
  EXPECT_EQ(got.err, "jogak: " + message + "\n");
  EXPECT_EQ(got.code, code);
  EXPECT_EQ(got.out, "");
}

TEST(Cli, AloneItPrintsFiveExamples) {
  const Result got = jogak({});
  EXPECT_EQ(got.code, 0);
  EXPECT_EQ(got.err, "");
  size_t examples = 0;
  std::istringstream lines(got.out);
  for (std::string line; std::getline(lines, line);)
    examples += line.starts_with("  ") && has(line, program_path() + " ");
  EXPECT_EQ(examples, 5u);
}

TEST(Cli, TheVersionIsTheProjects) {
  const std::string build = read_file(source_path("CMakeLists.txt"));
  const std::string mark = "project(jogak VERSION ";
  const size_t at = build.find(mark) + mark.size();
  const std::string version = build.substr(at, build.find(' ', at) - at);
  EXPECT_EQ(jogak({"--version"}).out, "jogak " + version + "\n");
  EXPECT_EQ(jogak({"--lang", "ko", "--version"}).out, "jogak " + version + "\n");
}

// Every command that the help names, "tokenizer train" included.
std::vector<Arguments> every_command() {
  std::vector<Arguments> out;
  std::istringstream lines(jogak({"--help"}).out);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("  ") || line[2] == ' ') continue;
    const std::string name = line.substr(2, line.find(' ', 2) - 2);
    out.push_back({name});
    std::istringstream page(jogak({name, "--help"}).out);
    std::string usage;
    while (std::getline(page, usage) && !usage.starts_with("  jogak ")) continue;
    const size_t bar = usage.find('|');
    if (bar == std::string::npos) continue;
    const size_t from = usage.rfind(' ', bar) + 1;
    std::istringstream parts(usage.substr(from, usage.find(' ', bar) - from));
    for (std::string part; std::getline(parts, part, '|');) out.push_back({name, part});
  }
  return out;
}

TEST(Cli, EveryCommandHelpsInBothLanguagesWithExamples) {
  const std::vector<Arguments> all = every_command();
  EXPECT_GE(all.size(), 19u);
  for (Arguments words : all) {
    SCOPED_TRACE(words.back());
    words.push_back("--help");
    const Result english = jogak(words), korean = jogak(words, {.environment = kKorean});
    EXPECT_EQ(english.code, 0);
    EXPECT_EQ(english.err, "");
    EXPECT_TRUE(has(english.out, "\nExamples\n  ")) << english.out;
    EXPECT_FALSE(has_hangul(english.out.substr(0, english.out.find("\nExamples\n"))));
    EXPECT_TRUE(has(korean.out, "\n예시\n  ")) << korean.out;
    EXPECT_TRUE(has_hangul(korean.out));
    words.back() = "-h";
    EXPECT_EQ(jogak(words).out, english.out);
    words.back() = "--lang=ko";
    words.push_back("-h");
    EXPECT_EQ(jogak(words).out, korean.out);
    for (const std::string& page : {english.out, korean.out}) {
      std::istringstream lines(page.substr(0, page.find("jogak ", page.size() / 2)));
      for (std::string line; std::getline(lines, line);)
        EXPECT_TRUE(display_width(line) <= 80 || has(line, program_path() + " ")) << line;
    }
  }
}

TEST(Cli, HelpIsGroupedAndNamesOnlyWhatExists) {
  const std::string help = jogak({"--help"}).out;
  size_t last = 0;
  for (const char* group : {"\nLearn\n", "\nLook\n", "\nMake\n", "\nUse\n", "\nShip\n"}) {
    const size_t at = help.find(group);
    ASSERT_NE(at, std::string::npos) << group;
    EXPECT_GT(at, last);
    last = at;
  }
  for (const Arguments& words : every_command()) {
    Arguments with = words;
    with.push_back("--no-such-option");
    const Result got = jogak(with);
    EXPECT_EQ(got.code, 2) << words[0];
    EXPECT_TRUE(has(got.err, "--no-such-option")) << got.err;
  }
  EXPECT_EQ(jogak({"help", "tokenizer", "train"}).out, jogak({"tokenizer", "train", "-h"}).out);
  EXPECT_EQ(jogak({"help"}).out, help);
}

TEST(CliErrors, UnknownWordsSuggestTheNearest) {
  EXPECT_TRUE(has(jogak({"explian"}).err, "(did you mean \"explain\"?)"));
  EXPECT_EQ(jogak({"explian"}).code, 2);
  expect_refused({"tokenizer", "encod"}, 2,
                 "unknown command \"tokenizer encod\", wanted train, encode or decode (did you "
                 "mean \"encode\"?)");
  expect_refused({"generate", "x", "--topk", "3"}, 2,
                 "unknown option \"--topk\" (did you mean \"--top-k\"?)");
  expect_refused({"--versoin"}, 2, "unknown option \"--versoin\" (did you mean \"--version\"?)");
  expect_refused({"generate", "x", "-z"}, 2, "unknown option \"-z\"");
  expect_refused({"generate", "x", "--topk", "3"}, 2, "모르는 옵션 \"--topk\" (혹시 \"--top-k\"?)",
                 {.environment = kKorean});
  EXPECT_TRUE(has(jogak({"explain", "sofmax"}).err, "did you mean \"softmax\"?"));
}

TEST(CliErrors, ValuesAreChecked) {
  expect_refused({"generate", "x", "--top-k", "many"}, 2,
                 "--top-k: found \"many\", wanted a whole number from 0 to 1000000000");
  expect_refused({"generate", "x", "--top_k=2.5"}, 2,
                 "--top_k: found \"2.5\", wanted a whole number from 0 to 1000000000");
  expect_refused({"generate", "x", "--temp", "-1"}, 2,
                 "--temp: found \"-1\", wanted a number from 0 to 1000000000");
  expect_refused({"generate", "x", "--temp", "nan"}, 2,
                 "--temp: found \"nan\", wanted a number from 0 to 1000000000");
  expect_refused({"generate", "x", "--top-p", "1.5"}, 2,
                 "--top-p: found \"1.5\", wanted a number from 0 to 1");
  expect_refused({"generate", "x", "--beams"}, 2, "--beams: found no value, wanted N");
  expect_refused({"generate", "x", "--beams", "--json"}, 2, "--beams: found no value, wanted N");
  expect_refused({"generate", "x", "--json=1"}, 2, "--json: found the value \"1\", wanted none");
  expect_refused({"explain", "softmax", "--level", "maths"}, 2,
                 "--level: found \"maths\", wanted story, student or math (did you mean "
                 "\"math\"?)");
  expect_refused({"explain", "softmax", "extra"}, 2, "found \"extra\", wanted no more arguments");
  expect_refused({"info"}, 2, "found no DIR, wanted a model directory");
  expect_refused({"tokenizer"}, 2, "tokenizer: found nothing more, wanted train, encode or decode");
  expect_refused({"tokenizer", "train", "--files", "x"}, 2, "--out is missing");
  expect_refused({"--lang", "fr", "info", "x"}, 2, "--lang: found \"fr\", wanted ko or en");
  expect_refused({"explain", "softmax", "--json", "--as", "numpy"}, 2,
                 "--json does not go with --as");
}

// Underscores, attached values, short options and "--" all arrive: the directory is looked for.
TEST(Cli, OptionsAreReadInEveryWayTheyAreWritten) {
  const std::vector<Arguments> ways = {
      {"generate", "nowhere", "--top_k", "3", "-p", "x"},
      {"generate", "--top-k=3", "--prompt=x", "nowhere"},
      {"generate", "-px", "-n5", "nowhere"},
      {"generate", "-p", "-x", "--", "nowhere"},
      {"--lang", "en", "generate", "nowhere", "-p", ""},
  };
  for (const Arguments& way : ways) {
    const Result got = jogak(way);
    EXPECT_EQ(got.code, 66) << got.err;
    EXPECT_TRUE(has(got.err, "jogak: nowhere")) << got.err;
  }
  const Result dash = jogak({"generate", "--", "-p"}, {.input = "x"});
  EXPECT_TRUE(has(dash.err, "jogak: -p: ")) << dash.err;
}

TEST(CliExitCodes, MissingMalformedAndUnwritable) {
  const TempDir dir;
  write_file(dir / "tokenizer.json", "{\"version\": \"1.0\", oops");
  const Result malformed = jogak({"tokenizer", "encode", dir.path()}, {.input = "a\n"});
  EXPECT_EQ(malformed.code, 65);
  EXPECT_TRUE(malformed.err.starts_with("jogak: " + (dir / "tokenizer.json") + ": byte 19: "))
      << malformed.err;
  EXPECT_EQ(jogak({"tokenizer", "encode", dir / "none"}).code, 66);
  EXPECT_EQ(jogak({"info", dir / "none"}).code, 66);
  const Result full = jogak({"explain", "attention"}, {.out_to = "/dev/full"});
  EXPECT_EQ(full.code, 74);
  EXPECT_EQ(full.err, "jogak: standard output: cannot be written: No space left on device\n");
  const Result no_folder = jogak({"explain", "softmax", "--svg", dir / "none/x.svg"});
  EXPECT_EQ(no_folder.code, 74) << no_folder.err;
}

TEST(CliColour, OnATerminalOnlyAndNotAgainstNoColor) {
  const std::vector<std::pair<std::string, std::string>> plain = {{"TERM", "xterm"}};
  auto without = plain;
  without.emplace_back("NO_COLOR", "1");
  for (const Arguments& words : std::vector<Arguments>{{"--help"}, {"explain", "softmax"}, {}}) {
    EXPECT_TRUE(has(jogak_on_terminal(words, {.environment = plain}), "\x1b["));
    EXPECT_FALSE(has(jogak_on_terminal(words, {.environment = without}), "\x1b["));
    EXPECT_FALSE(has(jogak(words, {.environment = plain}).out, "\x1b["));
  }
}

// Words of English sentences in a line: names, keys and paths are none.
std::string english_in(const std::string& line) {
  static const std::vector<std::string> words = {
      "a",   "an", "and", "are",     "but",    "did",   "does", "for", "found",
      "has", "is", "it",  "mean",    "no",     "not",   "of",   "or",  "such",
      "the", "to", "too", "unknown", "wanted", "which", "with", "you"};
  std::string out;
  for (size_t at = 0; at < line.size();) {
    const size_t end = std::min(line.find_first_of(" \n", at), line.size());
    std::string word = line.substr(at, end - at);
    while (!word.empty() && std::string(".,:;()?").find(word.back()) != std::string::npos)
      word.pop_back();
    if (std::find(words.begin(), words.end(), word) != words.end()) out += word + " ";
    at = end + 1;
  }
  return out;
}

// What goes wrong every day is said in Korean to whoever reads Korean.
TEST(Errors, AreInKoreanWhereTheLanguageIs) {
  const TempDir dir;
  write_file(dir / "bad.toml", "[train]\nstep = 3\n");
  write_file(dir / "kind.toml", "[data]\nkind = \"txt\"\n");
  write_file(dir / "none.toml", "[data]\ntrain = \"nirgends.txt\"\n");
  write_file(dir / "zero.toml", "[data]\nmake = \"sort\"\n[train]\nsteps = 0\n");
  write_file(dir / "no.toml", "[train]\nsteps = 3\n");
  write_file(dir / "s.csv", "date,a\n2031-05-09,1\n2031-05-08,2\n");
  make_directories(dir / "empty");
  make_directories(dir / "broken");
  write_file(dir / "broken/config.json", "{\"model_type\": ");
  const std::string gpt2 = source_path("tests/goldens/gpt2-a");
  const std::string series = source_path("tests/goldens/patchtst-a");
  const std::vector<Arguments> wrong = {
      {"info", dir / "nowhere"},
      {"info", dir / "empty"},
      {"info", dir / "broken"},
      {"train", dir / "nirgends.toml"},
      {"train", dir / "bad.toml", "--out", dir / "x"},
      {"train", dir / "kind.toml", "--out", dir / "x"},
      {"train", dir / "none.toml", "--out", dir / "x"},
      {"train", dir / "zero.toml", "--out", dir / "x"},
      {"train", dir / "no.toml", "--out", dir / "x"},
      {"train", dir / "bad.toml", "--out", gpt2},
      {"translate", gpt2, "text"},
      {"forecast", gpt2, "--input", dir / "s.csv"},
      {"forecast", series, "--input", dir / "s.csv"},
      {"forecast", series, "--input", dir / "nirgends.csv"},
      {"generate", gpt2, "-p", ""},
      {"classify", gpt2, "text"},
      {"explain", "softmacks"},
      {"inspect", "attention", gpt2, "--layer", "9", "--text", "a"},
      {"ablate", gpt2},
      {"new", dir / "m", "--set", "n_laier=3"},
      {"tokenizer", "encode", dir / "empty"},
      {"eval", gpt2, "--data", dir / "nirgends.txt"},
      {"quantile"},
      {"train", "--resume", "--out", dir / "nowhere"},
  };
  for (const Arguments& arguments : wrong) {
    const Result got = jogak(arguments, {.environment = kKorean});
    EXPECT_NE(got.code, 0) << got.err;
    const std::string line = got.err.substr(got.err.rfind("jogak: "));
    EXPECT_TRUE(has_hangul(line)) << line;
    EXPECT_EQ(english_in(line.substr(7)), "") << line;
    const Result english = jogak(arguments);
    EXPECT_EQ(english.code, got.code) << english.err;
    EXPECT_FALSE(has_hangul(english.err)) << english.err;
  }
}

}  // namespace
}  // namespace jogak
