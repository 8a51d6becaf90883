// The lessons of `jogak explain` and its exercises, as the page shows them.
#pragma once

#include <string>

#include "base/json.h"
#include "base/lang.h"

namespace jogak {

// {"sections":[{"title","topics":[{"name","title","inputs":[{"name","kind","meaning","shape"}],
// "causal","transpose","words","model"}]}],"chapters":[..]}: what there is to learn.
Json lesson_list(Lang lang);
bool is_lesson(const std::string& topic);

// {"chapter","title","seed","exercises":[{"id","topic","title","question","given","digits"}]}
Json exercise_list(int chapter, uint64_t seed, Lang lang);

// What `jogak explain --check --json` says of one answer: {"id","mark","wanted","solution"}.
Json marked_answer(const std::string& id, uint64_t seed, const std::string& written, Lang lang);

}  // namespace jogak
