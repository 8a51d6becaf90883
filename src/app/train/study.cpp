#include "app/train/study.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/data/text_data.h"
#include "app/models/model.h"
#include "app/models/target.h"
#include "app/train/study_runs.h"
#include "app/train/train_job.h"
#include "app/use/generator.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/terminal.h"
#include "data/image.h"
#include "draw/raster.h"
#include "models/families.h"
#include "score/paired.h"

namespace jogak {
namespace {

constexpr size_t kMostVariants = 64;
constexpr const char* kDefaultVary = "train.off=none,mask";  // the part whose loss misleads most
constexpr const char* kFiles[] = {"curves.svg", "curves.png", "study.html", "fit.svg", "fit.png"};

// The validation losses of one run, by step.
std::vector<std::pair<double, double>> curve_of(const std::string& directory) {
  std::vector<std::pair<double, double>> out;
  const std::string path = join_path(directory, "metrics.jsonl"), text = read_file(path);
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const Json line = parse_json(text.substr(at, end - at), path);
    at = end + 1;
    const Fields fields(line, path);
    const Json* loss = line.find("valid_loss");  // null: it was not finite
    if (loss && loss->is_number())
      out.emplace_back(fields.integer("step", {.low = 0}), loss->number());
  }
  return out;
}

// What a model of lines writes after the first prompt held out, without guessing; of other data
// nothing.
std::optional<StudySample> sample_of(const Recipe& recipe, const std::string& directory) {
  const DataRecipe& data = recipe.data;
  const bool made = data.make == "sort" || data.make == "dates";
  if (data.kind != "lines" && (data.kind != "text" || !made)) return std::nullopt;
  const std::vector<std::string> lines = recipe_lines(data).valid;
  const size_t at = lines.empty() ? std::string::npos : lines[0].find(data.separator);
  if (at == std::string::npos) return std::nullopt;
  const size_t answer = at + data.separator.size();
  StudySample out{.prompt = lines[0].substr(0, answer), .wanted = lines[0].substr(answer)};
  GenerateOptions how;
  how.settings.max_new_tokens = static_cast<int64_t>(2 * out.wanted.size());
  how.settings.do_sample = false;
  out.written = Generator(directory).generate(out.prompt, how).text;
  return out;
}

double number_of(const Json& result, const std::string& key) {
  const Json* const found = result.find(key);
  return found && found->is_number() ? found->number() : std::numeric_limits<double>::quiet_NaN();
}

// Mistakes are found before anything is trained: unknown keys, values that cannot be.
Recipe variant_recipe(const Recipe& from, const StudyVariant& variant) {
  Recipe recipe = from;
  apply_settings(recipe, variant.settings);
  check_recipe(recipe, variant.name);
  if (recipe.model.from.empty()) recipe_config(recipe.model, recipe.model.settings);
  return recipe;
}

std::vector<StudyRun> runs_of(const StudyOptions& c, const std::vector<StudyVariant>& variants) {
  std::vector<StudyRun> out;
  for (size_t i = 0; i < variants.size(); ++i)
    for (int64_t seed = 0; seed < c.seeds; ++seed) {
      StudyRun run;
      run.recipe = variant_recipe(c.recipe, variants[i]);
      run.recipe.train.seed += static_cast<uint64_t>(seed);
      run.path = join_path(c.out, text_of("variant-", i + 1, "-seed-", seed + 1));
      run.title = text_of(variants[i].name, c.lang == Lang::ko ? ", 시드 " : ", seed ",
                          run.recipe.train.seed);
      out.push_back(std::move(run));
    }
  return out;
}

std::vector<std::string> pieces(const std::string& text, char by) {
  std::vector<std::string> out = {""};
  for (const char c : text) c == by ? void(out.emplace_back()) : out.back().push_back(c);
  return out;
}

// "model.d_model+model.heads" and "64+4": both settings of one variant.
void add_together(StudyVariant& variant, const std::string& key, const std::string& value) {
  const std::vector<std::string> keys = pieces(key, '+');
  const auto values = keys.size() == 1 ? std::vector{value} : pieces(value, '+');
  ensure<UsageError>(keys.size() == values.size(), "--vary ", quoted(key + "=" + value), ": found ",
                     values.size(), " values for ", keys.size(), " keys");
  for (size_t i = 0; i < keys.size(); ++i) variant.settings.push_back(keys[i] + "=" + values[i]);
}

// "a=1; b=2" -> a=1 and b=2.
std::vector<std::string> settings_in(const std::string& text) {
  std::vector<std::string> out;
  for (const std::string& piece : pieces(text, ';'))
    if (const size_t first = piece.find_first_not_of(' '); first != std::string::npos)
      out.push_back(piece.substr(first, piece.find_last_not_of(' ') + 1 - first));
  return out;
}

// What is not said on the command line, the recipe says.
StudyOptions completed(StudyOptions c) {
  if (c.vary.empty()) c.vary = settings_in(c.recipe.study.vary);
  if (c.test.empty()) c.test = settings_in(c.recipe.study.test);
  if (c.seeds == 0) c.seeds = c.recipe.study.seeds;
  c.fit |= c.recipe.study.fit || !c.predict.empty();
  if (c.fit && c.predict.empty()) c.predict = settings_in(c.recipe.study.predict);
  c.recipe.study = {};
  return c;
}

// The loss of a trained model under other settings: longer texts, other data. NaN where the model
// refuses them, as a learned table does.
double tested_loss(const StudyRun& run, const std::vector<std::string>& settings) {
  TrainRequest request{.recipe = run.recipe, .out = run.path};
  apply_settings(request.recipe, settings);
  request.recipe.model = {.from = run.path, .settings = {}};
  try {
    const auto job = make_job(request, {.use = WeightUse::f32}, "");
    Run pass;
    return job->task.validate(pass);
  } catch (const Stopped&) {
    throw;
  } catch (const Error& refused) {
    log_info("not measured again: ", run.title, ": ", refused.what());
    return std::numeric_limits<double>::quiet_NaN();
  }
}

void add_run(StudiedVariant& one, const StudyRun& run, const std::string& metric, int64_t seeds) {
  const Json& result = run.result;
  one.commands.push_back(run.command());
  one.losses.push_back(number_of(result, "valid_loss"));
  const double whole = number_of(result, "whole_loss");
  one.whole.push_back(std::isnan(whole) ? one.losses.back() : whole);
  if (!metric.empty()) one.scores.push_back(number_of(result, "best_" + metric));
  if (const Json* error = result.find("error")) {
    one.failed = error->text();
    return;
  }
  one.tokens_per_s += number_of(result, "tokens_per_s") / static_cast<double>(seeds);
  one.peak_rss_mb = std::max(one.peak_rss_mb, number_of(result, "peak_rss_mb"));
  if (one.losses.size() > 1) return;
  one.curve = curve_of(run.path);
  one.sample = sample_of(run.recipe, run.path);
}

// The sizes of the runs; refused before anything is trained where they cannot tell a law.
std::vector<LossPoint> sizes_of(const StudyOptions& c, const std::vector<StudyRun>& runs) {
  std::vector<LossPoint> out;
  for (size_t i = 0; i < runs.size(); ++i)  // seeds change no size
    out.push_back(i % static_cast<size_t>(c.seeds) == 0 ? size_of_run(runs[i].recipe) : out.back());
  check_spread(out);
  return out;
}

StudyRun foretold_run(const StudyOptions& c) {
  StudyVariant variant{.name = "", .settings = c.predict};
  for (const std::string& one : c.predict) variant.name += (variant.name.empty() ? "" : ", ") + one;
  return {.title = variant.name,
          .path = join_path(c.out, "predicted"),
          .recipe = variant_recipe(c.recipe, variant)};
}

// The law is fitted and says its prediction before the run that checks it begins.
StudyFit fit_and_check(const StudyOptions& c, std::vector<LossPoint> points,
                       const std::vector<StudyRun>& runs, const StudyWork& how) {
  for (size_t i = 0; i < runs.size(); ++i) points[i].loss = number_of(runs[i].result, "valid_loss");
  if (c.predict.empty()) return fitted(std::move(points), std::nullopt);
  std::vector<StudyRun> ahead = {foretold_run(c)};
  StudyFit out = fitted(std::move(points), size_of_run(ahead[0].recipe));
  log_info(c.lang == Lang::ko ? "법칙이 말하는 " : "the law says of ", ahead[0].title, ": ",
           out.ahead.loss);
  train_runs(ahead, how);
  out.ahead.settings = c.predict, out.ahead.command = ahead[0].command();
  const double loss = number_of(ahead[0].result, "valid_loss");
  if (std::isfinite(loss)) out.ahead.measured = loss;
  if (const Json* error = ahead[0].result.find("error")) out.ahead.failed = error->text();
  return out;
}

void write_drawing(const std::string& svg, const std::string& path) {
  write_file(path + ".svg", svg);
  Raster points = rasterize(svg);
  write_file(path + ".png", encode_png({points.height, points.width, 3, std::move(points.pixels)}));
}

}  // namespace

