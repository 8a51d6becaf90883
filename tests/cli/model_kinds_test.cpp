// Shards and images that are malformed, by the commands: one line, and the exit code. Other kinds
// are in tests/malformed.
#include <filesystem>

#include "io/model_files.h"
#include "io/safetensors.h"
#include "tests/cli/process.h"
#include "tests/data/png.h"
#include "tests/support/config_kinds.h"
#include "tests/support/expect.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

using config_kinds::golden_path;

void expect_line(const Result& got, int code, const std::string& start) {
  EXPECT_EQ(got.code, code) << got.err.substr(0, 400);
  EXPECT_TRUE(got.err.starts_with("jogak: " + start)) << got.err.substr(0, 400);
  EXPECT_EQ(got.err.find('\n'), got.err.size() - 1);
  EXPECT_EQ(got.out, "");
}

TEST(MalformedModels, ShardsGive65AndMissingOnes66) {
  const TempDir dir;
  write_file(dir / "config.json", read_file(golden_path("gpt2-a") + "/config.json"));
  const Arguments info = {"info", dir.path()};
  expect_line(jogak(info), 66, dir.path() + ": found neither model.safetensors nor ");
  const std::string index = dir / kModelIndexFile;
  write_file(index, R"({"weight_map":{"a":"../one.safetensors"}})");
  expect_line(jogak(info), 65, index + ": byte 19: ");
  write_file(index, R"({"weight_map":{"a":"one.safetensors"}})");
  expect_line(jogak(info), 66, dir / "one.safetensors: no such file; ");
  save_safetensors(dir / "one.safetensors", {{"b", scalar(1)}});
  expect_line(jogak(info), 65, index + ": byte 19: tensor \"a\" is listed in ");
  std::filesystem::remove(dir / "one.safetensors");
  make_directories(dir / "one.safetensors");
  expect_line(jogak(info), 65, dir / "one.safetensors: ");
}

TEST(MalformedImages, Give65AndMissingOnes66) {
  const TempDir dir;
  const std::string vit = golden_path("vit-a"), image = dir / "a.png";
  using test::png;
  for (const std::string& bytes :
       {std::string(), std::string("GIF89a...."), png({.width = 60000, .height = 60000}, "x"),
        png({}, "x"), std::string("\xFF\xD8\xFF\xD9")}) {
    write_file(image, bytes);
    expect_line(jogak({"classify", vit, image}), 65, image + ": byte ");
  }
  expect_line(jogak({"classify", vit, dir / "none.png"}), 66, dir / "none.png: ");
}

}  // namespace
}  // namespace jogak
