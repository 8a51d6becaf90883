// Settings with nothing left open: what the searches take.
#pragma once

#include "generate/settings.h"

namespace jogak {

struct GenerationPlan {
  BeamOptions beam = {};  // one beam: taken or drawn token by token; n_best may be above it then
  std::vector<std::string> stop = {};
  int64_t max_new_tokens = 0, max_length = 0;  // 0: not said; the first counts where both are
  int start = -1;                              // decoder_start_token_id; -1: the model's
  std::string from = {};

  bool draws() const { return beam.sampling.temperature > 0; }
  // How many tokens may follow a prompt of so many; 0: not said. UsageError when it is too long.
  int64_t room_after(size_t prompt) const;
};

// FormatError naming the file and the key when settings contradict each other.
GenerationPlan plan_of(const GenerationSettings& settings);

// What is asked for counts before what the directory says. A directory that says how texts are made
// gets transformers' defaults for the rest; one that does not gets the usual ones of the command.
GenerationSettings merged(const GenerationSettings& directory, const GenerationSettings& asked,
                          const GenerationSettings& usual);

}  // namespace jogak
