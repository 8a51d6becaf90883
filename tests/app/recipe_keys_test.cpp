// Every key of a recipe, changed in every kind of data that has it: other bits, another text or an
// error. A key without an effect is one that somebody set in vain.
#include "app/train/recipe_keys.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "app/measure/score.h"
#include "app/train/train.h"
#include "base/file.h"
#include "tests/app/recipe_jobs.h"
#include "tests/support/expect.h"
#include "tests/support/golden.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

using test::Keys;
using test::quoted;
using test::toml;
using test::with;
using Files = test::RecipeFiles;
using Job = test::RecipeJob;

bool is_speed(const std::string& key) {
  return key == "tokens_per_s" || key == "examples_per_s" || key == "peak_rss_mb" ||
         key == "seconds";
}

std::string timeless(const std::string& metrics) {
  std::string out;
  for (size_t at = 0; at < metrics.size(); at = metrics.find('\n', at) + 1) {
    const Json line = parse_json(metrics.substr(at, metrics.find('\n', at) - at), "metrics");
    for (const auto& [key, value] : line.members())
      if (!is_speed(key)) out += key + value.dump() + ";";
  }
  return out;
}

// What a run leaves: the bytes of the model's files, what was measured, which checkpoints there
// are.
std::string left_behind(const std::string& run, const Json& result) {
  std::map<std::string, std::string> out;
  for (const auto& one : std::filesystem::recursive_directory_iterator(run)) {
    const std::string name = std::filesystem::relative(one.path(), run).string();
    const bool apart = name == "recipe.toml" || name.starts_with("events") || name == "lock" ||
                       name.starts_with("cache") || name.find("tfevents") != std::string::npos;
    if (apart || one.is_directory()) continue;
    out[name] = name.starts_with("checkpoints") ? ""
                : name == "metrics.jsonl"       ? timeless(read_file(one.path().string()))
                                                : read_file(one.path().string());
  }
  std::string all;
  for (const auto& [name, bytes] : out) all += name + "\n" + bytes + "\n";
  for (const auto& [key, value] : result.members())
    if (!is_speed(key)) all += key + value.dump() + "\n";
  return all;
}

std::string trained(const Keys& keys) {
  const TempDir out{memory_place()};
  try {
    TrainRequest c{.recipe = parse_recipe(toml(keys), "r.toml"), .out = out / "run", .quiet = true};
    const Json result = to_json(run_training(c));
    return left_behind(out / "run", result);
  } catch (const Error& error) {
    return text_of("error: ", error.what());
  }
}

struct Change {
  std::string to;
  Keys beside = {};          // what both runs have besides, so that the key can count
  const char* without = "";  // and what neither has
};

class Changes {
 public:
  // Two runs: as the job says, and with another tokenizer.
  Changes(const Files& files, std::string base, std::string other)
      : files_(files), base_(std::move(base)), other_(std::move(other)) {}

  Change of(const std::string& key, const Job& job) const {
    const auto fixed = constant().find(key);
    if (fixed != constant().end()) return fixed->second;
    return key.starts_with("data.") ? of_data(key, job) : of_model(key, job);
  }

 private:
  static const std::map<std::string, Change>& constant() {
    static const Keys many_languages = {
        {"tokenizer.from", quoted(test::golden_dir("tokenizers/mbart"))},
        {"tokenizer.target_lang", quoted("en_XX")}};
    static const std::map<std::string, Change> all = {
        {"tokenizer.type", {quoted("bpe")}},
        {"tokenizer.vocab_size",
         {"262", {{"tokenizer.type", quoted("bpe")}, {"tokenizer.vocab_size", "300"}}}},
        {"tokenizer.shared", {"false"}},
        {"tokenizer.source_lang", {quoted("ko_KR"), many_languages}},
        {"tokenizer.target_lang", {quoted("ko_KR"), many_languages}},
        {"tokenizer.normalize", {"false", {}}},
        {"data.mask_share", {"0.5"}},
        {"data.generator", {quoted("random"), {{"model.family", quoted("electra")}}}},
        {"train.steps", {"3"}},
        {"train.batch", {"3"}},
        {"train.batch_tokens", {"64"}},
        {"train.accumulate", {"2"}},
        {"train.micro_batches", {"4", {{"train.batch", "4"}}}},
        {"train.context", {"24"}},
        {"train.optimizer", {quoted("sgd")}},
        {"train.schedule", {quoted("constant")}},
        {"train.lr", {"0.01"}},
        {"train.min_lr", {"0.0005"}},
        {"train.warmup", {"2"}},
        {"train.decay_steps", {"1", {{"train.schedule", quoted("wsd")}, {"train.steps", "4"}}}},
        {"train.beta1", {"0.5"}},
        {"train.beta2", {"0.5"}},
        {"train.eps", {"0.01"}},
        {"train.weight_decay", {"0.5"}},
        {"train.momentum", {"0.1", {{"train.optimizer", quoted("sgd")}, {"train.lr", "0.1"}}}},
        {"train.clip", {"0.001", {{"train.optimizer", quoted("sgd")}}}},
        {"train.label_smoothing", {"0.3"}},
        {"train.average", {"2", {{"train.checkpoint_every", "1"}}}},
        {"train.off", {quoted("ffn:0")}},
        {"train.eval_every", {"1"}},
        {"train.checkpoint_every", {"1"}},
        {"train.keep", {"1", {{"train.checkpoint_every", "1"}}}},
        {"train.patience",
         {"1",
          {{"train.eval_every", "1"},
           {"train.steps", "6"},
           {"train.lr", "100.0"},
           {"train.optimizer", quoted("sgd")},
           {"train.schedule", quoted("constant")}}}},
        {"train.log_every", {"2", {{"train.steps", "4"}, {"train.log_every", "4"}}}},
        {"train.seed", {"3"}},
        {"train.dtype", {quoted("bf16")}},
    };
    return all;
  }

