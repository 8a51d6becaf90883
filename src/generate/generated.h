// What writing gives.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace jogak {

enum class FinishReason : uint8_t {
  running,    // not finished
  stop,       // the end token or a stop string came
  length,     // max_new or the model's context is used up
  cancelled,  // cancel() was called, or a step failed
};
const char* name_of(FinishReason reason);  // "stop", "length", ...

struct Candidate {  // for the next token
  int id = 0;
  double probability = 0;
};

struct TokenChance {
  int id = 0;
  float logprob = 0;
};

// How likely the model held a token, and what it held likeliest there, best first: before
// temperature and rules. The chosen one has the same float in both places.
struct TokenChances {
  TokenChance chosen = {};
  bool known = false;  // nothing stands before the first token of a text
  std::vector<TokenChance> best = {};
};

struct Generated {
  std::vector<int> ids = {};  // the new tokens, the end token included
  std::string text = {};  // what follows the prompt; no end token, nothing from a stop string on
  FinishReason finish_reason = FinishReason::running;
  std::vector<std::vector<Candidate>> candidates = {};          // of each new token, when asked for
  std::vector<TokenChances> chances = {}, prompt_chances = {};  // the same of new tokens and prompt
};

}  // namespace jogak
