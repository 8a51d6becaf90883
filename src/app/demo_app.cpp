#include "app/demo_app.h"

#include <chrono>
#include <filesystem>

#include "app/eval_app.h"
#include "app/model.h"
#include "app/text_data.h"
#include "app/train_app.h"
#include "base/file.h"
#include "base/format.h"
#include "base/log.h"

namespace jogak {
namespace {

constexpr char kRecipe[] = R"(
schema = 1
[model]
family = "gpt2"
preset = "tiny"
n_layer = 2
n_head = 4
n_embd = 128
n_positions = 64
embd_pdrop = 0.0
attn_pdrop = 0.0
resid_pdrop = 0.0
[tokenizer]
type = "char"
[data]
make = "dates"
count = 40000
valid_count = 500
[train]
steps = 1400
batch = 48
lr = 2e-3
min_lr = 1e-4
schedule = "cosine"
warmup = 60
beta2 = 0.98
weight_decay = 0.01
eval_every = 700
checkpoint_every = 0
keep = 1
)";

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string both(Lang lang, const char* en, const char* ko) { return lang == Lang::ko ? ko : en; }

// A run of the demo begins anew: checkpoints of an earlier one would ask to be resumed.
void clear_earlier(const std::string& out) {
  for (const char* name : {"checkpoints", "cache"})
    std::filesystem::remove_all(join_path(out, name));
  for (const char* name : {"metrics.jsonl", "result.json"})
    std::filesystem::remove(join_path(out, name));
}

}  // namespace

Json run_demo(const DemoCommand& c) {
  const double start = now();
  Recipe recipe = parse_recipe(kRecipe, "demo");
  recipe.data.seed = recipe.train.seed = c.seed;
  if (c.steps > 0) recipe.train.steps = c.steps;
  make_directories(c.out);
  clear_earlier(c.out);
  log_info(both(c.lang, "A small GPT learns to read dates. ", "작은 GPT가 날짜 읽기를 배웁니다. ") +
           both(c.lang, "Dates it will be tested on never occur in training; seed ",
                "시험에 나올 날짜는 학습에 한 번도 나오지 않습니다. 시드 ") +
           std::to_string(c.seed));
  const Json trained =
      run_training({.recipe = recipe, .out = c.out, .stop = c.stop, .lang = c.lang});
  if (trained.find("end")->text() == "stopped") fail<Stopped>("stopped before the test");
  const Model model = open_model(c.out);
  const Tokenizer tokenizer = Tokenizer::load(c.out);
  const std::vector<std::string> lines = generated_lines("dates", 500, c.seed, true);
  const auto done = complete_lines(model, tokenizer, lines, recipe.data.separator, c.stop);
  const ExactMatch exact = count_exact(done);
  Json result = Json::object();
  result.set("schema", 1).set("exact_match", exact.score()).set("lines", done.size());
  result.set("seconds", now() - start).set("seed", static_cast<int64_t>(c.seed));
  result.set("valid_loss", *trained.find("valid_loss"));
  write_file(join_path(c.out, "result.json"), result.dump(2) + "\n");
  c.say("");
  c.say(both(c.lang, "exact match  ", "정확히 맞은 비율  ") + fixed(100 * exact.score(), 1) +
        " %  (" + std::to_string(exact.right) + " / " + std::to_string(done.size()) + ", " +
        format_seconds(now() - start, c.lang) + ")");
  for (size_t i = 0; i < 3 && i < done.size(); ++i)
    c.say("  " + done[i].prompt + done[i].got + (done[i].exact() ? "" : "   ✗ " + done[i].answer));
  return result;
}

struct DateReader::Parts {
  Model model;
  Tokenizer tokenizer;
};

DateReader::DateReader(const std::string& directory)
    : parts_(std::make_unique<Parts>(Parts{open_model(directory), Tokenizer::load(directory)})) {}
DateReader::~DateReader() = default;

std::string DateReader::read(const std::string& text) const {
  return complete_lines(parts_->model, parts_->tokenizer, {text + " = ?"}, " = ")[0].got;
}

}  // namespace jogak
