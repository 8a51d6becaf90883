// `jogak explain`: worked examples with formula, shape and numbers, and their renderings.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
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
  bool transpose = false;                // heat maps the other way round
  std::vector<std::string> words = {};   // the user's own, as labels of rows
  std::shared_ptr<const ModelOutline> outline = {};  // of a model of the user's
  std::shared_ptr<const HeadView> head = {};         // one head of it at work
};

// What a topic takes, for help texts and for checking.
struct TopicInput {
  enum class Kind : uint8_t { vector, matrix, integer, number, mask, shares };
  std::string_view name;
  Kind kind;
  Words meaning;
  // "n,d": the same letter is the same size in all inputs of a topic; a number is that size.
  std::string_view shape = {};
  double low = -kLargestEntry, high = kLargestEntry;  // what an entry may be
};

// The parts of the curriculum, and what belongs to each.
struct TopicSection {
  Words title;
  std::vector<std::string> topics;
};
std::vector<TopicSection> explain_sections();

std::vector<std::string> explain_topics();
std::string topic_title(std::string_view topic, Lang lang);
std::vector<TopicInput> topic_inputs(std::string_view topic);

Level parse_level(std::string_view name);  // story, student or math; UsageError otherwise
const char* level_name(Level level);

// Throws UsageError for an unknown topic or input (naming the nearest known one) and for numbers
// that do not fit together.
Lesson explain(const ExplainRequest& request);

std::string to_text(const Lesson& lesson, bool colour, int columns = 80);
Json to_json(const Lesson& lesson);  // "schema": 1
std::string to_svg(const Lesson& lesson);
std::string to_code(const Lesson& lesson, std::string_view library);  // "numpy" or "pytorch"

}  // namespace jogak
