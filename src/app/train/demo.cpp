#include "app/train/demo.h"

#include <chrono>
#include <filesystem>

#include "app/data/text_data.h"
#include "app/models/target_run.h"
#include "app/train/train.h"
#include "app/use/translate_lines.h"
#include "base/file.h"
#include "base/format.h"
#include "base/log.h"
#include "data/pair_text.h"
#include "look/alignment.h"
#include "score/exact_match.h"

namespace jogak {
namespace {

constexpr char kRecipe[] = R"(
schema = 1
[model]
family = "seq2seq"
preset = "small"
dropout = 0.0
[tokenizer]
type = "char"
normalize = false
[data]
kind = "pairs"
make = "dates"
count = 60000
valid_count = 500
[train]
steps = 1450
batch = 24
lr = 1.2e-3
min_lr = 3e-5
schedule = "cosine"
warmup = 100
beta2 = 0.98
weight_decay = 0.01
eval_every = 0
checkpoint_every = 0
keep = 1
)";
constexpr size_t kTest = 500;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string both(Lang lang, const char* en, const char* ko) { return lang == Lang::ko ? ko : en; }

// Of an earlier demo, which a new one may replace: the same recipe but for its seeds, and no more
// steps, as when somebody went on with it.
bool is_demo(const std::string& directory, const Recipe& recipe) {
  try {
    Recipe found = read_recipe(join_path(directory, "recipe.toml"));
    if (found.train.steps > recipe.train.steps) return false;
    found.data.seed = recipe.data.seed, found.train.seed = recipe.train.seed;
    found.train.steps = recipe.train.steps;
    return to_toml(found) == to_toml(recipe);
  } catch (const Error&) {  // something else
    return false;
  }
}

// Lines that neither training nor the choice of the best weights has seen.
Pairs test_pairs(const Recipe& recipe) {
  const auto seen = static_cast<size_t>(recipe.data.valid_count);
  const auto lines = generated_lines(recipe.data.make, recipe.data.valid_count + int64_t{kTest},
                                     recipe.data.seed, true);
  return some_pairs(pairs_from_lines(lines, recipe.data.make), seen, lines.size());
}

void show_alignment(const DemoOptions& c, const Alignment& alignment) {
  const std::string picture = join_path(c.out, "alignment.svg");
  write_file(picture, alignment_svg(alignment, c.lang));
  c.say("");
  c.say(both(c.lang,
             "Where it looked: each character of the answer, down, looked at the date, across.",
             "어디를 보았나: 답의 글자(아래로)마다 날짜(옆으로)의 어느 글자를 보았는지."));
  c.say(alignment_text(alignment, c.colour, c.columns, c.lang));
  c.say(both(c.lang, "The same as a picture: ", "그림으로: ") + picture);
}

}  // namespace

DemoResult run_demo(const DemoOptions& c) {
  const double start = now();
  Recipe recipe = parse_recipe(kRecipe, "demo");
  recipe.data.seed = recipe.train.seed = c.seed;
  if (c.steps > 0) recipe.train.steps = c.steps;
  const std::string unfinished = c.out + ".new";  // where one that replaced another was stopped
  if (is_demo(unfinished, recipe)) std::filesystem::remove_all(unfinished);
  const bool again = is_demo(c.out, recipe);
  TargetRun({c.out, c.overwrite || again, {}}, false);  // refused before anything is said
  log_info(both(c.lang, "A small Transformer learns to translate dates. ",
                "작은 트랜스포머가 날짜 번역을 배웁니다. ") +
           both(c.lang, "Dates it will be tested on never occur in training; seed ",
                "시험에 나올 날짜는 학습에 한 번도 나오지 않습니다. 시드 ") +
           std::to_string(c.seed));
  const TrainSummary trained = run_training({.recipe = recipe,
                                             .out = c.out,
                                             .overwrite = c.overwrite || again,
                                             .stop = c.stop,
                                             .lang = c.lang});
  ensure<Stopped>(trained.end != TrainEnd::stopped, "stopped before the test");
  const Translator reader(c.out);
  TranslateOptions how{.beam = {.beams = 1}, .stop = c.stop};
  const Pairs test = test_pairs(recipe);
  const std::vector<std::string> found = best_texts(reader.translate(test.source, how));
  const ExactMatch exact = exact_match(found, test.target);
  const DemoResult result{exact, now() - start, c.seed, trained.valid_loss};
  write_file(join_path(c.out, "result.json"), to_json(result).dump(2) + "\n");
  c.say("");
  c.say(both(c.lang, "exact match  ", "정확히 맞은 비율  ") + fixed(100 * exact.score(), 1) +
        " %  (" + std::to_string(exact.right) + " / " + std::to_string(exact.lines) + ", " +
        format_seconds(now() - start, c.lang) + ")");
  for (size_t i = 0; i < 3; ++i)
    c.say("  " + test.source[i] + " → " + found[i] +
          (found[i] == test.target[i] ? "" : "   ✗ " + test.target[i]));
  how.alignment = true;
  show_alignment(c, reader.translate({test.source[0]}, how)[0].texts[0].alignment);
  return result;
}

Json to_json(const DemoResult& result) {
  Json out = Json::object();
  out.set("schema", 1).set("exact_match", result.exact.score()).set("lines", result.exact.lines);
  out.set("seconds", result.seconds).set("seed", static_cast<int64_t>(result.seed));
  return std::move(out.set("valid_loss", result.valid_loss));  // null where not finite
}

}  // namespace jogak
