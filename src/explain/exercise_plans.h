// What the exercises are: numbers to draw, and rules that lead from them to the answer.
#pragma once

#include <span>
#include <vector>

#include "base/lang.h"

namespace jogak {

struct DrawnMatrix {
  const char* name;
  int rows, columns;
  double low, high, grain;  // multiples of `grain` from low to high
};

struct PlanLine {
  const char *name, *rule;  // as in explain/rule.h
};

struct ExercisePlan {
  const char* topic;
  Words title, question;
  std::vector<DrawnMatrix> given;
  std::vector<PlanLine> lines;  // the last one is the answer
  int digits = 3;
};

struct ChapterPlan {
  Words title;
  std::vector<ExercisePlan> exercises;
};

const std::vector<ChapterPlan>& chapter_plans();

std::vector<ChapterPlan> first_chapters();  // 1 to 4
std::vector<ChapterPlan> last_chapters();   // 5 to 8

}  // namespace jogak
