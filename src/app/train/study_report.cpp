// What a study says: a table, curves, commands; as text, JSON, SVG and a page.
#include <algorithm>
#include <cmath>

#include "app/train/study.h"
#include "base/error.h"
#include "base/format.h"
#include "base/terminal.h"
#include "draw/picture.h"
#include "draw/picture_text.h"
#include "draw/svg.h"

namespace jogak {
namespace {

Json numbers_json(const StudyNumbers& n) {
  Json out = Json::object();
  out.set("mean", n.mean).set("low", n.low).set("high", n.high);  // null where not finite
  return out.set("deviation", n.deviation);
}

Json sample_json(const StudySample& sample) {
  Json out = Json::object();
  out.set("prompt", sample.prompt).set("wanted", sample.wanted);
  return out.set("written", sample.written);
}

Json variant_json(const Study& study, size_t index) {
  const StudiedVariant& one = study.variants[index];
  Json curve = Json::array();
  for (const auto& [step, loss] : one.curve) curve.push(Json::array({Json(step), Json(loss)}));
  Json out = Json::object();
  out.set("name", one.variant.name).set("settings", Json::list(one.variant.settings));
  out.set("valid_loss", numbers_json(one.valid_loss())).set("losses", Json::list(one.losses));
  out.set("whole_loss", numbers_json(one.whole_loss()));
  if (!one.scores.empty())
    out.set(study.metric, numbers_json(spread_of(one.scores)))
        .set("scores", Json::list(one.scores));
  if (!one.tested.empty()) out.set("tested", numbers_json(spread_of(one.tested)));
  if (index > 0 && study.seeds > 1) out.set("p_value", study.p_value(index));
  out.set("tokens_per_s", one.tokens_per_s).set("peak_rss_mb", one.peak_rss_mb);
  if (!one.failed.empty()) out.set("failed", one.failed);
  out.set("commands", Json::list(one.commands));
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

bool has_parts_off(const Study& study) {
  return std::any_of(study.variants.begin(), study.variants.end(),
                     [](const StudiedVariant& one) { return one.whole != one.losses; });
}

std::string number(double value, int digits = 4) {
  return std::isfinite(value) ? fixed(value, digits) : std::string("-");
}

// What is in the table, for the terminal and for the page alike.
struct StudyTable {
  std::vector<std::string> heads;
  std::vector<std::vector<std::string>> rows;
};

StudyTable table_of(const Study& study, Lang lang) {
  const bool ko = lang == Lang::ko, off = has_parts_off(study), seeds = study.seeds > 1;
  const bool scored = !study.metric.empty();
  StudyTable out;
  const auto column = [&](bool shown, const char* korean, const char* english) {
    if (shown) out.heads.emplace_back(ko ? korean : english);
  };
  column(true, "변형", "variant");
  column(true, "검증 손실", "valid loss");
  column(seeds, "표준편차", "deviation");
  column(true, "가장 낮음-높음", "lowest-highest");
  column(seeds, "p (첫째와 짝지어)", "p (paired with the first)");
  column(off, "모든 부분을 켜면", "all parts on");
  if (scored) out.heads.push_back(study.metric);
  if (!study.test.empty()) out.heads.push_back(study.test);
  column(true, "초당 토큰", "tokens/s");
  column(true, "메모리 MB", "memory MB");
  for (size_t i = 0; i < study.variants.size(); ++i) {
    const StudiedVariant& one = study.variants[i];
    const StudyNumbers loss = one.valid_loss();
    std::vector<std::string> row = {one.variant.name, number(loss.mean)};
    if (seeds) row.push_back(number(loss.deviation));
    row.push_back(number(loss.low) + "-" + number(loss.high));
    if (seeds) row.push_back(i == 0 ? "-" : number(study.p_value(i), 3));
    if (off) row.push_back(number(one.whole_loss().mean));
    if (scored) row.push_back(number(spread_of(one.scores).mean, 3));
    if (!study.test.empty()) row.push_back(number(spread_of(one.tested).mean));
    row.push_back(format_count(static_cast<int64_t>(one.tokens_per_s)));
    row.push_back(number(one.peak_rss_mb, 0));
    out.rows.push_back(std::move(row));
  }
  return out;
}

// "train.off=mask writes 8 l 8 after 3 1 2 = (wanted: 1 2 3)", a line for each variant.
std::string samples_text(const Study& study, Lang lang) {
  const bool ko = lang == Lang::ko;
  TextTable table({ko ? "변형" : "variant", ko ? "쓴 글" : "writes"});
  const StudySample* last = nullptr;
  for (const StudiedVariant& one : study.variants) {
    if (!one.sample) continue;
    table.row({one.variant.name, quoted(one.sample->written)});
    last = &*one.sample;
  }
  if (!last) return "";
  const char* const title = has_parts_off(study) ? (ko ? "이어 쓰기, 모든 부분을 켜고: "
                                                       : "Writing on, with all parts on: ")
                                                 : (ko ? "이어 쓰기: " : "Writing on: ");
  return text_of("\n", title, quoted(last->prompt), ko ? ", 정답 " : ", wanted ",
                 quoted(last->wanted), "\n", table.text());
}

std::string failures_text(const Study& study, Lang lang) {
  std::string out;
  for (const StudiedVariant& one : study.variants)
    if (!one.failed.empty())
      out +=
          text_of("\n", one.variant.name, lang == Lang::ko ? ": 실패: " : ": failed: ", one.failed);
  return out.empty() ? out : out + "\n";
}

Json figure(double value) {
  if (std::isfinite(value)) return Json(value);
  return {};
}

DataTable fit_table(const StudyFit& fit, Lang lang) {
  const bool ko = lang == Lang::ko;
  DataTable out{.name = "fit",
                .title = ko ? "손실의 법칙" : "The law of the losses",
                .columns = {"parameters", "tokens", "loss", "law"}};
  out.heads = ko ? std::vector<std::string>{"매개변수 N", "토큰 D", "손실", "법칙"}
                 : std::vector<std::string>{"parameters N", "tokens D", "loss", "law"};
  const auto row = [&](double parameters, double tokens, double loss, double law) {
    std::vector<Json>& cells = out.rows.emplace_back();
    for (const double x : {parameters, tokens, loss, law}) cells.push_back(figure(x));
  };
  for (const LossPoint& p : fit.points)
    row(p.parameters, p.tokens, p.loss, fit.law.at(p.parameters, p.tokens));
  const StudyPrediction& p = fit.ahead;
  row(p.parameters, p.tokens, p.measured.value_or(NAN), p.loss);
  return out;
}

}  // namespace

std::string study_text(const Study& study, Lang lang) {
  const StudyTable shown = table_of(study, lang);
  TextTable table(shown.heads);
  for (const auto& row : shown.rows) table.row(row);
  std::string out = table.text() + failures_text(study, lang) + samples_text(study, lang) + "\n" +
                    picture_text(curves(study, lang), false, 80);
  if (study.fit) out += fit_text(*study.fit, lang);
  out += lang == Lang::ko ? "\n다시 하려면:\n" : "\nTo repeat one:\n";
  for (const StudiedVariant& one : study.variants)
    out += text_of("  ", one.commands.at(0), "   # ", one.variant.name, "\n");
  if (study.fit && !study.fit->ahead.command.empty())
    out += text_of("  ", study.fit->ahead.command, "   # ",
                   lang == Lang::ko ? "예측한 실행" : "the run foretold", "\n");
  return out;
}

std::string study_svg(const Study& study, Lang lang) {
  const Picture picture = curves(study, lang);
  const Panel panel = chart_panel(picture, 760);
  return svg_file({panel.width, panel.height, lang, picture.title}, panel.body);
}

Inspection study_page(const Study& study, Lang lang) {
  const bool ko = lang == Lang::ko;
  Inspection out{.what = "study", .title = ko ? "연구" : "Study", .model_type = "", .lang = lang};
  const StudyTable shown = table_of(study, lang);
  DataTable numbers{.name = "variants", .title = ko ? "변형" : "Variants", .columns = shown.heads};
  DataTable commands{.name = "commands",
                     .title = ko ? "다시 하려면" : "To repeat one",
                     .columns = {ko ? "변형" : "variant", ko ? "명령" : "command"}};
  numbers.heads = shown.heads, commands.heads = commands.columns;
  for (const auto& row : shown.rows) {
    std::vector<Json> cells;
    for (const std::string& cell : row) cells.emplace_back(cell);
    numbers.rows.push_back(std::move(cells));
  }
  for (const StudiedVariant& one : study.variants)
    for (const std::string& command : one.commands)
      commands.rows.push_back({Json(one.variant.name), Json(command)});
  out.plates.push_back({curves(study, lang), {}});
  out.tables = {std::move(numbers), std::move(commands)};
  if (study.fit) out.tables.push_back(fit_table(*study.fit, lang));
  return out;
}

Json to_json(const Study& study) {
  Json list = Json::array();
  for (size_t i = 0; i < study.variants.size(); ++i) list.push(variant_json(study, i));
  Json out = Json::object();
  out.set("schema", 1).set("seeds", study.seeds).set("variants", std::move(list));
  if (study.fit) out.set("fit", to_json(*study.fit));
  return out;
}

}  // namespace jogak
