#include "app/train/study.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/data/text_data.h"
#include "app/train/train.h"
#include "app/use/generator.h"
#include "base/file.h"
#include "base/format.h"
#include "base/log.h"
#include "base/terminal.h"
#include "draw/picture.h"
#include "draw/picture_text.h"
#include "draw/svg.h"

namespace jogak {
namespace {

constexpr size_t kMostVariants = 64;
constexpr const char* kDefaultVary = "train.off=none,mask";  // the part whose loss misleads most

// The validation losses of one run, by step.
std::vector<std::pair<double, double>> curve_of(const std::string& directory) {
  std::vector<std::pair<double, double>> out;
  const std::string path = join_path(directory, "metrics.jsonl"), text = read_file(path);
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const Json line = parse_json(text.substr(at, end - at), path);
    at = end + 1;
    const Json* loss = line.find("valid_loss");
    if (loss && loss->is_number()) out.emplace_back(line.find("step")->number(), loss->number());
  }
  return out;
}

double number_or_nan(const Json& json, const char* key) {
  const Json* value = json.find(key);
  return value && value->is_number() ? value->number() : NAN;
}

Json to_json(const StudyNumbers& n) {
  Json out = Json::object();
  return out.set("mean", n.mean).set("low", n.low).set("high", n.high);  // null where not finite
}

struct Runs {
  std::vector<double> losses, whole;
  std::vector<std::pair<double, double>> curve;  // of the first seed
  std::optional<Json> sample;                    // of the first seed
};

// What a model of lines writes after the first prompt held out, without guessing; of other data
// nothing.
std::optional<Json> sample_of(const Recipe& recipe, const std::string& directory) {
  const DataRecipe& data = recipe.data;
  if (data.kind != "lines" && data.make != "sort" && data.make != "dates") return std::nullopt;
  const std::vector<std::string> lines = recipe_lines(data).valid;
  const size_t at = lines.empty() ? std::string::npos : lines[0].find(data.separator);
  if (at == std::string::npos) return std::nullopt;
  const size_t answer = at + data.separator.size();
  const std::string prompt = lines[0].substr(0, answer), wanted = lines[0].substr(answer);
  const Generated written = Generator(directory).generate(
      prompt, {.predict = static_cast<int64_t>(2 * wanted.size()), .sampling = {.temperature = 0}});
  Json out = Json::object();
  return out.set("prompt", prompt).set("wanted", wanted).set("written", written.text);
}

Json variant_json(const StudyVariant& variant, const Runs& runs) {
  Json curve = Json::array();
  for (const auto& [step, loss] : runs.curve) curve.push(Json::array({Json(step), Json(loss)}));
  Json out = Json::object();
  out.set("name", variant.name).set("settings", Json::list(variant.settings));
  out.set("valid_loss", to_json(spread_of(runs.losses))).set("losses", Json::list(runs.losses));
  out.set("whole_loss", to_json(spread_of(runs.whole)));
  if (runs.sample) out.set("sample", *runs.sample);
  return out.set("curve", std::move(curve));
}

Picture curves(const Json& study, Lang lang) {
  const bool ko = lang == Lang::ko;
  const auto& variants = study.find("variants")->items();
  size_t points = 0, longest = 0;
  for (size_t i = 0; i < variants.size(); ++i)
    if (const size_t size = variants[i].find("curve")->items().size(); size > points)
      points = size, longest = i;
  ensure<Error>(points > 0,
                "study: no run was validated; wanted train.eval_every below train.steps");
  Picture out{Picture::Kind::lines,
              "valid_loss",
              ko ? "검증 손실" : "Validation loss",
              ko ? "걸음" : "step",
              ko ? "손실" : "loss",
              Matrix(static_cast<int64_t>(variants.size()), static_cast<int64_t>(points))};
  out.high = 0;
  for (size_t i = 0; i < variants.size(); ++i) {
    const auto& curve = variants[i].find("curve")->items();
    double last = 0;
    for (size_t j = 0; j < points; ++j) {  // a run that ended early stays where it was
      if (j < curve.size()) last = curve[j].items()[1].number();
      out.values.at(static_cast<int64_t>(i), static_cast<int64_t>(j)) = last;
      out.high = std::max(out.high, last);
    }
    out.rows.push_back(variants[i].find("name")->text());
  }
  for (const Json& point : variants[longest].find("curve")->items())
    out.columns.push_back(format_count(static_cast<int64_t>(point.items()[0].number())));
  return out;
}

// "train.off=mask writes 8 l 8 after 3 1 2 = (wanted: 1 2 3)", a line for each variant.
std::string samples_text(const Json& study, Lang lang) {
  const bool ko = lang == Lang::ko;
  TextTable table({ko ? "변형" : "variant", ko ? "쓴 글" : "writes"});
  std::string prompt, wanted;
  for (const Json& variant : study.find("variants")->items()) {
    const Json* sample = variant.find("sample");
    if (!sample) return "";
    prompt = sample->find("prompt")->text();
    wanted = sample->find("wanted")->text();
    table.row({variant.find("name")->text(), sample->find("written")->text()});
  }
  return text_of("\n", ko ? "이어 쓰기, 모든 부분을 켜고: " : "Writing on, with all parts on: ",
                 quoted(prompt), ko ? ", 정답 " : ", wanted ", quoted(wanted), "\n", table.text());
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
        variant.settings.push_back(key + "=" + value);
        next.push_back(std::move(variant));
        ensure<UsageError>(next.size() <= kMostVariants, "--vary: found more than ", kMostVariants,
                           " variants");
      }
    out = std::move(next);
  }
  return out;
}

