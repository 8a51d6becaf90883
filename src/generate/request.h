// One text that is asked for.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "generate/generated.h"
#include "generate/options.h"
#include "generate/token_guide.h"

namespace jogak {

struct GenerateRequest {
  std::vector<int> prompt = {};
  SamplingOptions sampling = {};
  uint64_t stream = 0;  // of random numbers: texts of one seed that are not to be the same
  ScoreRules rules = {};
  int64_t max_new = 0;                 // most new tokens; 0: until the context is full
  std::vector<int> eos_ids = {};       // tokens that end the text
  std::vector<std::string> stop = {};  // strings that end the text and are not part of it
  // Called with each new piece of text, whole characters only. All pieces together are the text.
  std::function<void(std::string_view)> on_text = {};
  size_t show = 0;  // how many of the candidates of each new token to keep in the result
  // How likely the new tokens were, and so many of the likeliest beside each; -1: not asked.
  int64_t chances = -1;
  bool prompt_chances = false;  // the same of the prompt's
  MakeGuide guide = {};         // narrows what may come; empty: nothing does
  uint64_t client = 0;          // who asks: of those that wait, one with the fewest running is next
};

}  // namespace jogak
