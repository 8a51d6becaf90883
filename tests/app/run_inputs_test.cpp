// A run knows its data: what changed is named, what only moved is not.
#include "app/train/run_inputs.h"

#include <filesystem>
#include <fstream>

#include "app/train/train.h"
#include "base/file.h"
#include "tests/io/bytes.h"
#include "tests/support/bytes_read.h"
#include "tests/support/expect.h"
#include "tests/support/golden.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

using test::write_plain;

// gzip's bytes of "one\ntwo\n".
constexpr unsigned char kPacked[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03,
                                     0xcb, 0xcf, 0x4b, 0xe5, 0x2a, 0x29, 0xcf, 0xe7, 0x02, 0x00,
                                     0xe6, 0x0b, 0xba, 0x12, 0x08, 0x00, 0x00, 0x00};

TEST(RunInputs, TheSameBytesAreTheSameWhateverTheyAreCalled) {
  const TempDir dir;
  write_plain(dir / "a.txt", "one\ntwo\n");
  write_plain(dir / "b.txt", "one\ntwo\n");
  write_plain(dir / "c.gz", std::string(std::begin(kPacked), std::end(kPacked)));
  write_plain(dir / "d.txt", "one\ntwp\n");
  EXPECT_EQ(contents_of(dir / "a.txt"), contents_of(dir / "b.txt"));
  EXPECT_EQ(contents_of(dir / "a.txt"), contents_of(dir / "c.gz"));
  EXPECT_NE(contents_of(dir / "a.txt"), contents_of(dir / "d.txt"));
}

TEST(RunInputs, APictureInAnotherClassIsAnotherFolder) {
  const TempDir dir;
  for (const char* folder : {"one/cat", "one/dog"}) make_directories(dir / folder);
  write_plain(dir / "one/cat/1.png", "x");
  write_plain(dir / "one/dog/2.png", "y");
  const std::string before = contents_of(dir / "one");
  std::filesystem::rename(dir / "one", dir / "two");
  EXPECT_EQ(contents_of(dir / "two"), before);
  std::filesystem::rename(dir / "two/cat/1.png", dir / "two/dog/1.png");
  EXPECT_NE(contents_of(dir / "two"), before);
}

TEST(RunInputs, OnlySettingsThatShapeTheDataCount) {
  const auto names = [](const std::string& toml) {
    std::vector<std::string> out;
    for (const auto& [name, value] : run_inputs(parse_recipe(toml, "r"))) out.push_back(name);
    return out;
  };
  EXPECT_EQ(names("[data]\nkind = \"lines\"\nmake = \"dates\"\n"),
            (std::vector<std::string>{"data.kind", "data.make", "data.count", "data.valid_count",
                                      "data.seed", "data.separator", "train.context"}));
  EXPECT_EQ(
      names("[data]\nkind = \"text\"\nmake = \"sort\"\n"),
      (std::vector<std::string>{"data.kind", "data.make", "data.count", "data.valid_count",
                                "data.longest", "data.seed", "data.separator", "train.context"}));
  EXPECT_EQ(names("[data]\nkind = \"series\"\nmake = \"series\"\n"),
            (std::vector<std::string>{"data.kind", "data.make", "data.count", "data.valid_count",
                                      "data.seed", "data.train_rows", "data.valid_rows",
                                      "data.test_rows"}));
}

// Names of the inputs that are others after a byte of the file was changed.
std::vector<std::string> changed_by(const std::string& file, const std::string& toml) {
  const Recipe recipe = parse_recipe(toml, "r.toml");
  const RunInputs before = run_inputs(recipe);
  std::string bytes = read_file(file);
  bytes.back() ^= 1;
  write_plain(file, bytes);
  const RunInputs after = run_inputs(recipe);
  std::vector<std::string> out;
  for (size_t i = 0; i < before.size(); ++i)
    if (before[i] != after.at(i)) out.push_back(before[i].first);
  return out;
}

