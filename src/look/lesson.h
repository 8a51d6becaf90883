// A worked example as data. Topics compute it; lesson_text, lesson_json, lesson_svg and
// lesson_code show it. Nothing here knows how it will look.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/lang.h"
#include "look/matrix.h"

namespace jogak {

enum class Level : uint8_t { story, student, math };

// Named numbers. `name` is the same in JSON, in the Python code and in every language.
struct Table {
  static constexpr int kAsGiven = -1;  // a user's numbers are repeated exactly

  std::string name;                        // "scores"
  std::string caption;                     // "Q·Kᵀ"
  Matrix values;                           // -infinity marks a masked score
  std::vector<std::string> rows, columns;  // labels; may be empty
  int digits = 6;                          // after the point, or kAsGiven
  std::string rule = {};                   // from the tables before, as in rule.h; may be empty
};

struct Step {
  std::string name, title, text, formula, shape;
  std::vector<Table> tables;
  std::vector<std::string> work;  // by hand: "2·1 + 1·0 = 2", from numbers shown before
};

// A diagram: lanes of boxes, read from top to bottom, and links from the first lane to the second.
struct DiagramBox {
  enum class Part : uint8_t { embedding, attention, cross, feed_forward, norm, other };
  Part part = Part::other;
  std::string text, note;
  std::string repeat;  // "× 6": neighbours that have the same are repeated together
};
struct DiagramLane {
  std::string title;
  std::vector<DiagramBox> boxes;
};
struct DiagramLink {
  size_t from = 0, to = 0;  // boxes of the first and of the second lane
  std::string text;
};

struct Picture {
  enum class Kind : uint8_t { heatmap, bars, lines, diagram };

  Kind kind = Kind::heatmap;
  std::string name = {}, title = {}, x_title = {}, y_title = {};
  Matrix values = {};                  // lines and bars: one series a row
  std::vector<std::string> rows = {};  // heat map: labels of the y axis; otherwise the series
  std::vector<std::string> columns = {};
  double low = 0, high = 1;  // the range of the colours or of the y axis
  bool diverging = false;    // colours that meet in the middle of the range
  std::vector<DiagramLane> lanes = {};
  std::vector<DiagramLink> links = {};
};

struct Lesson {
  std::string topic, title;
  Level level = Level::student;
  Lang lang = Lang::en;
  bool causal = false;
  std::map<std::string, Matrix> inputs;  // as used: the user's or the example's
  std::vector<Step> steps;
  std::vector<Picture> pictures;
  std::string numpy, pytorch;  // runnable code that prints every table by its name
};

}  // namespace jogak
