#include <set>

#include "explain/arithmetic.h"
#include "explain/topics/positions_steps.h"
#include "explain/topics/positions_words.h"

namespace jogak {
namespace {

namespace words = positions_words;
using Numbers = PositionNumbers;

constexpr int64_t kWidest = 512, kLongest = 256, kShownRows = 4, kShownColumns = 8;

int64_t checked(int64_t value, const char* name, int64_t high, bool even) {
  const bool good = value >= 2 && value <= high && (!even || value % 2 == 0);
  ensure<UsageError>(good, "positions: ", name, ": found ", value, ", wanted ",
                     even ? "an even number" : "a whole number", " from 2 to ", high);
  return value;
}

// Without a d of the user's, the smallest example is worked by hand (4) and wavelengths are those
// of the 2017 model (512).
Numbers read(const ExplainRequest& request, Lesson& lesson) {
  Numbers n;
  n.d = checked(integer_or(request, lesson, "d", 4), "d", kWidest, true);
  n.length = checked(integer_or(request, lesson, "length", 50), "length", kLongest, false);
  n.wide = request.inputs.count("d") ? n.d : 512;
  n.rows = std::min(n.length, kShownRows);
  n.shown = std::min(n.d, kShownColumns);
  n.half = n.length / 2;
  const int64_t count = n.wide / 2;
  std::set<int64_t> pairs;
  for (const int64_t i : {int64_t{0}, int64_t{1}, int64_t{2}, count / 4, count / 2, count * 3 / 4})
    if (i < count) pairs.insert(i);
  pairs.insert(count - 1);
  n.pairs.assign(pairs.begin(), pairs.end());
  n.distances = {0, 1, 2, 8, 64};
  return n;
}

Picture heat_map(const Lesson& lesson, const Matrix& values) {
  Picture out{Picture::Kind::heatmap,
              "pe",
              filled(words::kHeatMap(lesson.lang), {std::to_string(values.columns)}),
              std::string(words::kDimension(lesson.lang)),
              std::string(words::kPosition(lesson.lang)),
              values,
              labels("", values.rows, 0),
              labels("", values.columns, 0),
              -1,
              1,
              true};
  return out;
}

// A fast, a middle and a slow dimension over the positions.
Picture waves(const Lesson& lesson, const Matrix& values) {
  std::set<int64_t> chosen;
  for (const int64_t eighths : {0, 2, 4, 6}) chosen.insert(values.columns * eighths / 16 * 2);
  Picture out{Picture::Kind::lines,
              "waves",
              std::string(words::kWaves(lesson.lang)),
              std::string(words::kPosition(lesson.lang)),
              std::string(words::kValue(lesson.lang)),
              Matrix(static_cast<int64_t>(chosen.size()), values.rows),
              {},
              labels("", values.rows, 0),
              -1,
              1};
  int64_t row = 0;
  for (const int64_t column : chosen) {
    for (int64_t p = 0; p < values.rows; ++p) out.values.at(row, p) = values.at(p, column);
    out.rows.push_back(filled(words::kDimensionOf(lesson.lang), {std::to_string(column)}));
    ++row;
  }
  return out;
}

Picture similarity(const Lesson& lesson, const Numbers& n) {
  Picture out{Picture::Kind::lines,
              "similarity",
              filled(words::kSimilarity(lesson.lang), {std::to_string(n.wide)}),
              std::string(words::kDistance(lesson.lang)),
              std::string(words::kDotName(lesson.lang)),
              Matrix(1, n.length),
              {"PE(p)·PE(p+k)"},
              labels("", n.length, 0)};
  out.high = static_cast<double>(n.wide) / 2;
  for (int64_t k = 0; k < n.length; ++k) {
    out.values.at(0, k) = plain::position_dot(0, static_cast<double>(k), n.wide);
    out.low = std::min(out.low, out.values.at(0, k));
  }
  return out;
}

void set_positions_code(Lesson& lesson, const Numbers& n) {
  std::vector<CodeBlock> blocks = {words::kCodeEncoding, words::kCodeDots};
  blocks.push_back(lesson.level == Level::math ? words::kCodeMath : words::kCodeWaves);
  Matrix pairs(1, static_cast<int64_t>(n.pairs.size()));
  for (size_t i = 0; i < n.pairs.size(); ++i) pairs.values[i] = static_cast<double>(n.pairs[i]);
  set_code(
      lesson, blocks,
      {std::to_string(n.d), std::to_string(n.rows), std::to_string(n.shown), std::to_string(n.wide),
       python_vector(pairs), std::to_string(n.half), python_vector(Matrix::row_of(n.distances))},
      7);
}

void build(const ExplainRequest& request, Lesson& lesson) {
  const Numbers n = read(request, lesson);
  // A width of 64 shows both fast and slow dimensions and can still be read.
  const int64_t map_width = request.inputs.count("d") ? n.d : 64;
  const Matrix map = plain::position_encoding(counted(n.length), map_width);
  const Picture picture = heat_map(lesson, map);
  lesson.pictures = {request.transpose ? turned(picture) : picture, waves(lesson, map),
                     similarity(lesson, n)};
  set_positions_code(lesson, n);
  if (lesson.level == Level::math) return add_position_math(lesson, n);
  if (lesson.level == Level::student) return add_position_steps(lesson, n);
  add_step(lesson, words::kStoryOrder);
  add_step(lesson, words::kStoryClock).tables = {position_table(n)};
  add_step(lesson, words::kStoryDistance).tables = {dots_table(n)};
}

constexpr TopicInput kInputs[] = {
    {"d", TopicInput::Kind::integer, {"벡터의 너비, 짝수", "width of the vectors, even"}},
    {"length", TopicInput::Kind::integer, {"위치의 수", "how many positions"}},
};

}  // namespace

const Topic& positions_topic() {
  static constexpr Topic topic{"positions", words::kTitle, kInputs, false, true, build};
  return topic;
}

}  // namespace jogak
