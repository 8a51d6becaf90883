// Every key of a recipe, changed in every kind of data that has it: other bits, another text or an
// error. A key without an effect is one that somebody set in vain.
#include "app/train/recipe_keys.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "app/data/shape_files.h"
#include "app/measure/score.h"
#include "app/train/train.h"
#include "base/file.h"
#include "tests/io/bytes.h"
#include "tests/support/expect.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

using test::write_plain;
using Keys = std::map<std::string, std::string>;  // "train.lr" -> a value as TOML has it

std::string quoted(const std::string& text) { return "\"" + text + "\""; }

// Two of everything that data is read from.
struct Files {
  TempDir dir{memory_place()};

  Files() {
    for (const int n : {1, 2}) {
      std::string text, lines, pairs, source, target, labels = "text,label,title,mark\n", tags;
      for (int i = 0; i < 60; ++i) {
        const int x = (i * 7 + n * 3) % 40;
        text += text_of("line ", x, " of ", n, ".\n");
        lines += text_of("b", x % 10, " a = a b", x % 10, "\n");
        pairs += text_of("in ", x, "\tout ", x, "\tmore ", i, "\n");
        source += text_of("in ", x, "\n"), target += text_of("out ", x, "\n");
        labels +=
            text_of("word ", x, ",", i % 2 ? "yes" : "no", ",title ", x, ",", "cab"[i % 3], "\n");
        tags += text_of("is\tO\nKim", x, "\tB-PER\n\n");
      }
      for (int i = 0; i < 20; ++i) tags += "longer\tO\n";
      const auto write = [&](const char* kind, const std::string& what) {
        write_plain(file(kind, n), what);
      };
      write("text", text), write("lines", lines), write("pairs", pairs), write("labels", labels);
      write("tags", tags), write("source", source), write("target", target);
      std::string series = "date,a,b,when\n";
      for (int i = 0; i < 28 * 3; ++i) {
        const std::string day =
            text_of("2021-0", i / 28 + 1, "-", i % 28 < 9 ? "0" : "", i % 28 + 1);
        const std::string a = i == 10 ? "" : text_of((i * 5 + n) % 17);  // a cell is missing
        series += text_of(day, ",", a, ",", (i * 3) % 11 + n, ",", day, "\n");
      }
      write("series", series);
      write_shape_folders({file("images", n), 12, static_cast<uint64_t>(n), false});
      write_shape_idx({file("idx", n), 12, static_cast<uint64_t>(n), false});
      const std::string labels_file = file("idx", n) + "/labels-idx1-ubyte";
      std::string swapped = read_file(labels_file);
      std::reverse(swapped.begin() + 8, swapped.end());
      write_plain(labels_file + "-swapped", swapped);
    }
  }
  std::string file(const std::string& kind, int n) const {
    return dir / text_of(kind, "-", n,
                         kind == "labels"   ? ".csv"
                         : kind == "series" ? ".csv"
                                            : ".txt");
  }
  std::string named(const std::string& kind, int n) const { return quoted(file(kind, n)); }
};

struct Job {
  const char* name;
  std::string kind;
  Keys keys;
};

Keys with(Keys out, const Keys& more) {
  for (const auto& [key, value] : more) out[key] = value;
  return out;
}

