// `jogak explain`: worked examples with formula, shape and numbers, and their renderings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "explain/request.h"
#include "explain/topic.h"

namespace jogak {

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
// No more lines than anybody reads: two screens of a story. Of larger lessons tables are cut short,
// and the last line says what was left out.
inline constexpr int kStoryLines = 80, kLessonLines = 400;
std::string to_short_text(const Lesson& lesson, bool colour, int columns = 80);
Json to_json(const Lesson& lesson);  // "schema": 1
std::string to_svg(const Lesson& lesson);
std::string to_code(const Lesson& lesson, std::string_view library);  // "numpy" or "pytorch"

}  // namespace jogak
