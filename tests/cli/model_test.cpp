// The commands that need a model, on models small enough to make here.
#include "base/file.h"
#include "base/json.h"
#include "io/safetensors.h"
#include "tests/cli/process.h"
#include "tests/support/expect.h"
#include "tests/support/places.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

const std::string kGolden = source_path("tests/goldens/gpt2-a");

Json json_of(const Result& got) {
  EXPECT_EQ(got.code, 0) << got.err;
  EXPECT_EQ(got.out.find('\n'), got.out.size() - 1) << "one line: " << got.out;
  return parse_json(got.out.empty() ? "{}" : got.out, "stdout");
}

class ModelCommands : public testing::Test {
 protected:
  TempDir dir;
  std::string model = dir / "model";

  void SetUp() override {
    write_file(dir / "a.txt", "the quick brown fox jumps over the lazy dog. 다람쥐 헌 쳇바퀴\n");
    ASSERT_EQ(jogak({"tokenizer", "train", "--type", "char", "--special", "<|endoftext|>",
                     "--files", dir / "a.txt", "--out", dir / "tok"})
                  .code,
              0);
    const Result made = jogak({"new", model, "--set", "n_layer=2", "--set", "n_embd=32", "--set",
                               "n_head=4", "--set", "n_positions=48", "--tokenizer", dir / "tok"});
    ASSERT_EQ(made.code, 0) << made.err;
  }
};

// Names of tensors and files stay as they are; what the rows and columns are called does not.
TEST_F(ModelCommands, TablesSpeakKorean) {
  const auto begins_a_line = [](const std::string& text, const std::string& word) {
    return ("\n" + text).find("\n" + word + " ") != std::string::npos;
  };
  const std::string english = jogak({"info", model}).out;
  const std::string korean = jogak({"info", model, "--lang", "ko"}).out;
  for (const char* word : {"family", "command", "parameters", "memory", "layers", "vocabulary",
                           "tokenizer", "part", "tensor"}) {
    EXPECT_TRUE(begins_a_line(english, word)) << word;
    EXPECT_FALSE(begins_a_line(korean, word)) << word;
  }
  EXPECT_NE(korean.find("토크나이저"), std::string::npos);
  for (const char* what : {"train", "generate"}) {
    Arguments bench = {"bench",    what,    "--family", "gpt2",         "--set",
                       "n_embd=8", "--set", "n_head=2", "--seq",        "8",
                       "--steps",  "2",     "--set",    "vocab_size=50"};
    bench.insert(bench.end(), {"--lang", "ko"});
    const std::string table = jogak(bench).out;
    EXPECT_NE(table.find("매개변수"), std::string::npos) << table;
    bench.emplace_back("--json");
    const Json keys = json_of(jogak(bench));
    for (const auto& [key, value] : keys.members()) EXPECT_FALSE(begins_a_line(table, key)) << key;
  }
}

TEST_F(ModelCommands, InfoTellsWhatIsThere) {
  const Json info = json_of(jogak({"info", model, "--json"}));
  EXPECT_EQ(info.find("model_type")->text(), "gpt2");
  EXPECT_EQ(info.find("layers")->integer(), 2);
  EXPECT_GT(info.find("parameters")->integer(), 20000);
  EXPECT_EQ(info.find("bytes")->integer(), 4 * info.find("parameters")->integer());
  EXPECT_NE(jogak({"info", model}).out.find("transformer.wte.weight"), std::string::npos);
  const Result again = jogak({"new", model});
  EXPECT_EQ(again.code, 2) << "a model is not overwritten";
}

TEST_F(ModelCommands, GenerateGivesJsonTextAndPieces) {
  const Arguments same = {"generate", model, "-p", "the ", "-n", "20", "--seed", "3"};
  Arguments json = same;
  json.push_back("--json");
  const Json got = json_of(jogak(json));
  const std::string text = got.find("text")->text();
  EXPECT_FALSE(text.empty());
  EXPECT_TRUE(got.find("finish_reason")->text() == "length" ||
              got.find("finish_reason")->text() == "stop");
  EXPECT_LE(got.find("ids")->items().size(), 20u);
  EXPECT_EQ(jogak(same).out, text + "\n");
  Arguments stream = same;
  stream.push_back("--stream");
  EXPECT_EQ(jogak(stream).out, text + "\n");
  EXPECT_EQ(jogak({"generate", model, "-n", "20", "--seed", "3"}, {.input = "the "}).out,
            text + "\n")
      << "the prompt from standard input";
  EXPECT_EQ(jogak({"generate", model, "the ", "the ", "-n", "20", "--seed", "3"}).out,
            text + "\n" + text + "\n")
      << "texts as arguments";
  EXPECT_EQ(jogak({"generate", model, "the ", "-p", "the "}).code, 2);
  const Json beams = json_of(jogak({"generate", model, "-p", "the ", "--beams", "3", "--json"}));
  EXPECT_GT(beams.find("ids")->items().size(), 0u);
}