std::vector<Job> jobs(const Files& files) {
  const Keys train = {{"train.steps", "2"},     {"train.batch", "2"},
                      {"train.warmup", "1"},    {"train.eval_every", "2"},
                      {"train.log_every", "2"}, {"train.checkpoint_every", "2"}};
  const Keys tokens = {{"tokenizer.type", quoted("char")}};
  const Keys sort = {
      {"data.make", quoted("sort")}, {"data.count", "12"}, {"data.valid_count", "3"}};
  const Keys dates = with(sort, {{"data.make", quoted("dates")}});
  const auto model = [&](const char* family, const Keys& size) {
    return with(with(train, {{"model.family", quoted(family)}}), size);
  };
  const Keys wide = {{"model.num_hidden_layers", "1"},
                     {"model.hidden_size", "8"},
                     {"model.num_attention_heads", "2"}};
  const Keys gpt2 = with(model("gpt2", {{"model.n_layer", "1"},
                                        {"model.n_embd", "8"},
                                        {"model.n_head", "2"},
                                        {"model.n_positions", "40"}}),
                         tokens);
  const Keys places = {{"model.max_position_embeddings", "48"}, {"model.intermediate_size", "8"}};
  const Keys llama =
      with(with(model("llama", wide), with(places, tokens)), {{"model.head_dim", "4"}});
  const Keys falcon =
      with(model("falcon", wide), with(tokens, {{"model.max_position_embeddings", "48"}}));
  const Keys bert = with(with(model("bert", wide), places), tokens);
  const Keys vit = with(model("vit", wide), {{"model.intermediate_size", "8"}});
  const Keys marian = with(
      model("seq2seq",
            {{"model.encoder_layers", "1"}, {"model.decoder_layers", "1"}, {"model.d_model", "8"}}),
      tokens);
  const Keys series =
      with(model("patchtst", {{"model.d_model", "8"}}), {{"model.context_length", "12"},
                                                         {"model.prediction_length", "3"},
                                                         {"model.patch_length", "4"},
                                                         {"model.patch_stride", "4"}});
  const auto job = [](const char* name, const char* kind, const Keys& keys, const Keys& data) {
    return Job{name, kind, with(with(keys, data), {{"data.kind", quoted(kind)}})};
  };
  return {
      job("gpt2", "lines", gpt2, sort),
      job("gpt2", "text", gpt2, {{"data.train", files.named("text", 1)}}),
      job("llama", "lines", llama, sort),
      job("falcon", "lines", falcon, sort),
      job("marian", "pairs", marian, dates),
      job("bert", "masked-lines", bert, dates),
      job("bert", "masked", bert, {{"data.train", files.named("text", 1)}}),
      job("bert", "labels", bert, dates),
      job("bert", "tags", bert, {{"data.train", files.named("tags", 1)}}),
      job("vit", "images", vit, with(sort, {{"data.make", quoted("shapes")}})),
      job("patchtst", "series", series, {{"data.make", quoted("series")}, {"data.count", "60"}})};
}

std::string toml(const Keys& keys) {
  std::string out, section;
  for (const auto& [key, value] : keys) {
    const size_t dot = key.find('.');
    if (section != key.substr(0, dot)) {
      section = key.substr(0, dot);
      out += "[" + section + "]\n";
    }
    out += key.substr(dot + 1) + " = " + value + "\n";
  }
  return out;
}

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
    static const std::map<std::string, Change> all = {
        {"tokenizer.type", {quoted("bpe"), {{"tokenizer.vocab_size", "300"}}}},
        {"tokenizer.vocab_size",
         {"262", {{"tokenizer.type", quoted("bpe")}, {"tokenizer.vocab_size", "300"}}}},
        {"tokenizer.shared", {"false"}},
        {"tokenizer.normalize", {"false", {}}},
        {"data.mask_share", {"0.5"}},
        {"train.steps", {"3"}},
        {"train.batch", {"3"}},
        {"train.batch_tokens", {"64"}},
        {"train.accumulate", {"2"}},
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
                           key == "data.separator";
    if (generated) {
      const Keys made = {{"data.make", quoted("sort")}, {"data.train", "\"\""}};
      return {key == "data.separator" ? quoted("=")
              : key == "data.count"   ? "9"
                                      : "2",
              job.kind == "text" || job.kind == "masked" ? made : Keys{}};
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
      return {quoted("the shelf"), {{"data.make", "\"\""}, {"data.train", quoted(missing)}}};
    if (key == "data.text_column") return {quoted("title"), read};
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

// Keys that leave no trace in what a run leaves behind: each has a test of its own below.
bool shows_elsewhere(const std::string& key) {
  return key == "train.recompute" || key == "train.bleu_tokenize";
}

TEST(RecipeKeys, EveryOneCountsWhereItIsAccepted) {
  const Files files;
  int changed = 0, refused = 0;
  for (const Job& job : jobs(files)) {
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
  for (const Job& job : jobs(files)) {
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

}  // namespace
}  // namespace jogak
