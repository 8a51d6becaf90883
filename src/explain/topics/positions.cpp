#include <algorithm>
#include <set>

#include "explain/arithmetic.h"
#include "explain/topics/positions_steps.h"

namespace jogak {
namespace {

constexpr int64_t kShownRows = 4, kShownColumns = 8;

constexpr TopicInput kInputs[] = {
    {"d", TopicInput::Kind::even, {"벡터의 너비, 짝수", "width of the vectors, even"}, {}, 2, 512},
    {"length", TopicInput::Kind::integer, {"위치의 수", "how many positions"}, {}, 2, 256},
};

constexpr Words kPosition{"위치", "position"};

// Without a d of the user's, the smallest example is worked by hand (4) and wavelengths are those
// of the 2017 model (512).
PositionSizes read(Sheet& s) {
  PositionSizes n;
  n.d = s.integer("d", 4);
  n.length = s.integer("length", 50);
  n.wide = s.request().inputs.count("d") ? n.d : 512;
  n.rows = std::min(n.length, kShownRows);
  n.shown = std::min(n.d, kShownColumns);
  const int64_t count = n.wide / 2;
  std::set<int64_t> pairs;
  for (const int64_t i : {int64_t{0}, int64_t{1}, int64_t{2}, count / 4, count / 2, count * 3 / 4})
    if (i < count) pairs.insert(i);
  pairs.insert(count - 1);
  n.pairs.assign(pairs.begin(), pairs.end());
  return n;
}

std::vector<double> counted(int64_t count) {
  std::vector<double> out;
  for (int64_t i = 0; i < count; ++i) out.push_back(static_cast<double>(i));
  return out;
}

void draw_map(Sheet& s, const Matrix& values) {
  const std::string width = std::to_string(values.columns);
  const Words title{"위치 인코딩 (d = {0})", "Positional encoding (d = {0})"};
  Picture& picture = s.heatmap("pe", values, {title, {"차원", "dimension"}, kPosition},
                               labels("", values.rows, 0), labels("", values.columns, 0));
  picture.title = filled(picture.title, {width});
}

// A fast, a middle and a slow dimension over the positions.
void draw_waves(Sheet& s, const Matrix& values) {
  std::set<int64_t> chosen;
  for (const int64_t eighths : {0, 2, 4, 6}) chosen.insert(values.columns * eighths / 16 * 2);
  Matrix lines(static_cast<int64_t>(chosen.size()), values.rows);
  Parts series;
  for (const int64_t column : chosen) {
    const auto row = static_cast<int64_t>(series.size());
    for (int64_t p = 0; p < values.rows; ++p) lines.at(row, p) = values.at(p, column);
    series.push_back(filled(s.in({"차원 {0}", "dimension {0}"}), {std::to_string(column)}));
  }
  Picture& picture =
      s.chart(Picture::Kind::lines, "waves", lines,
              {{"차원 하나하나의 물결", "Waves of single dimensions"}, kPosition, {"값", "value"}},
              series, labels("", values.rows, 0));
  picture.low = -1;
  picture.high = 1;
}

void draw_similarity(Sheet& s, const PositionSizes& n) {
  Matrix line(1, n.length);
  for (int64_t k = 0; k < n.length; ++k)
    line.at(0, k) = plain::position_dot(0, static_cast<double>(k), n.wide);
  Picture& picture = s.chart(Picture::Kind::lines, "similarity", line,
                             {{"거리에 따른 닮음 (d = {0})", "Similarity by distance (d = {0})"},
                              {"거리 k", "distance k"},
                              {"내적", "dot product"}},
                             {"PE(p)·PE(p+k)"}, labels("", n.length, 0));
  picture.title = filled(picture.title, {std::to_string(n.wide)});
}

void write(Sheet& s) {
  const PositionSizes n = read(s);
  s.tell(write_position_story, write_position_steps, write_position_math, n);
  // A width of 64 shows both fast and slow dimensions and can still be read.
  const int64_t width = s.request().inputs.count("d") ? n.d : 64;
  const Matrix map = plain::position_encoding(counted(n.length), width);
  draw_map(s, map);
  draw_waves(s, map);
  draw_similarity(s, n);
}

}  // namespace

const Topic& positions_topic() {
  static constexpr Topic topic{
      .name = "positions",
      .title = {"위치 인코딩: 순서를 알려 주기", "Positional encoding: telling the order"},
      .inputs = kInputs,
      .takes_transpose = true,
      .write = write};
  return topic;
}

}  // namespace jogak
