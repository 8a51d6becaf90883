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
  bool colour = false;  // of the terminal the result goes to
  int columns = 80;
  std::function<void(const std::string&)> say;  // lines of the result, for stdout
};

// Trains an encoder-decoder to turn dates, character by character, into ISO dates; translates 500
// lines that neither training nor validation saw, tells three of them, shows where one looked, and
// writes result.json, {"schema","exact_match","lines","seconds",..}, and alignment.svg.
Json run_demo(const DemoCommand& command);

// Translates one date that the user typed.
class DateReader {
 public:
  explicit DateReader(const std::string& directory, const std::atomic<bool>* stop = nullptr);
  ~DateReader();
  std::string read(const std::string& text) const;  // its ISO form, or what the model thinks it is

  struct Parts;

 private:
  std::unique_ptr<Parts> parts_;
};

}  // namespace jogak