TEST_F(ModelCommands, GenerateRefusesWhatDoesNotFit) {
  const Result longer = jogak({"generate", model, "-p", std::string(60, 'a')});
  EXPECT_EQ(longer.code, 2);
  EXPECT_EQ(longer.err,
            "jogak: prompt: found 60 tokens, wanted at most 47: the model's context is 48 tokens, "
            "one of them new\n");
  EXPECT_EQ(jogak({"generate", model, "-p", "a", "--json", "--stream"}).code, 2);
  EXPECT_EQ(jogak({"generate", kGolden, "-p", "a"}).code, 66) << "no tokenizer";
  const std::string tokenizer = read_file(model + "/tokenizer.json");
  write_file(model + "/tokenizer.json",
             R"({"model":{"type":"WordLevel","unk_token":"a","vocab":{"a":100}}})");
  const Result beyond = jogak({"generate", model, "-p", "a"});
  EXPECT_EQ(beyond.code, 65);
  EXPECT_TRUE(beyond.err.starts_with("jogak: " + model + ": the tokenizer has 101 tokens"))
      << beyond.err;
  write_file(model + "/tokenizer.json", tokenizer);
  write_file(model + "/model.safetensors", "nonsense");
  EXPECT_EQ(jogak({"generate", model, "-p", "a"}).code, 65);
}

TEST_F(ModelCommands, ForwardWritesNamedTensors) {
  const std::string in = std::string(kGolden) + "/golden.safetensors",
                    out = dir / "out.safetensors";
  const SafetensorsFile golden(in);
  save_safetensors(dir / "in.safetensors",
                   {{"input_ids", golden.get("input_ids")}, {"labels", golden.get("labels")}});
  const Result got = jogak({"forward", kGolden, "--input", dir / "in.safetensors", "--output", out,
                            "--grads", "--hidden", "--attentions"});
  EXPECT_EQ(got.code, 0) << got.err;
  EXPECT_EQ(got.out, "");
  const SafetensorsFile wrote(out);
  for (const char* name : {"logits", "loss", "hidden_states.0", "hidden_states.2", "attentions.1",
                           "grads.transformer.wte.weight"})
    EXPECT_TRUE(wrote.has(name)) << name;
  EXPECT_NEAR(item(wrote.get("loss")), item(golden.get("loss")), 1e-4);
  EXPECT_EQ(jogak({"forward", kGolden, "--input", dir / "in.safetensors"}).code, 2);
}

// As transformers does when it is asked to; a size that positions were learnt for needs no word.
TEST_F(ModelCommands, ForwardSaysThatImagesHaveAnotherSize) {
  const std::string images = source_path("tests/goldens/vit-b"), in = dir / "in.safetensors";
  const auto said = [&](const Shape& shape) {
    save_safetensors(in, {{"pixel_values", full(shape, 0.1f)}});
    const Result got = jogak(
        {"forward", images, "--input", in, "--output", dir / "out.safetensors", "--overwrite"});
    EXPECT_EQ(got.code, 0) << got.err;
    return got.err;
  };
  EXPECT_EQ(said({1, 3, 16, 16}), "");
  EXPECT_EQ(said({1, 3, 28, 20}),
            "jogak: warning: images of 28 x 20, where positions were learnt for 16 x 16: they are "
            "spread over the other grid\n");
}

constexpr char kRecipe[] = R"(schema = 1
[model]
family = "gpt2"
preset = "tiny"
n_layer = 1
n_embd = 16
n_head = 2
n_positions = 40
[tokenizer]
type = "char"
[data]
make = "sort"
count = 500
valid_count = 50
[train]
steps = 8
batch = 4
eval_every = 4
checkpoint_every = 4
warmup = 2
)";

