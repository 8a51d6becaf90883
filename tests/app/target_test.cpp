// Nothing of the user's is written over: what is there is named, and stays unless they say so.
#include "app/models/target.h"

#include <filesystem>

#include "app/models/target_run.h"
#include "base/file.h"
#include "data/image.h"
#include "draw/svg.h"
#include "tests/support/expect.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

class Targets : public testing::Test {
 protected:
  TempDir dir;

  std::string directory(const std::string& name, const std::vector<std::string>& files) {
    for (const std::string& file : files) put(name + "/" + file, "old " + file);
    return dir / name;
  }
  void put(const std::string& name, const std::string& text) {
    make_directories(std::filesystem::path(dir / name).parent_path());
    write_file(dir / name, text);
  }
  std::vector<std::string> entries() { return list_directory(dir / "."); }
};

TEST_F(Targets, WhatIsThereIsNamed) {
  EXPECT_EQ(what_is_there(dir / "none"), "");
  std::filesystem::create_directory(dir / "empty");
  EXPECT_EQ(what_is_there(dir / "empty"), "");
  EXPECT_EQ(what_is_there(directory("run", {"config.json", "checkpoints/step-00000120/state.json",
                                            "checkpoints/step-00000007/state.json"})),
            "a run at step 120");
  EXPECT_EQ(what_is_there(directory("lora", {"adapter_config.json"})), "adapters");
  put("hf/config.json", R"({"model_type": "gpt2"})");
  EXPECT_EQ(what_is_there(dir / "hf"), "a gpt2 model");
  EXPECT_EQ(what_is_there(directory("odd", {"config.json"})), "a model");
  EXPECT_EQ(what_is_there(directory("shards", {"model-00001-of-00002.safetensors"})), "a model");
  EXPECT_EQ(what_is_there(directory("tok", {"tokenizer.json"})), "a tokenizer");
  EXPECT_EQ(what_is_there(directory("more", {"a", "b", "c"})), "a and 2 more");
  EXPECT_EQ(what_is_there(dir / "more/a"), "a file of 5 B");
}

TEST_F(Targets, ADirectoryIsWrittenWholeOrNotAtAll) {
  const std::string out = directory("model", {"config.json", "notes.txt"});
  EXPECT_EQ(error_of<UsageError>([&] { TargetDirectory({out}, is_model_file); }),
            out + ": holds a model; choose another directory, or say --overwrite");
  EXPECT_EQ(error_of<UsageError>([&] {
              TargetDirectory({out, false, {dir / "./model"}}, is_model_file);
            }),
            out +
                ": is read here and would be written over; choose another directory, or say "
                "--overwrite");
  {
    TargetDirectory target({out, true}, is_model_file);
    write_file(join_path(target.path(), "config.json"), "new");
    EXPECT_EQ(read_file(out + "/config.json"), "old config.json");
  }
  EXPECT_EQ(read_file(out + "/config.json"), "old config.json") << "it was not finished";
  EXPECT_EQ(entries(), std::vector<std::string>{"model"}) << "and nothing is left of it";
  TargetDirectory target({out, true}, is_model_file);
  write_file(join_path(target.path(), "config.json"), "new");
  target.finish();
  EXPECT_EQ(read_file(out + "/config.json"), "new");
  EXPECT_EQ(read_file(out + "/notes.txt"), "old notes.txt") << "not ours to remove";
  TargetDirectory fresh({dir / "a/b"}, is_model_file);
  write_file(join_path(fresh.path(), "config.json"), "new");
  fresh.finish();
  EXPECT_EQ(read_file(dir / "a/b/config.json"), "new");
  put("file", "x");
  error_of<UsageError>([&] { TargetDirectory({dir / "file", true}, is_model_file); });
}

// Another tokenizer, or pictures among its files, would make another model of it.
TEST_F(Targets, AModelTakesInNothingElse) {
  const std::string out = directory("model", {"config.json", "model.safetensors"});
  EXPECT_EQ(error_of<UsageError>([&] { TargetDirectory({out}, is_tokenizer_file); }),
            out + ": holds a model; choose another directory, or say --overwrite");
  TargetDirectory({out, true}, is_tokenizer_file);
  directory("notes", {"a.txt"});
  TargetDirectory({dir / "notes"}, is_tokenizer_file);
}

// What says how vectors are pooled, or how a conversation is written, goes with the model.
TEST_F(Targets, NothingOfTheOldModelSpeaksForTheNew) {
  const std::string out = directory(
      "model", {"config.json", "modules.json", "1_Pooling/config.json", "chat_template.jinja",
                "added_tokens.json", "special_tokens_map.json", "notes.txt"});
  TargetDirectory target({out, true}, is_run_file);
  write_file(join_path(target.path(), "config.json"), "new");
  target.finish();
  EXPECT_EQ(list_directory(out), (std::vector<std::string>{"config.json", "notes.txt"}));
}

