#include "app/show/ablate_views.h"

#include "look/shares.h"

#include <algorithm>
#include <set>

#include "app/use/predictions.h"
#include "base/suggest.h"
#include "look/alignment.h"
#include "look/switches.h"

namespace jogak {
namespace {

constexpr int64_t kMostPlaces = 64;  // of a table

// Kullback-Leibler divergence in bits: how surprised the first would be by the second.
double divergence(const std::vector<double>& p, const std::vector<double>& q) {
  double out = 0;
  for (size_t i = 0; i < p.size(); ++i)
    if (p[i] > 0) out += p[i] * (std::log2(p[i]) - std::log2(std::max(q[i], 1e-300)));
  return std::max(out, 0.0);
}

size_t best_of(const std::vector<double>& shares) {
  return static_cast<size_t>(std::max_element(shares.begin(), shares.end()) - shares.begin());
}

struct Places {
  int64_t count, width;  // of the first row: places, and answers of each
  std::vector<float> before, after;
  std::vector<double> shares(bool then, int64_t place) const {
    return shares_of(then ? after : before, place, width);
  }
};

Places places_of(const Answers& before, const Answers& after) {
  const Tensor& x = before.values;
  const int64_t width = x.dim(-1), count = x.rank() == 3 ? x.dim(1) : 1;
  return {count, width, to_host<float>(before.values), to_host<float>(after.values)};
}

// The first answers of either run at the last place.
DataTable top_table(const InspectSubject& subject, const Places& p, int64_t top, bool ko) {
  const int64_t last = p.count - 1;
  const auto a = p.shares(false, last), b = p.shares(true, last);
  DataTable best{"top",
                 p.count == 1 ? (ko ? "답" : "answers")
                 : ko         ? "마지막 자리의 답"
                              : "answers at the last place",
                 {"answer", "before", "after"}};
  std::set<size_t> chosen;
  for (const auto* shares : {&a, &b}) {
    std::vector<size_t> order(shares->size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    const auto most = std::min<size_t>(static_cast<size_t>(top), order.size());
    std::partial_sort(order.begin(), order.begin() + static_cast<ptrdiff_t>(most), order.end(),
                      [&](size_t i, size_t j) { return (*shares)[i] > (*shares)[j]; });
    for (size_t i = 0; i < most; ++i)
      if (chosen.insert(order[i]).second)
        best.rows.push_back({visible_token(subject.token(static_cast<int64_t>(order[i]))),
                             a[order[i]], b[order[i]]});
  }
  return best;
}

void show_tokens(const InspectSubject& subject, const TokenNames& names, const Places& p,
                 int64_t top, Inspection& out) {
  const bool ko = out.lang == Lang::ko;
  DataTable places{"answers",
                   ko ? "자리마다의 답" : "the answer at each place",
                   {"place", "input", "before", "p", "after", "p after", "divergence"}};
  Picture bars{.kind = Picture::Kind::bars, .name = "divergence"};
  bars.title = ko ? "자리마다 답이 달라진 정도 (비트)" : "how far the answers moved, in bits";
  bars.x_title = ko ? "토큰" : "token", bars.y_title = "KL";
  double total = 0, changed = 0;
  bars.high = 0;
  for (int64_t t = 0; t < p.count; ++t) {
    const auto a = p.shares(false, t), b = p.shares(true, t);
    const size_t was = best_of(a), is = best_of(b);
    const double moved = divergence(a, b);
    total += moved, changed += was != is;
    if (t >= kMostPlaces) continue;
    const bool named = p.count > 1 && t < static_cast<int64_t>(names.target.size());
    const std::string word =
        named ? visible_token(names.target[static_cast<size_t>(t)]) : text_of(t);
    places.rows.push_back({t, word, visible_token(subject.token(static_cast<int64_t>(was))), a[was],
                           visible_token(subject.token(static_cast<int64_t>(is))), b[is], moved});
    bars.columns.push_back(word);
    bars.values.values.push_back(moved);
    bars.high = std::max(bars.high, moved);
  }
  bars.values.rows = 1, bars.values.columns = static_cast<int64_t>(bars.columns.size());
  bars.rows = {"KL"};
  const auto n = static_cast<double>(p.count);
  out.facts.emplace_back("divergence", total / n);
  out.facts.emplace_back("changed", changed / n);
  if (p.count > 1) out.plates.push_back({std::move(bars)});
  out.tables.push_back(top_table(subject, p, top, ko));
  if (p.count > 1) out.tables.push_back(std::move(places));
}

// Forecasts and vectors: numbers against numbers.
void show_numbers(const Answers& before, const Answers& after, bool forecast, Inspection& out) {
  const bool ko = out.lang == Lang::ko;
  out.facts.emplace_back("distance", distance(before, after));
  if (!forecast) return;
  const auto a = to_host<float>(before.values), b = to_host<float>(after.values);
  const int64_t horizon = before.values.dim(1), series = before.values.dim(2);
  DataTable table{"forecast",
                  ko ? "첫 시계열의 예측" : "forecast of the first series",
                  {"step", "before", "after"}};
  Picture p{.kind = Picture::Kind::lines, .name = "forecast"};
  p.title = table.title, p.x_title = ko ? "스텝" : "step", p.y_title = ko ? "값" : "value";
  p.rows = {ko ? "전" : "before", ko ? "후" : "after"};
  p.values = Matrix(2, horizon);
  for (int64_t t = 0; t < horizon; ++t) {
    const auto at = static_cast<size_t>(t * series);
    table.rows.push_back({t, double{a[at]}, double{b[at]}});
    p.values.at(0, t) = a[at], p.values.at(1, t) = b[at];
    p.columns.push_back(text_of(t));
  }
  const auto [low, high] = std::minmax_element(p.values.values.begin(), p.values.values.end());
  p.low = *low, p.high = *high;
  out.plates.push_back({std::move(p)});
  out.tables.push_back(std::move(table));
}

}  // namespace

Json number_json(double x) { return std::isnan(x) ? Json() : Json(x); }

double distance(const Answers& before, const Answers& after) {
  const auto a = to_host<float>(before.values), b = to_host<float>(after.values);
  double apart = 0, size = 0;
  for (size_t i = 0; i < a.size(); ++i)
    apart += (a[i] - b[i]) * double{a[i] - b[i]}, size += double{a[i]} * a[i];
  return std::sqrt(apart / std::max(size, 1e-300));
}

void show_losses(double before, double after, Inspection& out) {
  const bool ko = out.lang == Lang::ko;
  out.facts.emplace_back("loss_before", number_json(before));
  out.facts.emplace_back("loss_after", number_json(after));
  out.tables.push_back({"loss",
                        "",
                        {"", "loss"},
                        {{ko ? "전" : "before", number_json(before)},
                         {ko ? "후" : "after", number_json(after)},
                         {ko ? "차이" : "change", number_json(after - before)}}});
}

void show_change(const InspectSubject& subject, const TokenNames& names, const Answers& before,
                 const Answers& after, int64_t top, Inspection& out) {
  show_losses(before.loss, after.loss, out);
  const Model& m = subject.model();
  const bool vectors = m.encodes() && (m.encoder.task == EncoderTask::embed ||
                                       m.encoder.task == EncoderTask::detect);
  const bool forecast = m.encodes() && m.encoder.task == EncoderTask::forecast;
  if (vectors || forecast) return show_numbers(before, after, forecast, out);
  show_tokens(subject, names, places_of(before, after), top, out);
}

std::vector<EachPart> parts_of(const std::vector<StepRecord>& steps, const std::string& kind) {
  const std::vector<Switch> all = kind == "head" ? parse_switches("head:0") : parse_switches(kind);
  Switch any = all.at(0);
  any.layer = -1, any.side = Switch::Side::any;
  std::vector<EachPart> out;
  std::set<std::string> met;
  for (const StepRecord& s : steps) {
    if (s.layer < 0 || !any.holds({s.part, s.layer, s.source})) continue;
    const std::string place = text_of(s.source ? "encoder." : "", s.layer);
    if (!met.insert(place).second) continue;
    if (kind != "head") {
      out.push_back({text_of(kind, ":", place), place});
      continue;
    }
    for (int64_t h = 0; h < s.shape.dim(-2); ++h)
      out.push_back({text_of("head:", place, ".", h), place, h});
  }
  return out;
}

void show_each(const std::vector<EachPart>& parts, const std::string& kind, EachMeasure measure,
               Inspection& out) {
  const bool ko = out.lang == Lang::ko;
  const char* const title =
      measure == EachMeasure::loss
          ? (ko ? "하나씩 껐을 때 손실의 변화" : "change of the loss without each")
          : (ko ? "하나씩 껐을 때 답이 움직인 거리" : "how far the answers move without each");
  DataTable table{"each", title, {"part", "change"}};
  Picture p{.name = "each", .title = table.title};
  p.diverging = true;
  p.x_title = kind == "head" ? (ko ? "헤드" : "head") : kind, p.y_title = ko ? "층" : "layer";
  int64_t heads = 1;
  double most = 1e-6;
  for (const EachPart& part : parts) {
    heads = std::max(heads, part.head + 1);
    most = std::max(most, std::abs(part.change));
    if (p.rows.empty() || p.rows.back() != part.layer) p.rows.push_back(part.layer);
    table.rows.push_back({part.text, part.change});
  }
  p.values = Matrix(static_cast<int64_t>(p.rows.size()), heads);
  for (const EachPart& part : parts) {
    const auto row = std::find(p.rows.begin(), p.rows.end(), part.layer) - p.rows.begin();
    p.values.at(row, part.head) = part.change;
  }
  for (int64_t h = 0; h < heads; ++h) p.columns.push_back(heads > 1 ? text_of(h) : kind);
  const double unit = std::pow(10.0, std::floor(std::log10(most)) - 1);
  p.high = std::ceil(most / unit) * unit, p.low = -p.high;
  out.plates.push_back({std::move(p)});
  std::stable_sort(table.rows.begin(), table.rows.end(),
                   [](const auto& a, const auto& b) { return a[1].number() > b[1].number(); });
  out.tables.push_back(std::move(table));
}

}  // namespace jogak
