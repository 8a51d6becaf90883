// `jogak generate`: continues a text.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "base/json.h"

namespace jogak {

struct GenerateCommand {
  std::string directory, prompt;
  int64_t predict = 128;  // most new tokens
  double temperature = 0.8, top_p = 0.95, min_p = 0, repeat_penalty = 1;
  int64_t top_k = 40;
  uint64_t seed = 0;
  std::vector<std::string> stop = {};
  int beams = 1;
  std::string dtype = "auto";  // of the weights: auto, f32 or bf16
  // Pieces of text as they come, whole characters only; empty: not streamed.
  std::function<void(std::string_view)> on_text = {};
  const std::atomic<bool>* stop_flag = nullptr;
};

// {"schema","text","ids","finish_reason"}: the continuation, without the prompt.
Json generate_text(const GenerateCommand& command);

}  // namespace jogak
