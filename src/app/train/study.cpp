#include "app/train/study.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/data/text_data.h"
#include "app/models/target.h"
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
    const Fields fields(line, path);
    const Json* loss = line.find("valid_loss");  // null: it was not finite
    if (loss && loss->is_number())
      out.emplace_back(fields.integer("step", {.low = 0}), loss->number());
  }
  return out;
}

Json numbers_json(const StudyNumbers& n) {
  Json out = Json::object();
  return out.set("mean", n.mean).set("low", n.low).set("high", n.high);  // null where not finite
}

// What a model of lines writes after the first prompt held out, without guessing; of other data
// nothing.
std::optional<StudySample> sample_of(const Recipe& recipe, const std::string& directory) {
  const DataRecipe& data = recipe.data;
  if (data.kind != "lines" && data.make != "sort" && data.make != "dates") return std::nullopt;
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

Json sample_json(const StudySample& sample) {
  Json out = Json::object();
  out.set("prompt", sample.prompt).set("wanted", sample.wanted);
  return out.set("written", sample.written);
}

Json variant_json(const StudiedVariant& one) {
  Json curve = Json::array();
  for (const auto& [step, loss] : one.curve) curve.push(Json::array({Json(step), Json(loss)}));
  Json out = Json::object();
  out.set("name", one.variant.name).set("settings", Json::list(one.variant.settings));
  out.set("valid_loss", numbers_json(one.valid_loss())).set("losses", Json::list(one.losses));
  out.set("whole_loss", numbers_json(one.whole_loss()));
  if (one.sample) out.set("sample", sample_json(*one.sample));
  return out.set("curve", std::move(curve));
}

Picture curves(const Study& study, Lang lang) {
  const bool ko = lang == Lang::ko;
  const std::vector<StudiedVariant>& variants = study.variants;
  size_t points = 0, longest = 0;
  for (size_t i = 0; i < variants.size(); ++i)
    if (const size_t size = variants[i].curve.size(); size > points) points = size, longest = i;
  ensure<Error>(points > 0,
                "study: no run was validated; wanted train.eval_every below train.steps");
  Picture out{Picture::Kind::lines,
              "valid_loss",
              ko ? "검증 손실" : "Validation loss",
              ko ? "스텝" : "step",
              ko ? "손실" : "loss",
              Matrix(static_cast<int64_t>(variants.size()), static_cast<int64_t>(points))};
  out.high = 0;
  for (size_t i = 0; i < variants.size(); ++i) {
    const auto& curve = variants[i].curve;
    double last = 0;
    for (size_t j = 0; j < points; ++j) {  // a run that ended early stays where it was
      if (j < curve.size()) last = curve[j].second;
      out.values.at(static_cast<int64_t>(i), static_cast<int64_t>(j)) = last;
      out.high = std::max(out.high, last);
    }
    out.rows.push_back(variants[i].variant.name);
  }
  for (const auto& [step, loss] : variants[longest].curve)
    out.columns.push_back(format_count(static_cast<int64_t>(step)));
  return out;
}

// "train.off=mask writes 8 l 8 after 3 1 2 = (wanted: 1 2 3)", a line for each variant.
std::string samples_text(const Study& study, Lang lang) {
  const bool ko = lang == Lang::ko;
  TextTable table({ko ? "변형" : "variant", ko ? "쓴 글" : "writes"});
  for (const StudiedVariant& one : study.variants) {
    if (!one.sample) return "";
    table.row({one.variant.name, quoted(one.sample->written)});
  }
  if (study.variants.empty()) return "";
  const StudySample& last = *study.variants.back().sample;
  return text_of("\n", ko ? "이어 쓰기, 모든 부분을 켜고: " : "Writing on, with all parts on: ",
                 quoted(last.prompt), ko ? ", 정답 " : ", wanted ", quoted(last.wanted), "\n",
                 table.text());
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

Study run_study(const StudyOptions& c) {
  const std::vector<StudyVariant> variants = study_variants(c.vary);
  for (const StudyVariant& variant : variants) {  // mistakes are found before anything is trained
    Recipe recipe = c.recipe;
    apply_settings(recipe, variant.settings);
  }
  if (!c.overwrite && !written_names(c.out, is_run_file).empty())
    refuse_target({c.out}, what_is_there(c.out), "choose another directory");
  check_target_file({join_path(c.out, "study.json"), c.overwrite});
  check_target_file({join_path(c.out, "curves.svg"), c.overwrite}, is_drawing);
  Study out{.seeds = c.seeds};
  for (size_t i = 0; i < variants.size(); ++i) {
    StudiedVariant& one = out.variants.emplace_back();
    one.variant = variants[i];
    for (int64_t seed = 0; seed < c.seeds; ++seed) {
      TrainRequest train{.recipe = c.recipe,
                         .out = join_path(c.out, text_of("variant-", i + 1, "-seed-", seed + 1)),
                         .overwrite = c.overwrite,
                         .stop = c.stop,
                         .lang = c.lang,
                         .quiet = true};
      apply_settings(train.recipe, variants[i].settings);
      train.recipe.train.seed += static_cast<uint64_t>(seed);
      log_info(variants[i].name, c.lang == Lang::ko ? ", 시드 " : ", seed ",
               train.recipe.train.seed);
      const TrainSummary result = run_training(train);
      ensure<Stopped>(result.end != TrainEnd::stopped, "stopped");
      one.losses.push_back(result.valid_loss);
      one.whole.push_back(result.whole_loss.value_or(result.valid_loss));
      if (seed > 0) continue;
      one.curve = curve_of(train.out);
      one.sample = sample_of(train.recipe, train.out);
    }
  }
  write_file(join_path(c.out, "study.json"), to_json(out).dump() + "\n");
  write_file(join_path(c.out, "curves.svg"), study_svg(out, c.lang));
  return out;
}

std::string study_text(const Study& study, Lang lang) {
  const bool ko = lang == Lang::ko;
  TextTable table({ko ? "변형" : "variant", ko ? "검증 손실" : "valid loss",
                   ko ? "가장 낮음-높음" : "lowest-highest",
                   ko ? "모든 부분을 켜면" : "all parts on"});
  const auto number = [](double value) {
    return std::isfinite(value) ? fixed(value, 4) : std::string("-");
  };
  for (const StudiedVariant& one : study.variants) {
    const StudyNumbers loss = one.valid_loss();
    table.row({one.variant.name, number(loss.mean), number(loss.low) + "-" + number(loss.high),
               number(one.whole_loss().mean)});
  }
  return table.text() + samples_text(study, lang) + "\n" +
         picture_text(curves(study, lang), false, 80);
}

std::string study_svg(const Study& study, Lang lang) {
  const Picture picture = curves(study, lang);
  const Panel panel = chart_panel(picture, 760);
  return svg_file({panel.width, panel.height, lang, picture.title}, panel.body);
}

Json to_json(const Study& study) {
  Json list = Json::array();
  for (const StudiedVariant& one : study.variants) list.push(variant_json(one));
  Json out = Json::object();
  return std::move(out.set("schema", 1).set("seeds", study.seeds).set("variants", std::move(list)));
}

}  // namespace jogak
