#include "app/train/study.h"

#include <algorithm>
#include <cmath>

#include "app/tools/target.h"
#include "app/train/train.h"
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

Json numbers_json(const StudyNumbers& n) {
  Json out = Json::object();
  return out.set("mean", n.mean).set("low", n.low).set("high", n.high);  // null where not finite
}

Json variant_json(const StudiedVariant& one) {
  Json curve = Json::array();
  for (const auto& [step, loss] : one.curve) curve.push(Json::array({Json(step), Json(loss)}));
  Json out = Json::object();
  out.set("name", one.variant.name).set("settings", Json::list(one.variant.settings));
  out.set("valid_loss", numbers_json(one.valid_loss())).set("losses", Json::list(one.losses));
  out.set("whole_loss", numbers_json(one.whole_loss()));
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
              ko ? "걸음" : "step",
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

}  // namespace

std::vector<StudyVariant> study_variants(const std::vector<std::string>& vary) {
  std::vector<StudyVariant> out = {{}};
  for (const std::string& one : vary) {
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
  ensure<UsageError>(!vary.empty(), "study: found nothing to vary, wanted --vary section.key=a,b");
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
  check_target_file({join_path(c.out, "study.json"), c.overwrite});
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
      log_info(variants[i].name, c.lang == Lang::ko ? ", 씨앗 " : ", seed ",
               train.recipe.train.seed);
      const TrainSummary result = run_training(train);
      ensure<Stopped>(result.end != TrainEnd::stopped, "study stopped");
      one.losses.push_back(result.valid_loss);
      one.whole.push_back(result.whole_loss.value_or(result.valid_loss));
      if (seed == 0) one.curve = curve_of(train.out);
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
  return table.text() + "\n" + picture_text(curves(study, lang), false, 80);
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
