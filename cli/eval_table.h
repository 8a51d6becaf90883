// What an evaluation found, for a person.
#pragma once

#include <string>

#include "app/measure/eval_result.h"
#include "base/lang.h"

namespace jogak::cli {

std::string eval_table(const EvalResult& result, Lang lang);

}  // namespace jogak::cli
