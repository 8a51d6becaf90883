#include "app/train/study_fit.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>

#include "app/train/recipe_lora.h"
#include "app/train/train_job.h"
#include "base/error.h"
#include "base/format.h"
#include "data/sampler.h"
#include "data/token_file.h"
#include "draw/marked_curves.h"
#include "tensor/counting_device.h"

namespace jogak {
namespace {

constexpr double kTimesLarger = 4;  // where no run is named

double largest(const std::vector<LossPoint>& points, double LossPoint::*what) {
  double out = 0;
  for (const LossPoint& p : points) out = std::max(out, p.*what);
  return out;
}

std::string count_text(double value) { return format_count(std::llround(value)); }

std::string law_text(const ScalingLaw& law) {
  return text_of(fixed(law.E, 3), " + ", fixed(law.A, 2), " / N^", fixed(law.a, 3), " + ",
                 fixed(law.B, 2), " / D^", fixed(law.b, 3));
}

std::string percent(double share) {
  return text_of(share < 0 ? "" : "+", fixed(100 * share, 1), " %");
}

std::string prediction_text(const StudyPrediction& p, Lang lang) {
  const bool ko = lang == Lang::ko;
  std::string out =
      ko ? text_of("매개변수 ", count_text(p.parameters), "개(학습한 가장 큰 것의 ",
                   fixed(p.times_larger, 1), "배), 토큰 ", count_text(p.tokens), "개: 예측 손실 ")
         : text_of(count_text(p.parameters), " parameters (", fixed(p.times_larger, 1),
                   " times the largest trained), ", count_text(p.tokens), " tokens: foretold ");
  out += text_of(fixed(p.loss, 4), ko ? " (점 하나를 빼고 맞추면 " : " (without one of the points ",
                 fixed(p.low, 4), "-", fixed(p.high, 4), ")");
  if (p.measured)
    out += text_of(ko ? ", 잰 손실 " : ", measured ", fixed(*p.measured, 4),
                   ko ? ", 예측의 오차 " : ", the prediction is off by ", percent(p.error()));
  if (!p.failed.empty()) out += text_of(ko ? ", 실패: " : ", failed: ", p.failed);
  return out + "\n";
}

std::vector<double> amounts_of(const StudyFit& fit) {
  std::set<double> out;
  for (const LossPoint& p : fit.points) out.insert(p.tokens);
  out.insert(fit.ahead.tokens);
  return {out.begin(), out.end()};
}

// The law at one amount of data, from the smallest model to the one foretold.
MarkedCurve curve_at(const StudyFit& fit, double tokens, bool ko) {
  MarkedCurve out{text_of(ko ? "토큰 " : "", count_text(tokens), ko ? "개" : " tokens")};
  double low = fit.ahead.parameters, high = low;
  for (const LossPoint& p : fit.points) {
    low = std::min(low, p.parameters), high = std::max(high, p.parameters);
    if (p.tokens == tokens && std::isfinite(p.loss)) out.dots.push_back({p.parameters, p.loss});
  }
  constexpr int kPieces = 48;
  for (int i = 0; i <= kPieces; ++i) {
    const double n = low * std::pow(high / low, static_cast<double>(i) / kPieces);
    out.curve.push_back({n, fit.law.at(n, tokens)});
  }
  return out;
}

Json prediction_json(const StudyPrediction& p) {
  Json out = Json::object();
  out.set("settings", Json::list(p.settings)).set("parameters", p.parameters);
  out.set("tokens", p.tokens).set("times_larger", p.times_larger).set("loss", p.loss);
  out.set("low", p.low).set("high", p.high);
  if (p.measured) out.set("measured", *p.measured).set("error", p.error());
  if (!p.failed.empty()) out.set("failed", p.failed);
  if (!p.command.empty()) out.set("command", p.command);
  return out;
}

}  // namespace

double StudyFit::mean_error() const {
  double sum = 0, count = 0;
  for (const LossPoint& p : points)
    if (std::isfinite(p.loss))
      sum += std::abs(law.at(p.parameters, p.tokens) / p.loss - 1), ++count;
  return count > 0 ? sum / count : 0;
}

// Lines differ in length: the tokens of all steps, or of so many that their mean will do. They
// follow from data and seed alone, so that models of all sizes read the same.
LossPoint size_of_run(const Recipe& recipe) {
  constexpr int64_t kLooked = 400;
  CountingDevice counting;
  const auto job = make_job({.recipe = recipe}, {.device = &counting, .lora = recipe_lora(recipe)},
                            kDroppedTokens);
  Sampler sampler(job->task.examples, recipe.train.seed);
  const int64_t steps = std::min(kLooked, recipe.train.steps);
  double tokens = 0;
  for (int64_t i = 0; i < steps; ++i) {
    const std::vector<Pick> picks = sampler.next(job->batch);
    const auto examples = static_cast<int64_t>(picks.size());
    const int64_t pieces = std::clamp<int64_t>(recipe.train.accumulate, 1, examples);
    for (int64_t k = 0; k < pieces; ++k) {
      const auto begin = static_cast<size_t>(examples * k / pieces);
      const auto end = static_cast<size_t>(examples * (k + 1) / pieces);
      tokens += static_cast<double>(
          job->task.prepare(std::span(picks).subspan(begin, end - begin)).tokens);
    }
  }
  return {
      static_cast<double>(job->model.store->count()),
      std::round(tokens / static_cast<double>(steps) * static_cast<double>(recipe.train.steps))};
}

StudyFit fitted(std::vector<LossPoint> points, const std::optional<LossPoint>& ahead) {
  StudyFit out{.points = std::move(points)};
  out.law = fit_scaling_law(out.points);
  const double size = largest(out.points, &LossPoint::parameters);
  StudyPrediction& p = out.ahead;
  p.parameters = ahead ? ahead->parameters : kTimesLarger * size;
  p.tokens = ahead ? ahead->tokens : largest(out.points, &LossPoint::tokens);
  p.times_larger = p.parameters / size;
  p.loss = out.law.at(p.parameters, p.tokens);
  const auto others = predictions_without_one(out.points, p.parameters, p.tokens);
  p.low = std::min(p.loss, *std::min_element(others.begin(), others.end()));
  p.high = std::max(p.loss, *std::max_element(others.begin(), others.end()));
  return out;
}

std::string fit_text(const StudyFit& fit, Lang lang) {
  const bool ko = lang == Lang::ko;
  TextTable table({ko ? "매개변수 N" : "parameters N", ko ? "토큰 D" : "tokens D",
                   ko ? "손실" : "loss", ko ? "법칙" : "law", ko ? "차이" : "off"});
  for (const LossPoint& p : fit.points) {
    const double law = fit.law.at(p.parameters, p.tokens);
    const bool known = std::isfinite(p.loss);
    table.row({count_text(p.parameters), count_text(p.tokens), known ? fixed(p.loss, 4) : "-",
               fixed(law, 4), known ? percent(law / p.loss - 1) : "-"});
  }
  return text_of("\n", ko ? "손실 = " : "loss = ", law_text(fit.law),
                 ko ? ", 점에서 평균 " : ", off by ", fixed(100 * fit.mean_error(), 2),
                 ko ? " % 벗어남\n" : " % on average\n", table.text(),
                 prediction_text(fit.ahead, lang));
}

std::string fit_svg(const StudyFit& fit, Lang lang) {
  const bool ko = lang == Lang::ko;
  MarkedPlot plot{.title = text_of(ko ? "손실 = " : "loss = ", law_text(fit.law)),
                  .x_title = ko ? "매개변수 N" : "parameters N",
                  .y_title = ko ? "손실" : "loss",
                  .description = prediction_text(fit.ahead, lang)};
  for (const double tokens : amounts_of(fit)) plot.curves.push_back(curve_at(fit, tokens, ko));
  const StudyPrediction& p = fit.ahead;
  plot.foretold.push_back(
      {.at = {p.parameters, p.loss},
       .low = p.low,
       .high = p.high,
       .name = text_of(ko ? "예측 " : "foretold ", fixed(p.loss, 3)),
       .measured_name = p.measured ? text_of(ko ? "잰 값 " : "measured ", fixed(*p.measured, 3))
                                   : std::string()});
  if (p.measured) plot.foretold.back().measured.push_back({p.parameters, *p.measured});
  return marked_curves_svg(plot, lang);
}

Json to_json(const StudyFit& fit) {
  Json points = Json::array();
  for (const LossPoint& p : fit.points) {
    Json one = Json::object();
    one.set("parameters", p.parameters).set("tokens", p.tokens);
    one.set("loss", p.loss);  // null where not finite
    one.set("fitted", fit.law.at(p.parameters, p.tokens));
    points.push(std::move(one));
  }
  Json out = Json::object();
  out.set("E", fit.law.E).set("A", fit.law.A).set("a", fit.law.a);
  out.set("B", fit.law.B).set("b", fit.law.b).set("mean_error", fit.mean_error());
  out.set("points", std::move(points));
  return std::move(out.set("prediction", prediction_json(fit.ahead)));
}

}  // namespace jogak