TEST_F(ModelCommands, TrainEvaluateAndBench) {
  write_file(dir / "r.toml", kRecipe);
  const Arguments train = {"train", dir / "r.toml", "--out", dir / "run", "--json"};
  Arguments dry = train;
  dry.push_back("--dry-run");
  EXPECT_GT(json_of(jogak(dry)).find("predicted_peak_mb")->number(), 0);
  EXPECT_FALSE(file_exists(dir / "run/model.safetensors"));
  const Json done = json_of(jogak(train));
  EXPECT_EQ(done.find("step")->integer(), 8);
  for (const char* key : {"train_loss", "valid_loss", "tokens_per_s", "peak_rss_mb"})
    EXPECT_TRUE(done.find(key)->is_number()) << key;
  const Json more =
      json_of(jogak({"train", "--resume", "--out", dir / "run", "--steps", "12", "--json"}));
  EXPECT_EQ(more.find("step")->integer(), 12);
  const Json score =
      json_of(jogak({"eval", dir / "run", "--make", "sort", "--count", "20", "--json"}));
  for (const char* key : {"loss", "perplexity", "exact_match"})
    EXPECT_TRUE(score.find(key)->is_number()) << key;
  const Json bench = json_of(jogak({"bench", "train", "--preset", "tiny", "--set", "n_layer=1",
                                    "--batch", "2", "--seq", "16", "--steps", "2", "--json"}));
  EXPECT_GT(bench.find("ms_per_step")->number(), 0);
  EXPECT_EQ(bench.find("recompute"), nullptr);
  const Json again =
      json_of(jogak({"bench", "train", "--preset", "tiny", "--set", "n_layer=1", "--batch", "2",
                     "--seq", "16", "--steps", "2", "--recompute", "--json"}));
  EXPECT_TRUE(again.find("recompute")->boolean());
}

// Dropout and micro-batches: the same bytes, from less memory, as --dry-run said before.
TEST_F(ModelCommands, RecomputingGivesTheSameModelInThePredictedMemory) {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += text_of("line ", i * 7919 % 1000, " of it\n");
  write_file(dir / "text.txt", text);
  write_file(dir / "r.toml", text_of(R"(schema = 1
[model]
family = "gpt2"
preset = "tiny"
n_layer = 6
n_embd = 64
n_head = 2
n_inner = 1024
n_positions = 64
[data]
train = ")",
                                     dir / "text.txt", R"("
[train]
steps = 2
batch = 48
accumulate = 2
)"));
  const auto run = [&](Arguments more) {
    more.insert(more.begin(), {"train", dir / "r.toml", "--json"});
    return json_of(jogak(more));
  };
  const Json kept = run({"--out", dir / "kept"});
  const Json again = run({"--out", dir / "again", "--recompute"});
  for (const std::string file :
       {"/model.safetensors", "/checkpoints/step-00000002/optimizer.safetensors"})
    EXPECT_EQ(read_file(dir / ("kept" + file)), read_file(dir / ("again" + file))) << file;
  EXPECT_EQ(kept.find("valid_loss")->number(), again.find("valid_loss")->number());
  const Json plain = run({"--dry-run"}),
             asked = run({"--dry-run", "--set", "train.recompute=true"});
  EXPECT_FALSE(plain.find("recompute")->boolean());
  EXPECT_TRUE(asked.find("recompute")->boolean());
  EXPECT_EQ(plain.find("predicted_peak_mb")->number(), plain.find("kept_peak_mb")->number());
  EXPECT_EQ(asked.find("predicted_peak_mb")->number(), asked.find("recomputed_peak_mb")->number());
#ifndef __SANITIZE_ADDRESS__
  constexpr double kTolerance = 0.1;
  const auto expect_near = [&](const Json& predicted, const Json& measured) {
    const double ratio =
        predicted.find("predicted_peak_mb")->number() / measured.find("peak_rss_mb")->number();
    printf("  predicted / measured = %.3f\n", ratio);
    EXPECT_NEAR(ratio, 1, kTolerance);
  };
  expect_near(plain, kept);
  expect_near(asked, again);
  EXPECT_LT(again.find("peak_rss_mb")->number(), 0.7 * kept.find("peak_rss_mb")->number());
#endif
}

TEST(ModelCommandErrors, RecipesAndSettingsSuggest) {
  const TempDir dir;
  write_file(dir / "r.toml", std::string(kRecipe) + "stepz = 3\n");
  const Result key = jogak({"train", dir / "r.toml"}, {.directory = dir.path()});
  EXPECT_EQ(key.code, 65);
  EXPECT_NE(key.err.find("did you mean"), std::string::npos) << key.err;
  write_file(dir / "r.toml", kRecipe);
  const Result set = jogak({"train", dir / "r.toml", "--set", "train.stps=3"});
  EXPECT_EQ(set.code, 2);
  EXPECT_NE(set.err.find("did you mean"), std::string::npos) << set.err;
  EXPECT_EQ(jogak({"train"}).code, 2);
  EXPECT_EQ(jogak({"train", "nowhere.toml"}).code, 66);
  EXPECT_EQ(jogak({"new", dir / "m", "--set", "n_layers=3"}).code, 2);
}

}  // namespace
}  // namespace jogak