  Change of_model(const std::string& key, const Job& job) const {
    const Keys from = {{"model.from", quoted(base_)}};
    const bool decoder = job.kind == "lines" || job.kind == "text";
    if (key == "model.family") return {quoted(decoder ? "bert" : "gpt2")};
    if (key == "model.preset")
      return {quoted("small"),
              {},
              job.keys.count("model.n_layer") ? "model.n_layer" : "model.num_hidden_layers"};
    if (key == "model.from") return {quoted(base_)};
    if (key == "tokenizer.from") return {quoted(other_)};
    if (key == "train.metric")
      return {quoted(job.kind == "pairs" ? "chrf" : job.kind == "lines" ? "bleu" : "accuracy")};
    if (key == "train.lora_rank") return {"2", from};
    const Keys lora = with(from, {{"train.lora_rank", "2"}});
    if (key == "train.lora_alpha") return {"1.0", lora};
    if (key == "train.lora_targets") return {quoted("nothing_there"), lora};
    return {};
  }

  // Data that is generated is read from files for the keys of files.
  Change of_data(const std::string& key, const Job& job) const {
    const std::string files = job.kind == "masked"         ? "text"
                              : job.kind == "masked-lines" ? "lines"
                                                           : job.kind;
    const Keys read = {{"data.make", "\"\""},
                       {"data.train", files_.named(files, 1)},
                       {"data.count", "20000"},
                       {"data.valid_count", "500"}};
    const bool generated = key == "data.count" || key == "data.valid_count" || key == "data.seed" ||
                           key == "data.separator" || key == "data.longest";
    if (generated) {
      const Keys made = {{"data.make", quoted("sort")}, {"data.train", "\"\""}};
      return {key == "data.separator" ? quoted("=")
              : key == "data.count"   ? "9"
              : key == "data.longest" ? "5"
                                      : "2",
              job.kind == "text" || job.kind == "masked" || key == "data.longest" ? made : Keys{}};
    }
    if (key == "data.kind") return {quoted(job.kind == "series" ? "images" : "series")};
    if (key == "data.make") return {quoted(job.kind == "lines" ? "dates" : "sort")};
    const Keys first = job.kind == "series" ? with(read, {{"data.series", quoted("a")}}) : read;
    if (key == "data.missing") return {quoted("refuse"), first};
    if (key == "data.train" || key == "data.valid") return {files_.named(files, 2), first};
    if (key == "data.valid_share") return {"0.4", read};
    const bool table = job.kind == "labels" || job.kind == "series";
    const std::string missing = table ? "missing.csv" : "missing.txt";
    if (key == "data.where")
      return {quoted("the shelf"), with(read, {{"data.train", quoted(missing)}})};
    if (key == "data.text_column") return {quoted("title"), read};
    if (key == "data.image_column") return {quoted("picture"), read};
    if (key == "data.label_column") return {quoted("mark"), read};
    if (key == "data.class_order")
      return {quoted("first"),
              job.kind == "labels" ? with(read, {{"data.label_column", quoted("mark")}}) : read};
    if (key == "data.source_column" || key == "data.target_column") return {"2", read};
    if (key == "data.date_column") return {quoted("nowhere"), first};
    if (key == "data.series") return {quoted("b"), first};
    if (key == "data.train_rows" || key == "data.valid_rows" || key == "data.test_rows")
      return {"17",
              {{"data.train_rows", "30"},
               {"data.valid_rows", "16"},
               {"data.test_rows", "15"},
               {"data.count", "80"}}};
    return of_files(key, read);
  }

