// A language model that was trained with its own tokenizer can end: the token is named wherever
// transformers looks for it.
#include "app/train/train.h"
#include "base/file.h"
#include "tests/support/expect.h"
#include "tests/support/temp_dir.h"
#include "text/tokenizer.h"

namespace jogak {
namespace {

TEST(EndToken, StandsInEveryFileOfARunOnText) {
  const TempDir dir;
  std::string text;
  for (int i = 0; i < 80; ++i) text += "the cat sat on the mat. ";
  write_file(dir / "t.txt", text);
  for (const char* type : {"char", "bpe"}) {
    const std::string run = dir / type;
    const char* const size = std::string(type) == "char" ? "" : "vocab_size = 270\n";
    run_training({.recipe = parse_recipe(
                      text_of("[model]\nn_layer = 1\nn_embd = 16\nn_head = 2\nn_positions = 16\n"
                              "[tokenizer]\n",
                              size, "type = \"", type, "\"\n[data]\ntrain = \"", dir / "t.txt",
                              "\"\n[train]\nsteps = 1\nbatch = 2\n"),
                      "r.toml"),
                  .out = run,
                  .quiet = true});
    const Tokenizer tokenizer = Tokenizer::load(run);
    const auto end = tokenizer.role_id("eos_token");
    ASSERT_TRUE(end.has_value()) << type;
    EXPECT_TRUE(tokenizer.is_special(*end));
    for (const char* file : {"config.json", "generation_config.json"}) {
      const Json json = read_json_file(join_path(run, file));
      ASSERT_NE(json.find("eos_token_id"), nullptr) << file;
      EXPECT_EQ(*json.find("eos_token_id"), Json(*end)) << file;
    }
    const Json config = read_json_file(run + "/tokenizer_config.json");
    EXPECT_EQ(*config.find("eos_token"), Json("<|endoftext|>"));
  }
}

}  // namespace
}  // namespace jogak
