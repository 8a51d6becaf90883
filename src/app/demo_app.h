// `jogak demo`: the main job of the quickstart, start to end on generated data.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "base/json.h"
#include "base/lang.h"

namespace jogak {

struct DemoCommand {
  std::string out = "runs/quickstart";
  uint64_t seed = 1;
  int64_t steps = 0;  // 0: as the recipe says
  const std::atomic<bool>* stop = nullptr;
  Lang lang = Lang::en;
  std::function<void(const std::string&)> say;  // lines of the result, for stdout
};

// Trains a character-level GPT on dates, completes 500 held-out lines greedily, tells three of
// them, and writes result.json: {"schema","exact_match","lines","seconds",..}.
Json run_demo(const DemoCommand& command);

// Completes one date that the user typed.
class DateReader {
 public:
  explicit DateReader(const std::string& directory);
  ~DateReader();
  std::string read(const std::string& text) const;  // its ISO form, or what the model thinks it is

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace jogak