TEST(RunInputs, EveryFileOfEveryKindCounts) {
  const TempDir dir;
  const auto names = [&](const std::string& file, std::string toml) {
    for (size_t at; (at = toml.find('@')) != std::string::npos;) toml.replace(at, 1, dir.path());
    return changed_by(dir / file.c_str(), toml);
  };
  using Names = std::vector<std::string>;
  for (const char* file : {"a.en", "a.ko", "b.en", "b.ko", "rows.csv", "images", "labels", "line"})
    write_plain(dir / file, "x,y\n1,2\n");
  make_directories(dir / "pictures/cat");
  write_plain(dir / "pictures/cat/1.png", "x");
  const std::string pairs =
      "[model]\nfamily = \"seq2seq\"\n[data]\nkind = \"pairs\"\nsource = \"@/a.en\"\ntarget = "
      "\"@/a.ko\"\nvalid_source = \"@/b.en\"\nvalid_target = \"@/b.ko\"\n";
  EXPECT_EQ(names("a.en", pairs), Names{"data.source"});
  EXPECT_EQ(names("a.ko", pairs), Names{"data.target"});
  EXPECT_EQ(names("b.en", pairs), Names{"data.valid_source"});
  EXPECT_EQ(names("b.ko", pairs), Names{"data.valid_target"});
  EXPECT_EQ(names("rows.csv",
                  "[model]\nfamily = \"bert\"\n[data]\nkind = \"labels\"\ntrain = "
                  "\"@/rows.csv\"\n"),
            Names{"data.train"});
  EXPECT_EQ(names("rows.csv",
                  "[model]\nfamily = \"patchtst\"\n[data]\nkind = \"series\"\ntrain "
                  "= \"@/rows.csv\"\n"),
            Names{"data.train"});
  const std::string images = "[model]\nfamily = \"vit\"\n[data]\nkind = \"images\"\ntrain = ";
  const std::string idx = images + "\"@/images\"\ntrain_labels = \"@/labels\"\n";
  EXPECT_EQ(names("images", idx), Names{"data.train"});
  EXPECT_EQ(names("labels", idx), Names{"data.train_labels"});
  EXPECT_EQ(names("pictures/cat/1.png", images + "\"@/pictures\"\n"), Names{"data.train"});
  std::filesystem::copy(test::golden_dir("gpt2-a"), dir / "base");
  const std::string adapters =
      "[model]\nfrom = \"@/base\"\n[data]\nkind = \"lines\"\ntrain = \"@/line\"\n[train]\n";
  EXPECT_EQ(names("base/model.safetensors", adapters + "lora_rank = 2\n"), Names{"model.from"});
  EXPECT_EQ(names("line", adapters + "lora_rank = 2\n"), Names{"data.train"});
}

class ResumedData : public testing::Test {
 protected:
  TempDir dir;

  TrainRequest request(const std::string& text, int steps) {
    TrainRequest c;
    c.recipe = parse_recipe(
        text_of(
            "[model]\nn_layer = 1\nn_embd = 16\nn_head = 2\nn_positions = 16\n[data]\ntrain = \"",
            dir / text, "\"\n[train]\nbatch = 2\nsteps = ", steps, "\n"),
        "r.toml");
    c.out = dir / "run", c.quiet = true;
    c.resume = steps > 1;
    return c;
  }
  void SetUp() override {
    std::string text;
    for (int i = 0; i < 80; ++i) text += "the cat sat on the mat. ";
    write_plain(dir / "a.txt", text);
    run_training(request("a.txt", 1));
    write_plain(dir / "b.txt", text.replace(7, 1, "e"));  // as long, of the same letters
  }
};

TEST_F(ResumedData, OtherContentsAreRefusedAndNamed) {
  EXPECT_NE(error_of<FormatError>([&] {
              run_training(request("b.txt", 2));
            }).find("data.train has other contents"),
            std::string::npos);
  std::filesystem::rename(dir / "a.txt", dir / "moved.txt");
  EXPECT_EQ(run_training(request("moved.txt", 2)).step, 2) << "the same bytes elsewhere";
  TrainRequest other = request("moved.txt", 3);
  other.recipe.data.valid_share = 0.2;
  EXPECT_NE(error_of<FormatError>([&] {
              run_training(other);
            }).find("data.valid_share was 0.1 and is 0.2"),
            std::string::npos);
  other.accept_changes = true;
  EXPECT_EQ(run_training(other).step, 3);
}

