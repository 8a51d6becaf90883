// One head of a model at work on a text: what `jogak explain qkv --model` shows.
#pragma once

#include <string>

#include "app/show/inspect_input.h"
#include "explain/head_view.h"

namespace jogak {

struct HeadChoice {
  std::string directory;
  InputChoice input = {};
  int64_t layer = 0, head = 0;  // from 0; of an encoder-decoder: of its encoder
};

// UsageError for a layer or a head that is not there, and for a text too long to be read.
HeadView head_view(const HeadChoice& choice);

}  // namespace jogak
