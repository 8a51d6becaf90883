#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.h"
#include "look/views.h"

namespace jogak {
namespace {

constexpr int64_t kMostColumns = 128;  // of a heat map: more cannot be told apart

std::vector<std::string> counted(int64_t count, int64_t step = 1) {
  std::vector<std::string> out;
  for (int64_t i = 0; i < count; ++i) out.push_back(std::to_string(i * step));
  return out;
}

double largest(const Matrix& m) {
  double out = 1e-9;
  for (const double x : m.values) out = std::max(out, std::abs(x));
  return out;
}

// Rounded up to two digits, so that a scale has readable ends.
double rounded_up(double x) {
  const double unit = std::pow(10.0, std::floor(std::log10(x)) - 1);
  return std::ceil(x / unit - 1e-9) * unit;
}

// Every step-th column, so that at most kMostColumns are left.
Matrix thinned(const Matrix& m, int64_t step) {
  Matrix out(m.rows, (m.columns + step - 1) / step);
  for (int64_t i = 0; i < m.rows; ++i)
    for (int64_t j = 0; j < out.columns; ++j) out.at(i, j) = m.at(i, j * step);
  return out;
}

struct Caption {
  std::string name, title, x, y;
};

Plate heat_map(const Matrix& values, const Caption& c, bool transpose) {
  const int64_t step = (values.columns + kMostColumns - 1) / kMostColumns;
  Picture p{.name = c.name, .title = c.title, .x_title = c.x, .y_title = c.y};
  p.values = thinned(values, std::max<int64_t>(step, 1));
  p.rows = counted(p.values.rows);
  p.columns = counted(p.values.columns, std::max<int64_t>(step, 1));
  p.diverging = true;
  p.high = rounded_up(largest(values)), p.low = -p.high;
  if (transpose) {
    p.values = transposed(p.values);
    std::swap(p.rows, p.columns), std::swap(p.x_title, p.y_title);
  }
  return {std::move(p)};
}

Plate curves(const Matrix& values, const Caption& c, std::vector<std::string> series) {
  Picture p{.kind = Picture::Kind::lines,
            .name = c.name,
            .title = c.title,
            .x_title = c.x,
            .y_title = c.y};
  p.values = values;
  p.rows = std::move(series);
  p.columns = counted(values.columns);
  const auto [low, high] = std::minmax_element(values.values.begin(), values.values.end());
  p.low = *low, p.high = *high;
  return {std::move(p)};
}

// A few columns as curves over the positions: fast ones first where there are waves.
Plate waves(const Matrix& table, const Caption& c, std::string_view what) {
  std::set<int64_t> chosen;
  for (const int64_t part : {0L, 16L, 8L, 4L}) chosen.insert(part == 0 ? 0 : table.columns / part);
  Matrix out(static_cast<int64_t>(chosen.size()), table.rows);
  std::vector<std::string> names;
  for (const int64_t j : chosen) {
    for (int64_t i = 0; i < table.rows; ++i)
      out.at(static_cast<int64_t>(names.size()), i) = table.at(i, j);
    names.push_back(text_of(what, " ", j));
  }
  return curves(out, c, std::move(names));
}

// The mean over positions of how alike rows are that stand k apart; `cosine`: by direction alone.
Matrix likeness(const Matrix& table, bool cosine) {
  Matrix out(1, table.rows);
  const auto product = [&](int64_t a, int64_t b) {
    double sum = 0;
    for (int64_t j = 0; j < table.columns; ++j) sum += table.at(a, j) * table.at(b, j);
    return sum;
  };
  for (int64_t k = 0; k < table.rows; ++k) {
    double sum = 0;
    for (int64_t p = 0; p + k < table.rows; ++p) {
      const double norm =
          cosine ? std::sqrt(product(p, p) * product(p + k, p + k)) : double(table.columns) / 2;
      sum += norm > 0 ? product(p, p + k) / norm : 0;
    }
    out.at(0, k) = sum / static_cast<double>(table.rows - k);
  }
  return out;
}

// For each dimension: how far neighbours lie apart, and how far the halves' means.
Matrix told_by_dimension(const Matrix& t) {
  Matrix out(2, t.columns);
  for (int64_t j = 0; j < t.columns; ++j) {
    double near = 0, first = 0, second = 0;
    const int64_t half = t.rows / 2;
    for (int64_t i = 0; i + 1 < t.rows; ++i) near += std::abs(t.at(i + 1, j) - t.at(i, j));
    for (int64_t i = 0; i < t.rows; ++i) (i < half ? first : second) += t.at(i, j);
    out.at(0, j) = near / std::max<double>(1, static_cast<double>(t.rows - 1));
    out.at(1, j) = std::abs(first / std::max<double>(1, static_cast<double>(half)) -
                            second / static_cast<double>(t.rows - half));
  }
  return out;
}

void show_added(const PositionTable& t, bool transpose, Inspection& out) {
  const bool ko = out.lang == Lang::ko;
  const std::string place = ko ? "위치" : "position", dim = ko ? "차원" : "dimension";
  out.plates.push_back(heat_map(
      t.values,
      {t.name, text_of(t.name, ko ? ": 위치 × 차원" : ": position by dimension"), dim, place},
      transpose));
  out.plates.push_back(waves(
      t.values,
      {t.name + ".waves", ko ? "차원 하나씩" : "single dimensions", place, ko ? "값" : "value"},
      dim));
  out.plates.push_back(
      curves(likeness(t.values, true),
             {t.name + ".similarity", ko ? "거리에 따른 닮음" : "similarity by distance",
              ko ? "거리" : "distance", ko ? "평균 코사인" : "mean cosine"},
             {ko ? "코사인" : "cosine"}));
  out.plates.push_back(curves(
      told_by_dimension(t.values),
      {t.name + ".tells", ko ? "각 차원이 가르는 것" : "what each dimension tells apart", dim,
       ko ? "차이" : "difference"},
      {ko ? "이웃한 위치" : "neighbours", ko ? "앞 절반과 뒤 절반" : "first and second half"}));
}

void show_rotary(const PositionTable& t, bool transpose, Inspection& out) {
  const bool ko = out.lang == Lang::ko;
  const int64_t half = t.values.columns / 2;
  Matrix cosines(t.values.rows, half);
  for (int64_t i = 0; i < t.values.rows; ++i)
    for (int64_t j = 0; j < half; ++j) cosines.at(i, j) = t.values.at(i, j);
  const std::string place = ko ? "위치" : "position", pair = ko ? "짝" : "pair";
  out.plates.push_back(heat_map(
      cosines,
      {t.name,
       ko ? "RoPE: 각 짝이 도는 각의 코사인" : "RoPE: cosine of the angle each pair turns by", pair,
       place},
      transpose));
  out.plates.push_back(
      waves(cosines,
            {t.name + ".waves", ko ? "짝 하나씩" : "single pairs", place, ko ? "코사인" : "cosine"},
            pair));
  out.plates.push_back(curves(likeness(t.values, false),
                              {t.name + ".similarity",
                               ko ? "거리에 따라 같은 쿼리와 키가 맞는 정도"
                                  : "how well equal query and key fit, by distance",
                               ko ? "거리" : "distance", ko ? "평균 코사인" : "mean cosine"},
                              {ko ? "코사인" : "cosine"}));
}

void show_alibi(const PositionTable& t, bool transpose, Inspection& out) {
  const bool ko = out.lang == Lang::ko;
  // Softmax takes off what a whole row has in common: what counts is the distance from the last.
  Matrix away(t.values.rows, t.values.columns);
  for (int64_t h = 0; h < away.rows; ++h)
    for (int64_t k = 0; k < away.columns; ++k)
      away.at(h, k) = t.values.at(h, away.columns - 1 - k) - t.values.at(h, away.columns - 1);
  const std::string far = ko ? "거리" : "distance";
  out.plates.push_back(
      heat_map(away,
               {t.name, ko ? "ALiBi: 점수에 더하는 값" : "ALiBi: added to the score", far,
                ko ? "헤드" : "head"},
               transpose));
  std::vector<std::string> names;
  const int64_t shown = std::min<int64_t>(away.rows, 8);
  Matrix first(shown, away.columns);
  for (int64_t h = 0; h < shown; ++h) {
    names.push_back(text_of(ko ? "헤드 " : "head ", h));
    for (int64_t k = 0; k < away.columns; ++k) first.at(h, k) = away.at(h, k);
  }
  out.plates.push_back(curves(first,
                              {t.name + ".lines", ko ? "헤드마다의 기울기" : "one slope a head",
                               far, ko ? "더하는 값" : "added"},
                              std::move(names)));
}

// What each head adds to the score of a key before (negative) or behind the query.
void show_relative(const PositionTable& t, bool transpose, Inspection& out) {
  const bool ko = out.lang == Lang::ko;
  const std::string far = ko ? "거리 (키 - 쿼리)" : "distance (key - query)";
  const int64_t zero = t.values.columns / 2;  // as many on either side
  std::vector<std::string> distances, names;
  for (int64_t k = 0; k < t.values.columns; ++k) distances.push_back(std::to_string(k - zero));
  for (int64_t h = 0; h < t.values.rows; ++h) names.push_back(text_of(ko ? "헤드 " : "head ", h));
  const std::string title =
      ko ? "상대 위치: 점수에 더하는 값" : "relative positions: added to the score";
  Plate map = heat_map(t.values, {t.name, title, far, ko ? "헤드" : "head"}, false);
  if (t.values.columns <= kMostColumns) map.picture.columns = distances;
  if (transpose) {
    Picture& p = map.picture;
    p.values = transposed(p.values);
    std::swap(p.rows, p.columns), std::swap(p.x_title, p.y_title);
  }
  out.plates.push_back(std::move(map));
  Matrix first(std::min<int64_t>(t.values.rows, 8), t.values.columns);
  for (int64_t h = 0; h < first.rows; ++h)
    for (int64_t k = 0; k < first.columns; ++k) first.at(h, k) = t.values.at(h, k);
  names.resize(static_cast<size_t>(first.rows));
  Plate lines = curves(
      first,
      {t.name + ".lines", ko ? "헤드마다" : "one line a head", far, ko ? "더하는 값" : "added"},
      std::move(names));
  lines.picture.columns = distances;
  out.plates.push_back(std::move(lines));
}

}  // namespace

void show_positions(const std::vector<PositionTable>& tables, bool transpose, Inspection& out) {
  out.title = text_of(out.model_type,
                      out.lang == Lang::ko ? ": 위치를 아는 방법" : ": how it knows positions");
  ensure<UsageError>(!tables.empty(), "this model knows no positions");
  std::set<std::string> shown;
  for (const PositionTable& t : tables) {
    // An encoder-decoder has the same table on both sides.
    const bool again = std::any_of(tables.begin(), tables.end(), [&](const PositionTable& other) {
      return shown.contains(other.name) && other.values == t.values;
    });
    if (again || !shown.insert(t.name).second) continue;
    switch (t.kind) {
      case PositionTable::Kind::added: show_added(t, transpose, out); break;
      case PositionTable::Kind::rotary: show_rotary(t, transpose, out); break;
      case PositionTable::Kind::alibi: show_alibi(t, transpose, out); break;
      case PositionTable::Kind::relative: show_relative(t, transpose, out); break;
    }
  }
}

}  // namespace jogak
