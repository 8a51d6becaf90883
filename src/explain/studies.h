// Which study tries in training what a lesson tells: recipes/study-NAME.toml.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace jogak {

struct LessonStudy {
  std::string_view topic, study;  // "masks", "mask"
};
const std::vector<LessonStudy>& lesson_studies();

// "recipes/study-mask.toml", in the order of the list; none: there is nothing to train.
std::vector<std::string> studies_of(std::string_view topic);

}  // namespace jogak