  Change of_files(const std::string& key, const Keys& read) const {
    const auto idx = [&](const char* what, int n) { return quoted(files_.file("idx", n) + what); };
    const Keys images = with(read, {{"data.train", idx("/images-idx3-ubyte", 1)},
                                    {"data.valid", idx("/images-idx3-ubyte", 2)},
                                    {"data.train_labels", idx("/labels-idx1-ubyte", 1)},
                                    {"data.valid_labels", idx("/labels-idx1-ubyte", 2)}});
    if (key == "data.train_labels") return {idx("/labels-idx1-ubyte-swapped", 1), images};
    if (key == "data.valid_labels") return {idx("/labels-idx1-ubyte-swapped", 2), images};
    const Keys two = with(read, {{"data.train", "\"\""},
                                 {"data.source", files_.named("source", 1)},
                                 {"data.target", files_.named("target", 1)}});
    const Keys four = with(two, {{"data.valid_source", files_.named("source", 1)},
                                 {"data.valid_target", files_.named("target", 1)}});
    if (key == "data.source") return {files_.named("source", 2), two};
    if (key == "data.target") return {files_.named("target", 2), two};
    if (key == "data.valid_source") return {files_.named("source", 2), four};
    if (key == "data.valid_target") return {files_.named("target", 2), four};
    return {};
  }

  const Files& files_;
  std::string base_, other_;
};

// Keys that leave no trace in what a run leaves behind: each has a test of its own below, and those
// of studies theirs.
bool shows_elsewhere(const std::string& key) {
  return key == "train.recompute" || key == "train.bleu_tokenize" || key.starts_with("study.");
}

TEST(RecipeKeys, EveryOneCountsWhereItIsAccepted) {
  const Files files;
  int changed = 0, refused = 0;
  for (const Job& job : test::recipe_jobs(files)) {
    const TempDir base{memory_place()};
    run_training({.recipe = parse_recipe(toml(with(job.keys, {{"train.seed", "9"}})), "base"),
                  .out = base / "run",
                  .quiet = true});
    if (job.keys.count("tokenizer.type"))
      run_training({.recipe = parse_recipe(toml(with(job.keys, {{"tokenizer.type", quoted("bpe")},
                                                                {"tokenizer.vocab_size", "300"}})),
                                           "other"),
                    .out = base / "other",
                    .quiet = true});
    const Changes changes(files, base / "run", base / "other");
    std::map<Keys, std::string> before;
    Recipe table;
    for (const RecipeKey& key : recipe_keys(table)) {
      const std::string name = text_of(key.section, ".", key.key);
      SCOPED_TRACE(text_of(job.name, " from ", job.kind, ": ", name));
      if (shows_elsewhere(name)) continue;
      const Change change = changes.of(name, job);
      ASSERT_FALSE(change.to.empty()) << "say what this key is changed to";
      if (!key.is_for(job.kind)) {
        EXPECT_THROW(parse_recipe(toml(with(job.keys, {{name, change.to}})), "r.toml"),
                     FormatError);
        ++refused;
        continue;
      }
      Keys without = with(job.keys, change.beside);
      without.erase(change.without);
      if (!before.count(without)) before[without] = trained(without);
      const std::string now = trained(with(without, {{name, change.to}}));
      EXPECT_TRUE(before[without] != now) << "the same: " << now.substr(0, 200);
      EXPECT_TRUE(!before[without].starts_with("error") || name == "data.where") << before[without];
      ++changed;
    }
  }
  printf("  %d keys changed, %d refused by the kind of data\n", changed, refused);
  EXPECT_GT(changed, 400);
}

// The same bits, in less memory.
TEST(RecipeKeys, RecomputingTakesLessMemory) {
  const Files files;
  for (const Job& job : test::recipe_jobs(files)) {
    const auto tensors = [&](const char* recompute) {
      Keys keys = with(job.keys, {{"train.recompute", recompute}, {"train.batch", "16"}});
      for (auto& [key, value] : keys)  // of one layer there is nothing to let go of
        if (key.ends_with("_layers") || key == "model.n_layer") value = "6";
      if (job.kind == "series") keys["model.num_hidden_layers"] = "6";
      return predict_training({.recipe = parse_recipe(toml(keys), "r.toml"), .out = "x"})
          .tensors_mb;
    };
    EXPECT_LT(tensors("true"), tensors("false")) << job.name << " from " << job.kind;
  }
}

TEST(RecipeKeys, BleuCountsByTheTokensItIsToldTo) {
  const std::vector<std::string> found = {"the cat, sat on the mats."};
  const std::vector<std::string> wanted = {"the cat, sat on the mat."};
  EXPECT_NE(score_by("bleu", "13a", found, wanted), score_by("bleu", "char", found, wanted));
  EXPECT_NE(score_by("bleu", "13a", found, wanted), score_by("bleu", "none", found, wanted));
}

