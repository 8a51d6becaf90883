// A worked example as data. Topics compute it; lesson_text, lesson_json and
// lesson_svg show it. Nothing here knows how it will look.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/lang.h"
#include "draw/numbers.h"
#include "draw/picture.h"

namespace jogak {

enum class Level : uint8_t { story, student, math };

// Named numbers. `name` is the same in JSON, in the Python code and in every language.
struct Table {
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
  std::vector<std::string> code;  // lines of Python to be read, as other people write them
};

struct Lesson {
  std::string topic, title;
  Level level = Level::student;
  Lang lang = Lang::en;
  bool causal = false;
  std::map<std::string, Matrix> inputs;  // as used: the user's or the example's
  std::vector<Step> steps;
  std::vector<Picture> pictures;
  std::string numpy, pytorch;             // runnable code that prints every table by its name
  std::vector<std::string> studies = {};  // recipes that try it in training
};

}  // namespace jogak