StudyNumbers spread_of(const std::vector<double>& values) {
  StudyNumbers out{0, INFINITY, -INFINITY};
  for (const double x : values) {
    out.mean += x / static_cast<double>(values.size());
    out.low = std::isnan(x) ? x : std::min(out.low, x);
    out.high = std::isnan(x) ? x : std::max(out.high, x);
  }
  return out;
}

Json run_study(const StudyCommand& c) {
  const std::vector<StudyVariant> variants = study_variants(c.vary);
  for (const StudyVariant& variant : variants) {  // mistakes are found before anything is trained
    Recipe recipe = c.recipe;
    for (const std::string& setting : variant.settings) apply_setting(recipe, setting);
  }
  Json list = Json::array();
  for (size_t i = 0; i < variants.size(); ++i) {
    Runs runs;
    for (int64_t seed = 0; seed < c.seeds; ++seed) {
      TrainCommand train{.recipe = c.recipe,
                         .out = join_path(c.out, text_of("variant-", i + 1, "-seed-", seed + 1)),
                         .stop = c.stop,
                         .lang = c.lang,
                         .quiet = true};
      for (const std::string& setting : variants[i].settings) apply_setting(train.recipe, setting);
      train.recipe.train.seed += static_cast<uint64_t>(seed);
      log_info(variants[i].name, c.lang == Lang::ko ? ", 씨앗 " : ", seed ",
               train.recipe.train.seed);
      const Json result = run_training(train);
      if (result.find("end")->text() == "stopped") throw Stopped("study stopped");
      runs.losses.push_back(number_or_nan(result, "valid_loss"));
      const bool off = result.find("whole_loss") != nullptr;
      runs.whole.push_back(off ? number_or_nan(result, "whole_loss") : runs.losses.back());
      if (seed > 0) continue;
      runs.curve = curve_of(train.out);
      runs.sample = sample_of(train.recipe, train.out);
    }
    list.push(variant_json(variants[i], runs));
  }
  Json out = Json::object();
  out.set("schema", 1).set("seeds", c.seeds).set("variants", std::move(list));
  write_file(join_path(c.out, "study.json"), out.dump() + "\n");
  write_file(join_path(c.out, "curves.svg"), study_svg(out, c.lang));
  return out;
}

std::string study_text(const Json& study, Lang lang) {
  const bool ko = lang == Lang::ko;
  TextTable table({ko ? "변형" : "variant", ko ? "검증 손실" : "valid loss",
                   ko ? "가장 낮음-높음" : "lowest-highest",
                   ko ? "모든 부분을 켜면" : "all parts on"});
  const auto number = [](const Json& from, const char* key) {
    const Json* value = from.find(key);
    return value->is_number() ? fixed(value->number(), 4) : std::string("-");
  };
  for (const Json& variant : study.find("variants")->items()) {
    const Json &loss = *variant.find("valid_loss"), &whole = *variant.find("whole_loss");
    table.row({variant.find("name")->text(), number(loss, "mean"),
               number(loss, "low") + "-" + number(loss, "high"), number(whole, "mean")});
  }
  return table.text() + samples_text(study, lang) + "\n" +
         picture_text(curves(study, lang), false, 80);
}

std::string study_svg(const Json& study, Lang lang) {
  const Picture picture = curves(study, lang);
  const Panel panel = chart_panel(picture, 760);
  return svg_file({panel.width, panel.height, lang, picture.title}, panel.body);
}

}  // namespace jogak