std::vector<StudyVariant> study_variants(const std::vector<std::string>& vary) {
  std::vector<StudyVariant> out = {{}};
  for (const std::string& one : vary.empty() ? std::vector<std::string>{kDefaultVary} : vary) {
    const size_t equals = one.find('=');
    ensure<UsageError>(
        equals != std::string::npos && one.find('.') < equals && equals + 1 < one.size(), "--vary ",
        quoted(one), ": wanted section.key=a,b,c");
    const std::string key = one.substr(0, equals);
    std::vector<StudyVariant> next;
    for (const StudyVariant& before : out)
      for (const std::string& value : split_list(one.substr(equals + 1))) {
        StudyVariant variant = before;
        variant.name += (variant.name.empty() ? "" : ", ") + key + "=" + value;
        add_together(variant, key, value);
        next.push_back(std::move(variant));
        ensure<UsageError>(next.size() <= kMostVariants, "--vary: found more than ", kMostVariants,
                           " variants");
      }
    out = std::move(next);
  }
  return out;
}

StudyNumbers spread_of(const std::vector<double>& values) {
  StudyNumbers out{0, INFINITY, -INFINITY, 0};
  const auto n = static_cast<double>(values.size());
  for (const double x : values) {
    out.mean += x / n;
    out.low = std::isnan(x) ? x : std::min(out.low, x);
    out.high = std::isnan(x) ? x : std::max(out.high, x);
  }
  for (const double x : values) out.deviation += (x - out.mean) * (x - out.mean);
  out.deviation = values.size() > 1 ? std::sqrt(out.deviation / (n - 1)) : 0;
  return out;
}