// What a run began with is what it goes on with: another beginning would have no effect.
TEST_F(ResumedData, AnotherBeginningIsRefused) {
  const auto told = [&](const std::function<void(Recipe&)>& change) {
    TrainRequest other = request("a.txt", 2);
    change(other.recipe);
    other.accept_changes = true;
    return error_of<FormatError>([&] { run_training(other); });
  };
  const std::string from = dir / "elsewhere";
  EXPECT_NE(told([](Recipe& r) {
              r.tokenizer.type = "bpe";
            }).find("\"tokenizer.type\" was \"char\" and is \"bpe\", but a run that goes on keeps"),
            std::string::npos);
  EXPECT_NE(told([&](Recipe& r) { r.tokenizer.from = from; }).find("\"tokenizer.from\" was"),
            std::string::npos);
  EXPECT_NE(told([&](Recipe& r) { r.model.from = from; }).find("\"model.from\" was"),
            std::string::npos);
  EXPECT_EQ(run_training(request("a.txt", 2)).step, 2);
}

TEST_F(ResumedData, PartsThatTheModelHasNotCannotBeOff) {
  TrainRequest other = request("a.txt", 1);
  other.out = dir / "off", other.recipe.train.off = "ffn:9";
  EXPECT_EQ(
      error_of<UsageError>([&] { run_training(other); }).find("\"train.off\": found \"ffn:9\""),
      0u);
  EXPECT_FALSE(file_exists(dir / "off"));
}

// Letters that the run's vocabulary lacks come of the change, which is told first.
TEST_F(ResumedData, WhatCannotBeReadBecauseItChangedIsNamedAsChanged) {
  std::string text = read_file(dir / "b.txt");
  write_plain(dir / "c.txt", text.replace(7, 1, "X"));
  EXPECT_NE(error_of<FormatError>([&] {
              run_training(request("c.txt", 2));
            }).find("data.train has other contents"),
            std::string::npos);
  TrainRequest accepted = request("c.txt", 2);
  accepted.accept_changes = true;
  EXPECT_NE(error_of<FormatError>([&] { run_training(accepted); }).find("not in the vocabulary"),
            std::string::npos);
}

TEST_F(ResumedData, AnotherTokenizerIsRefused) {
  const std::string file = dir / "run/tokenizer.json";
  Json all = read_json_file(file), model = *all.find("model"), vocab = *model.find("vocab");
  const Json s = *vocab.find("s"), t = *vocab.find("t");
  model.set("vocab", vocab.set("s", t).set("t", s));
  write_file(file, all.set("model", model).dump());
  EXPECT_NE(error_of<FormatError>([&] {
              run_training(request("a.txt", 2));
            }).find("tokenizer has other contents"),
            std::string::npos);
}

TEST(FirstRun, ReadsItsTextOnce) {
  if (test::bytes_read() < 0) GTEST_SKIP() << "this kernel does not count what is read";
  const TempDir dir;
  std::string text;
  for (int i = 0; text.size() < 3'000'000; ++i) text += text_of("line ", i, " = some words\n");
  write_plain(dir / "text.txt", text);
  const auto times = [&](const std::string& kind, const std::string& tokenizer,
                         const std::string& out, bool resume = false) {
    TrainRequest c;
    c.recipe = parse_recipe("[model]\npreset = \"tiny\"\nn_embd = 8\nn_layer = 1\n[tokenizer]\n" +
                                tokenizer + "[data]\nkind = \"" + kind + "\"\ntrain = \"" +
                                dir / "text.txt" + "\"\nvalid_share = 0.001\n" +
                                "[train]\nsteps = 1\nbatch = 1\ncontext = 32\n",
                            "r");
    c.out = dir / out, c.quiet = true, c.resume = resume;
    const int64_t before = test::bytes_read();
    run_training(c);
    return static_cast<double>(test::bytes_read() - before) / static_cast<double>(text.size());
  };
  EXPECT_LT(times("text", "type = \"char\"\n", "a"), 1.5);
  EXPECT_LT(times("text", "type = \"char\"\n", "a", true), 1.5) << "to see that it is the same";
  EXPECT_LT(times("text", "from = \"" + dir / "a" + "\"\n", "b"), 1.5) << "held nowhere";
  EXPECT_LT(times("lines", "type = \"char\"\n", "c"), 1.5);
}

}  // namespace
}  // namespace jogak
