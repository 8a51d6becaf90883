// A run knows its data: what changed is named, what only moved is not.
#include "app/train/run_inputs.h"

#include <filesystem>

#include "app/train/train.h"
#include "base/file.h"
#include "tests/io/bytes.h"
#include "tests/support/expect.h"
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
  EXPECT_EQ(names("[data]\nkind = \"series\"\nmake = \"series\"\n"),
            (std::vector<std::string>{"data.kind", "data.make", "data.count", "data.valid_count",
                                      "data.seed", "data.train_rows", "data.valid_rows",
                                      "data.test_rows"}));
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
    write_plain(dir / "b.txt", text.replace(7, 1, "b"));  // as long, of the same letters but one
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

}  // namespace
}  // namespace jogak