double Study::p_value(size_t variant) const {
  return paired_p_value(variants.at(variant).losses, variants.at(0).losses);
}

// The study ends as the run did.
[[noreturn]] static void fail_as(const Json& result, const std::string& message) {
  const Json* const status = result.find("status");
  switch (status ? status->integer() : 1) {
    case 2: throw UsageError(message);
    case 65: throw FormatError(message);
    case 66: throw MissingError(message);
    case 74: throw IoError(message);
    default: throw Error(message);
  }
}

Study run_study(const StudyOptions& options) {
  const StudyOptions c = completed(options);
  const std::vector<StudyVariant> variants = study_variants(c.vary);
  std::vector<StudyRun> runs = runs_of(c, variants);
  ensure<UsageError>(!file_exists(c.out) || is_directory(c.out), c.out,
                     ": is a file, wanted a directory to write to");
  if (!c.resume && !c.overwrite && !written_names(c.out, is_run_file).empty())
    refuse_target({c.out}, what_is_there(c.out), "choose another directory");
  if (!c.resume) check_target_file({join_path(c.out, "study.json"), c.overwrite});
  for (const char* file : kFiles)
    check_target_file({join_path(c.out, file), c.overwrite}, is_drawing);
  if (c.fit && !c.predict.empty()) foretold_run(c);  // its mistakes are found now
  std::vector<LossPoint> sizes = c.fit ? sizes_of(c, runs) : std::vector<LossPoint>{};
  make_directories(c.out);
  const StudyWork how{c.program, c.jobs, c.resume, c.overwrite, c.stop, c.lang};
  train_runs(runs, how);
  const std::string& metric = c.recipe.train.metric;
  Study out{.seeds = c.seeds, .metric = metric == "loss" ? "" : metric};
  for (const std::string& one : c.test) out.test += (out.test.empty() ? "" : ", ") + one;
  for (size_t i = 0; i < runs.size(); ++i) {
    if (i % static_cast<size_t>(c.seeds) == 0)
      out.variants.emplace_back().variant = variants[i / static_cast<size_t>(c.seeds)];
    add_run(out.variants.back(), runs[i], out.metric, c.seeds);
    if (!c.test.empty() && out.variants.back().failed.empty())
      out.variants.back().tested.push_back(tested_loss(runs[i], c.test));
  }
  const bool all_failed = std::all_of(out.variants.begin(), out.variants.end(),
                                      [](const auto& one) { return one.curve.empty(); });
  if (const std::string& why = out.variants.at(0).failed; all_failed && !why.empty())
    fail_as(runs.at(0).result, text_of("study: every run failed; the first: ", why));
  if (c.fit) out.fit = fit_and_check(c, std::move(sizes), runs, how);
  write_file(join_path(c.out, "study.json"), to_json(out).dump() + "\n");
  write_drawing(study_svg(out, c.lang), join_path(c.out, "curves"));
  if (out.fit) write_drawing(fit_svg(*out.fit, c.lang), join_path(c.out, "fit"));
  write_file(join_path(c.out, kFiles[2]), to_html(study_page(out, c.lang)));
  return out;
}

}  // namespace jogak
