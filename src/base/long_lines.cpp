#include "base/long_lines.h"

#include <utility>

#include "base/error.h"
#include "base/listing.h"

namespace jogak {
namespace {

// "line 4", "lines 1, 3, 5 and 12 more"
std::string places_of(const std::vector<size_t>& lines) {
  std::vector<std::string> numbers;
  for (const size_t line : lines) numbers.push_back(std::to_string(line));
  return (lines.size() == 1 ? "line " : "lines ") + first_of(numbers);
}

}  // namespace

void LongLines::pass_over(const std::string& file, size_t number) {
  if (files_.empty() || files_.back().name != file) files_.push_back({file, {}});
  files_.back().lines.push_back(number);
}

const std::vector<size_t>& LongLines::of(const std::string& file) const {
  static const std::vector<size_t> none;
  for (const File& one : files_)
    if (one.name == file) return one.lines;
  return none;
}

void LongLines::complain() {
  if (files_.empty()) return;
  size_t count = 0;
  std::string places;
  for (const File& file : std::exchange(files_, {})) {
    places += text_of(count > 0 ? " and " : "", file.name, ": ", places_of(file.lines));
    count += file.lines.size();
  }
  const std::string lines = count == 1 ? "a line" : text_of(count, " lines");
  ensure<FormatError>(model_reads_ == 0, places, ": found ", lines, " of more than ", longest_,
                      " tokens, wanted at most ", model_reads_ > 0 ? longest_ / model_reads_ : 0,
                      " times the ", model_reads_,
                      " that the model reads; the others were answered");
  fail<FormatError>(places, ": found ", lines, " of more than ", longest_,
                    " bytes, wanted at most that (--max-line); the others were answered");
}

}  // namespace jogak
