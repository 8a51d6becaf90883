// Lines "prompt = answer" for a language model: it reads both and is judged on the answer.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "data/batch.h"

namespace jogak {

struct LineOptions {
  std::string separator =
      " = ";            // its first occurrence ends the prompt; empty: all of a line counts
  int end_id = 0;       // follows every answer and is learned with it
  int64_t context = 0;  // most ids of an example
};

// The lines of a plain, .gz or .zst file of UTF-8, looked for with find_data, without their ends
// (\n or \r\n; a lone \r is part of its line) and without a byte order mark. FormatError with line
// and byte in it where it is not UTF-8 text, and for a line longer than kLongestLine; with
// `longest` lines above that are empty, and it knows them.
inline constexpr size_t kLongestLine = size_t{16} << 20;
class LongLines;
std::vector<std::string> read_lines(const std::string& file, const std::string& where_to_get = "",
                                    LongLines* longest = nullptr);

class LineData {
 public:
  // Empty lines are passed over; `name` is what errors call the lines. Lines too long for the
  // context are left out, counted, and reported in one warning.
  LineData(const std::vector<std::string>& lines, const std::string& name, const Encode& encode,
           const LineOptions& options);
  // From a plain, .gz or .zst file of UTF-8, looked for with find_data.
  static LineData from_file(const std::string& path, const Encode& encode,
                            const LineOptions& options);

  int64_t size() const { return static_cast<int64_t>(examples_.size()); }
  int64_t too_long() const { return too_long_; }

  // Rows as long as the longest of them; what is added to the others is ignored.
  Batch batch(std::span<const Pick> picks) const;
  Batch eval_batch(int64_t first, int64_t count) const;  // in order; fewer at the end

 private:
  struct Example {
    size_t begin = 0, answer = 0, end = 0;  // in ids_: all of it, and where the answer starts
  };

  std::string name_;
  LineOptions options_;
  std::vector<int32_t> ids_;
  std::vector<Example> examples_;
  int64_t too_long_ = 0;
};

}  // namespace jogak
