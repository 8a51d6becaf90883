// `jogak demo`: the main job of the quickstart, start to end on generated data.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "base/json.h"
#include "base/lang.h"
#include "score/exact_match.h"

namespace jogak {

struct DemoOptions {
  std::string out = "runs/quickstart";
  bool overwrite = false;  // what is there and is no earlier demo
  uint64_t seed = 1;
  int64_t steps = 0;  // 0: as the recipe says
  const std::atomic<bool>* stop = nullptr;
  Lang lang = Lang::en;
  bool colour = false;  // of the terminal the result goes to
  int columns = 80;
  std::function<void(const std::string&)> say;  // lines of the result, for stdout
};

struct DemoResult {
  ExactMatch exact;
  double seconds = 0;
  uint64_t seed = 1;
  double valid_loss = 0;
};

// Trains an encoder-decoder to turn dates, character by character, into ISO dates; translates 500
// lines that neither training nor validation saw, tells three of them, shows where one looked, and
// writes result.json, which holds to_json, and alignment.svg.
DemoResult run_demo(const DemoOptions& options);
Json to_json(const DemoResult& result);  // {"schema","exact_match","lines","seconds",..}

}  // namespace jogak
