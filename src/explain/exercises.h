// Exercises with seeded numbers, and the marking of what a learner filled in by hand.
//
// A file of exercises is plain text: a first line "# jogak exercises seed=7", then questions, each
// opened by its number ("3.2 ...") and closed by a line "answer:" (or "답:") to be filled in. All
// else is for the reader. An answer is one or more numbers, parted by commas or spaces.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/lang.h"
#include "draw/matrix.h"

namespace jogak {

inline constexpr int kChapters = 8, kExercisesInChapter = 5;

struct Exercise {
  std::string id;     // "3.2"
  std::string topic;  // where to read up on it: jogak explain TOPIC
  std::string title, question;
  std::vector<std::string> given;     // "q = [[1, 2]]"
  std::vector<std::string> solution;  // worked by hand
  Matrix answer;
  int digits = 3;  // decimals asked for
};

// `chapter` from 1 to kChapters, `number` from 1 to kExercisesInChapter; UsageError otherwise.
Exercise make_exercise(int chapter, int number, uint64_t seed, Lang lang);
std::string chapter_title(int chapter, Lang lang);

// The file of one chapter, or of all with chapter 0.
std::string exercise_sheet(int chapter, uint64_t seed, Lang lang);

struct Mark {
  enum class Kind : uint8_t { right, wrong, empty };
  Exercise exercise;
  std::string written;  // by the learner
  Kind kind = Kind::empty;
};

// Marks every exercise of a file. `place` names the file in errors. Throws FormatError: "FILE: byte
// 12: found exercise 9.1, wanted ...".
std::vector<Mark> mark_sheet(const std::string& text, const std::string& place, Lang lang);

// A number is right within one unit of the last decimal asked for: sums by hand are rounded.
bool answers_match(const std::vector<double>& written, const Exercise& exercise);

bool all_right(const std::vector<Mark>& marks);
std::string marks_text(const std::vector<Mark>& marks, Lang lang);
Json to_json(const Mark& mark);  // {"id","topic","written","mark","wanted","solution"}
Json marks_json(const std::vector<Mark>& marks);  // {"schema","right","count","answers":[..]}

}  // namespace jogak
