// Commands that write: what is there and is not theirs stays, and is named before anything is read.
#include <filesystem>

#include "base/file.h"
#include "base/hash/hash.h"
#include "base/json.h"
#include "tests/cli/process.h"
#include "tests/cli/small_runs.h"
#include "tests/support/expect.h"
#include "tests/support/places.h"
#include "tests/support/temp_dir.h"
#include "train/lock.h"

namespace jogak {
namespace {

class Overwrite : public testing::Test {
 protected:
  TempDir dir;
  const std::string golden = source_path("tests/goldens/gpt2-a");

  void SetUp() override {
    write_file(dir / "r.toml", small_runs()[0].recipe);
    std::filesystem::copy(golden, dir / "hf");
  }
  // Names and contents of all files below.
  static std::string contents(const std::string& folder) {
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
      if (entry.is_regular_file() && entry.path().filename() != ".lock")
        out.push_back(entry.path().string() + " " + sha256_file(entry.path().string()));
    std::sort(out.begin(), out.end());
    std::string all;
    for (const std::string& line : out) all += line + "\n";
    return all;
  }
  void refused(const Arguments& arguments, const std::string& target, const std::string& what) {
    const std::string before = contents(dir / ".");
    const Result got = jogak(arguments);
    EXPECT_EQ(got.code, 2) << got.err;
    EXPECT_EQ(got.err.find("jogak: " + target + ": " + what), 0u) << got.err;
    EXPECT_NE(got.err.find("--overwrite"), std::string::npos) << got.err;
    EXPECT_EQ(contents(dir / "."), before);
  }
};

TEST_F(Overwrite, ModelsRunsAndTheDemo) {
  const std::string hf = dir / "hf", run = dir / "run", recipe = dir / "r.toml";
  refused({"train", recipe, "--out", hf}, hf, "holds a gpt2 model");
  refused({"train", recipe, "--set", "model.from=" + hf, "--out", hf}, hf, "is read here");
  refused({"train", recipe, "--set", "data.make=", "--set", "data.train=none.txt", "--out", hf}, hf,
          "holds a gpt2 model");  // before the data is looked for
  ASSERT_EQ(jogak({"train", recipe, "--steps", "2", "--out", run}).code, 0);
  refused({"demo", "--out", run, "--steps", "1"}, run, "holds a run at step 2");
  refused({"train", recipe, "--out", run}, run, "holds a run at step 2");
  refused({"new", run}, run, "holds a run at step 2");
  refused({"new", hf, "--tokenizer", run}, hf, "holds a gpt2 model");
  std::filesystem::create_directory(dir / "mine");  // the recipe, and where its run is to go
  write_file(dir / "mine/recipe.toml", "# why it is so\n" + small_runs()[0].recipe);
  refused({"train", dir / "mine/recipe.toml", "--out", dir / "mine"}, dir / "mine",
          "holds recipe.toml");
  refused({"export", source_path("tests/goldens/lab-a"), recipe}, recipe, "holds a file of");
  const Result again = jogak({"train", recipe, "--steps", "3", "--out", run, "--overwrite"});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(committed_steps(run).back(), 3);
  EXPECT_FALSE(file_exists(run + ".new"));
  EXPECT_EQ(jogak({"train", recipe, "--steps", "3", "--out", dir / "plain"}).code, 0);
  EXPECT_EQ(outcome(run), outcome(dir / "plain")) << "nothing of the old run is left in the new";
  const Result made = jogak({"new", hf, "--set", "vocab_size=7", "--overwrite"});
  EXPECT_EQ(made.code, 0) << made.err;
}

TEST_F(Overwrite, ADemoThatSomebodyWentOnWithIsNoDemoToReplace) {
  const std::string run = dir / "demo";
  ASSERT_EQ(jogak({"demo", "--out", run, "--steps", "1"}).code, 0);
  const Result again = jogak({"demo", "--out", run, "--steps", "1", "--seed", "2"});
  ASSERT_EQ(again.code, 0) << again.err;
  ASSERT_EQ(jogak({"train", "--resume", "--out", run, "--steps", "2"}).code, 0);
  refused({"demo", "--out", run, "--steps", "1"}, run, "holds a run at step 2");
}

TEST_F(Overwrite, AdaptersAreNotMergedIntoTheirBase) {
  const std::string base = dir / "base", lora = dir / "lora";
  ASSERT_EQ(jogak({"train", dir / "r.toml", "--steps", "2", "--out", base}).code, 0);
  const Arguments tune = {"train", dir / "r.toml",       "--steps",     "2",
                          "--set", "model.from=" + base, "--lora-rank", "2",
                          "--out"};
  Arguments into = tune;
  into.push_back(base), into.push_back("--overwrite");
  EXPECT_NE(jogak(into).err.find("is the model that adapters are trained for"), std::string::npos);
  into = tune;
  into.push_back(lora);
  const Result tuned = jogak(into);
  ASSERT_EQ(tuned.code, 0) << tuned.err;
  refused({"merge", lora, "--out", base}, base, "holds a run at step 2");
  refused({"merge", lora, "--out", lora}, lora, "is read here");
  const std::string before = contents(base);
  const Result twice = jogak({"merge", lora, "--out", base, "--overwrite"});
  EXPECT_EQ(twice.code, 2);
  EXPECT_NE(twice.err.find("is the model that the adapters belong to"), std::string::npos)
      << twice.err;
  EXPECT_EQ(contents(base), before);
  EXPECT_EQ(jogak({"merge", lora, "--out", dir / "merged"}).code, 0);
  EXPECT_TRUE(file_exists(dir / "merged/model.safetensors"));
}

TEST_F(Overwrite, FilesAndTokenizers) {
  const std::string in = golden + "/golden.safetensors", text = dir / "dates.txt";
  std::filesystem::copy(in, dir / "in.safetensors");
  const Arguments forward = {"forward", golden, "--input", dir / "in.safetensors", "--output"};
  const auto to = [&](const std::string& file) {
    Arguments out = forward;
    out.push_back(file);
    return out;
  };
  refused(to(dir / "in.safetensors"), dir / "in.safetensors", "is read here");
  refused(to(dir / "hf/model.safetensors"), dir / "hf/model.safetensors", "holds a file of");
  refused({"forward", golden, "--example", dir / "hf/model.safetensors"},
          dir / "hf/model.safetensors", "holds a file of");
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(jogak({"forward", golden, "--example", dir / "example.safetensors"}).code, 0);
  const std::string theirs = dir / "reference.safetensors";  // logits, but of another program
  std::filesystem::copy(in, theirs);
  refused(to(theirs), theirs, "holds a file of");
  EXPECT_EQ(jogak(to(dir / "out.safetensors")).code, 0);
  EXPECT_EQ(jogak(to(dir / "out.safetensors")).code, 0) << "an output replaces an output";
  const Arguments make = {"data", "make", "dates", text, "--count", "40"};
  EXPECT_EQ(jogak(make).code, 0);
  refused(make, text, "holds a file of");
  const Arguments shapes = {"data", "make", "shapes", dir / "shapes", "--count", "3"};
  EXPECT_EQ(jogak(shapes).code, 0);
  refused(shapes, dir / "shapes", "holds circle and 2 more");
  refused({"data", "make", "shapes", dir / "hf", "--count", "3"}, dir / "hf", "holds a gpt2 model");
  refused({"tokenizer", "train", "--type", "char", "--files", text, "--out", dir / "hf"},
          dir / "hf", "holds a gpt2 model");
  Arguments train = {"tokenizer", "train", "--type", "char", "--files", text, "--out", dir / "tok"};
  EXPECT_EQ(jogak(train).code, 0);
  refused(train, dir / "tok", "holds a tokenizer");
  train.push_back("--overwrite");
  EXPECT_EQ(jogak(train).code, 0);
  const Arguments picture = {"explain", "softmax", "--svg"};
  Arguments fresh = picture, other = picture;
  fresh.push_back(dir / "a.svg"), other.push_back(text);
  EXPECT_EQ(jogak(fresh).code, 0);
  EXPECT_EQ(jogak(fresh).code, 0) << "a picture replaces a picture";
  refused(other, text, "holds a file of");
  const std::string photo = dir / "photo.png";  // somebody's, or what the picture is drawn of
  write_file(photo, "\x89PNG\r\n somebody's");
  refused({"inspect", "attention", golden, "--out", photo}, photo, "holds a file of");
  const std::string shape = dir / "shapes/circle/" + list_directory(dir / "shapes/circle")[0];
  refused({"inspect", "attention", golden, "--image", shape, "--out", shape}, shape,
          "is read here");
  refused({"info", golden, "--parity", dir / "hf/config.json"}, dir / "hf/config.json",
          "holds a file of");
}

TEST_F(Overwrite, WhatConvertQuantizeAndStudyWrite) {
  const std::string hf = dir / "hf", run = dir / "run", recipe = dir / "r.toml";
  const std::string gguf = source_path("tests/goldens/gguf/gpt2.gguf");
  ASSERT_EQ(jogak({"train", recipe, "--steps", "2", "--out", run}).code, 0);
  refused({"quantize", run, hf}, hf, "holds a gpt2 model");
  refused({"quantize", hf, hf}, hf, "is read here");
  refused({"quantize", hf, run}, run, "holds a run at step 2");
  refused({"convert", gguf, hf}, hf, "holds a gpt2 model");
  refused({"convert", gguf, run}, run, "holds a run at step 2");
  refused({"study", recipe, "--out", hf}, hf, "holds a gpt2 model");
  refused({"study", recipe, "--out", run}, run, "holds a run at step 2");
  write_file(dir / "notes.svg", "mine");
  EXPECT_EQ(jogak({"study", recipe, "--out", dir / "notes.svg", "--overwrite"}).err,
            "jogak: " + dir / "notes.svg" + ": is a file, wanted a directory to write to\n");
  EXPECT_EQ(jogak({"data", "make", "sort", hf, "--overwrite"}).err,
            "jogak: " + hf + ": is a directory, wanted a file to write to\n");
  refused({"ablate", run, "--text", "b a", "--off", "ffn:0", "--out", dir / "notes.svg"},
          dir / "notes.svg", "holds a file of");
  const Result made = jogak({"convert", gguf, hf, "--overwrite"});
  EXPECT_EQ(made.code, 0) << made.err;
}

TEST_F(Overwrite, AConversationIsSavedWhereNothingElseIs) {
  const std::string chat = dir / "chat", notes = dir / "notes.json", own = dir / "own.json";
  ASSERT_EQ(jogak({"train", dir / "r.toml", "--steps", "2", "--out", chat}).code, 0);
  write_file(chat + "/chat_template.jinja",
             "{% for m in messages %}{{ m.content }}{% endfor %} = ");
  write_file(notes, "mine");
  const std::string save = "/save " + own + "\n";
  const Result got = jogak({"chat", chat, "-n", "2"}, {.input = "b a\n/save " + notes + "\n" +
                                                                save + "b\n" + save + "/exit\n"});
  EXPECT_EQ(got.code, 0) << got.err;
  EXPECT_NE(got.err.find(notes + ": holds a file of 4 B; choose another name"), std::string::npos)
      << got.err;
  EXPECT_EQ(read_file(notes), "mine");
  EXPECT_EQ(parse_json(read_file(own), own).items().size(), 4u) << "its own it replaces";
}

TEST_F(Overwrite, AFailedRunLeavesNothing) {
  const Arguments wrong = {"train", dir / "r.toml",        "--set", "data.make=",
                           "--set", "data.train=none.txt", "--out", dir / "x"};
  EXPECT_EQ(jogak(wrong).code, 66);
  EXPECT_FALSE(file_exists(dir / "x"));
  Arguments deep = wrong;
  deep.back() = dir / "deep/er/x";
  EXPECT_EQ(jogak(deep).code, 66);
  EXPECT_FALSE(file_exists(dir / "deep")) << "nor the folders above it";
}

// What cannot be is said before the data is looked for.
TEST_F(Overwrite, ARunThatIsFurtherOrInUseSaysSoFirst) {
  const std::string run = dir / "run", nowhere = "data.train=none.txt";
  ASSERT_EQ(jogak({"train", dir / "r.toml", "--steps", "3", "--out", run}).code, 0);
  const std::string before = contents(run);
  const Result back = jogak(
      {"train", "--resume", "--out", run, "--steps", "2", "--set", "data.make=", "--set", nowhere});
  EXPECT_EQ(back.code, 2);
  EXPECT_EQ(back.err,
            "jogak: " + run + ": the run is at step 3, beyond the 2 steps it is asked for\n");
  const DirectoryLock somebody(run);
  const Result second =
      jogak({"train", "--resume", "--out", run, "--set", "data.make=", "--set", nowhere});
  EXPECT_EQ(second.code, 75);
  EXPECT_NE(second.err.find("another training is running here"), std::string::npos) << second.err;
  const std::string text = dir / "r.toml", gguf = source_path("tests/goldens/gguf/gpt2.gguf");
  for (const Arguments& over :
       {Arguments{"new", run}, Arguments{"quantize", golden, run}, Arguments{"convert", gguf, run},
        Arguments{"tokenizer", "train", "--type", "char", "--files", text, "--out", run}}) {
    Arguments insisting = over;
    insisting.push_back("--overwrite");
    const Result got = jogak(insisting);
    EXPECT_EQ(got.code, 75) << over[0] << got.err;
    EXPECT_NE(got.err.find("another training is running here"), std::string::npos) << got.err;
  }
  EXPECT_EQ(contents(run), before);
}

TEST_F(Overwrite, AdaptersOfLayersThatAreNotThereAreRefused) {
  const std::string base = dir / "base", lora = dir / "lora";
  ASSERT_EQ(jogak({"train", dir / "r.toml", "--steps", "2", "--out", base}).code, 0);
  Arguments tune = {
      "train", dir / "r.toml", "--steps", "2",    "--set", "model.from=" + base, "--lora-rank",
      "2",     "--out",        lora,      "--set"};
  Arguments wrong = tune;
  wrong.push_back("train.lora_targets=c_attn, c_pro");
  const Result refused = jogak(wrong);
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("train.lora_targets: the model has no layer \"c_pro\" that takes "
                             "adapters (did you mean \"c_proj\"?)"),
            std::string::npos)
      << refused.err;
  EXPECT_FALSE(file_exists(lora));
  tune.push_back("train.lora_targets=c_attn, mlp.c_proj");
  const Result tuned = jogak(tune);
  ASSERT_EQ(tuned.code, 0) << tuned.err;
  const Result told = jogak({"info", lora, "--json"});
  ASSERT_EQ(told.code, 0) << told.err;
  const Json info = parse_json(told.out, "info");
  EXPECT_EQ(info.find("adapter")->find("rank")->integer(), 2);
  EXPECT_EQ(info.find("adapter")->find("targets")->items().size(), 2u);
  EXPECT_EQ(file_name(info.find("adapter")->find("base")->text()), "base");
  EXPECT_GT(info.find("parameters")->integer(), 0);
  EXPECT_NE(jogak({"info", lora}).out.find("rank 2"), std::string::npos);
}

}  // namespace
}  // namespace jogak
