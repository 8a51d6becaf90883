// Text on its way to the reader, watched for stop strings: what could still become one is held
// back, so that no part of a stop string is ever shown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace jogak {

class StopFilter {
 public:
  StopFilter() = default;
  // UsageError when a string is empty, too long or not UTF-8, or when there are too many.
  explicit StopFilter(std::vector<std::string> stops);

  // Takes more text and gives what may be shown. After a stop string nothing is shown any more.
  std::string push(std::string_view text);
  std::string finish();  // what was held back, now that no stop string can come
  bool stopped() const { return stopped_; }

  static constexpr size_t kMost = 64, kLongest = 4096;

 private:
  std::vector<std::string> stops_;
  std::string held_;
  bool stopped_ = false;
};

}  // namespace jogak
