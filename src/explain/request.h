// What a user asks `jogak explain` for.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "explain/lesson.h"

namespace jogak {

struct ModelOutline;
struct HeadView;

struct ExplainRequest {
  std::string topic;
  Level level = Level::student;
  Lang lang = Lang::en;
  std::map<std::string, Matrix> inputs;  // the user's own, by name; the rest is the example's
  bool causal = false;                   // attention: hide what comes later
  bool transpose = false;                // heat maps with rows and columns exchanged
  std::vector<std::string> words = {};   // the user's own, as labels of rows
  std::shared_ptr<const ModelOutline> outline = {};  // of a model of the user's
  std::shared_ptr<const HeadView> head = {};         // one head of it at work
};

}  // namespace jogak