TEST(RecipeKeyErrors, AKeyOfOtherDataIsNamed) {
  expect_error<FormatError>(
      [] { parse_recipe("[data]\nmake = \"sort\"\n[train]\nbatch_tokens = 9\n", "r.toml"); },
      "r.toml: \"train.batch_tokens\": found 9, but data.kind = \"text\" has no use for it; it is "
      "for pairs");
}

// Momentum beside AdamW, a size where no tokenizer is trained: somebody expects what will not be.
TEST(RecipeKeyErrors, AKeyThatAnotherLeavesWithoutAnEffectIsNamed) {
  const std::string sort = "[data]\nmake = \"sort\"\n", file = "[data]\ntrain = \"t\"\n";
  const auto told = [](const std::string& text) {
    try {
      parse_recipe(text, "r.toml");
    } catch (const FormatError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(
      told(sort + "[train]\nmomentum = 0.5\n"),
      "r.toml: \"train.momentum\": found 0.5, but train.optimizer = \"adamw\" has no use for it");
  const std::pair<std::string, const char*> kIdle[] = {
      {sort + "[train]\noptimizer = \"sgd\"\nbeta2 = 0.9\n", "train.optimizer = \"sgd\""},
      {sort + "[train]\nschedule = \"constant\"\nmin_lr = 0.5\n", "train.schedule = \"constant\""},
      {sort + "[train]\ndecay_steps = 3\n", "train.schedule = \"cosine\""},
      {sort + "[train]\nschedule = \"noam\"\nlr = 0.5\n", "train.schedule = \"noam\""},
      {sort + "[train]\nlora_alpha = 3.0\n", "train.lora_rank = 0"},
      {sort + "[train]\nlora_targets = \"c_attn\"\n", "train.lora_rank = 0"},
      {sort + "[tokenizer]\nvocab_size = 50\n", "tokenizer.type = \"char\""},
      {sort + "[tokenizer]\nfrom = \"d\"\ntype = \"bpe\"\n", "tokenizer.from = \"d\""},
      {sort + "[model]\nfrom = \"d\"\n[tokenizer]\ntype = \"bpe\"\n", "model.from = \"d\""},
      {sort + "[model]\nfrom = \"d\"\npreset = \"base\"\n", "model.from = \"d\""},
      {sort + "valid_share = 0.3\n", "data.make = \"sort\""},
      {file + "count = 30\n", "data.make = \"\""},
      {file + "seed = 30\n", "data.make = \"\""},
      {file + "separator = \"=\"\n", "data.make = \"\""},
      {file + "valid = \"v\"\nvalid_share = 0.3\n", "data.valid = \"v\""},
      {"[data]\nkind = \"pairs\"\nsource = \"a\"\ntarget = \"b\"\nsource_column = 2\n",
       "data.source = \"a\""},
      {"[data]\nkind = \"pairs\"\nmake = \"dates\"\n[train]\nbatch_tokens = 64\nbatch = 3\n",
       "train.batch_tokens = 64"},
      {"[data]\nkind = \"labels\"\nmake = \"dates\"\ntext_column = \"x\"\n",
       "data.make = \"dates\""}};
  for (const auto& [text, against] : kIdle)
    EXPECT_NE(told(text).find(std::string("but ") + against + " has no use for it"),
              std::string::npos)
        << text << told(text);
}

// What the command line says takes the use of the recipe's keys away; its own keys must count.
TEST(RecipeKeys, WhatTheCommandLineLeavesWithoutAnEffectIsForgotten) {
  const std::string text =
      "[data]\nmake = \"sort\"\ncount = 30\n[train]\noptimizer = \"sgd\"\nmomentum = 0.5\n";
  Recipe r = parse_recipe(text, "r.toml");
  apply_settings(r, {"train.optimizer=adamw", "data.train=t.txt"});
  EXPECT_EQ(r.train.optimizer.momentum, Recipe().train.optimizer.momentum);
  EXPECT_EQ(r.data.count, Recipe().data.count);
  EXPECT_NO_THROW(parse_recipe(to_toml(r), "written"));
  Recipe other = parse_recipe(text, "r.toml");
  EXPECT_NE(error_of<UsageError>([&] {
              apply_settings(other, {"train.optimizer=adamw", "train.momentum=0.5"});
            }).find("\"train.momentum\": found 0.5"),
            std::string::npos);
}

TEST(RecipeKeyErrors, NumbersBeyondAnyMachineAreRefused) {
  for (const char* setting : {"data.count=100000000", "train.batch=99999999999"}) {
    Recipe r = parse_recipe("[data]\nmake = \"sort\"\n", "r.toml");
    EXPECT_NE(error_of<UsageError>([&] { apply_settings(r, {setting}); }).find("wanted 1 to "),
              std::string::npos);
  }
}

}  // namespace
}  // namespace jogak
