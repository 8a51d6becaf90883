// `jogak fill`: the words that a text leaves open.
#pragma once

#include <functional>

#include "app/use/text_encoder.h"

namespace jogak {

struct FillCommand {
  std::string directory;
  size_t top_k = 5;
  bool json = false;
  size_t batch = 32;
  std::function<void(const std::string&)> line = {};  // takes a line of the result
  std::function<void()> flush = {};                   // a bunch of lines is finished
};

// A function that writes for each mask of each text the likeliest tokens, a line each: token, score
// and the text with it, with tabs between. With json
// {"schema","text","predictions":[{"label","score","mask","id"}]}: the masks are numbered from 0.
TakeLines fill_lines(const FillCommand& command);

}  // namespace jogak