TEST_F(Targets, AFileOfAnotherKindStays) {
  put("a.svg", svg_file({.width = 1, .height = 1, .title = "t"}, ""));
  put("photo.png", "\x89PNG\r\n and pixels");
  put("other.svg", "<svg></svg>");
  put("state.json", "{\n \"schema\": 1,\n \"step\": 3\n}");
  for (const char* somebodys : {"photo.png", "other.svg", "state.json"})
    error_of<UsageError>([&] { check_target_file({dir / somebodys}, is_drawing); });
  put("ours.png", encode_png({1, 1, 1, {0}}));
  check_target_file({dir / "ours.png"}, is_drawing);
  put("b.svg", "my notes");
  check_target_file({dir / "a.svg"}, is_drawing);
  check_target_file({dir / "none.svg"}, is_drawing);
  check_target_file({"/dev/null"});
  EXPECT_EQ(error_of<UsageError>([&] { check_target_file({dir / "b.svg"}, is_drawing); }),
            dir / "b.svg" + ": holds a file of 8 B; choose another name, or say --overwrite");
  check_target_file({dir / "b.svg", true}, is_drawing);
  error_of<UsageError>([&] {
    check_target_file({dir / "a.svg", false, {dir / "a.svg"}}, is_drawing);
  });
  error_of<UsageError>([&] { check_target_file({dir / "a.svg"}); });
  for (const bool overwrite : {false, true})
    EXPECT_EQ(error_of<UsageError>([&] {
                check_target_file({dir / ".", overwrite});
              }),
              dir / "." + ": is a directory, wanted a file to write to");
}

TEST_F(Targets, ARunThatFailsLeavesNothing) {
  {
    TargetRun target({dir / "fresh"}, false);
    make_directories(target.path() + "/cache");
  }
  const std::string used = directory("used", {"notes.txt"});
  {
    TargetRun target({used}, false);
    write_file(join_path(target.path(), "recipe.toml"), "x");
  }
  EXPECT_EQ(entries(), std::vector<std::string>{"used"});
  EXPECT_EQ(list_directory(used), std::vector<std::string>{"notes.txt"});
  {
    TargetRun target({dir / "saved"}, false);
    put("saved/checkpoints/step-00000001/state.json", "x");
  }
  EXPECT_TRUE(file_exists(dir / "saved/checkpoints/step-00000001/state.json"));
}

TEST_F(Targets, ARunIsReplacedWhenTheNewOneHasEnded) {
  const std::string run =
      directory("run", {"checkpoints/step-00000009/state.json", "metrics.jsonl", "notes.txt"});
  EXPECT_EQ(error_of<UsageError>([&] { TargetRun({run}, false); }),
            run +
                ": holds a run at step 9; go on with --resume, choose another directory, or say "
                "--overwrite");
  EXPECT_EQ(TargetRun({run}, true).path(), run);
  put("hf/config.json", R"({"model_type": "gpt2"})");
  EXPECT_EQ(error_of<UsageError>([&] { TargetRun({dir / "hf/"}, false); }),
            dir / "hf" + ": holds a gpt2 model; choose another directory, or say --overwrite");
  directory("begun", {"metrics.jsonl"});
  put("begun/recipe.toml", "schema = 1\n\n[model]\n");
  EXPECT_EQ(TargetRun({dir / "begun"}, false).path(), dir / "begun") << "it has no checkpoint";
  put("begun/recipe.toml", "schema = 1\n\n[model]\n# why\n");  // somebody's
  error_of<UsageError>([&] { TargetRun({dir / "begun"}, false); });
  {
    TargetRun target({run, true}, false);
    EXPECT_EQ(target.path(), run + ".new");
    put("run.new/checkpoints/step-00000002/state.json", "new");
    EXPECT_TRUE(file_exists(run + "/checkpoints/step-00000009/state.json"));
    target.finish();
  }
  EXPECT_EQ(what_is_there(run), "a run at step 2");
  EXPECT_FALSE(file_exists(run + "/metrics.jsonl")) << "of the old run";
  EXPECT_TRUE(file_exists(run + "/notes.txt"));
  EXPECT_FALSE(file_exists(run + ".new"));
  put("run.new/checkpoints/step-00000001/state.json", "unfinished");
  EXPECT_NE(error_of<UsageError>([&] {
              TargetRun({run, true}, false);
            }).find("--resume --out"),
            std::string::npos);
}

}  // namespace
}  // namespace jogak
