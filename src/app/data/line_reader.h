// Lines from a pipe, a file or a keyboard, as they come.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/long_lines.h"

namespace jogak {

inline constexpr size_t kLongestInputLine = size_t{16} << 20;

class LineReader {
 public:
  // `name` is what errors call the input. Reading stops with Stopped when the flag is set.
  LineReader(int fd, std::string name, const std::atomic<bool>* stop = nullptr,
             size_t longest = kLongestInputLine);

  // The next line without its newline; false at the end. It is valid until the next call. Lines of
  // more than `longest` bytes are passed over and never held; where there were any, the end is one
  // FormatError that names them.
  bool next(std::string_view& line);

  // Called before waiting for input: the place to show what is finished so far.
  void before_waiting(std::function<void()> call) { before_waiting_ = std::move(call); }

  const std::string& name() const { return name_; }
  size_t number() const { return number_; }  // of the line last given, from 1
  size_t offset() const { return offset_; }  // its first byte in the input

 private:
  bool fill();
  void pass_over();

  int fd_;
  std::string name_;
  const std::atomic<bool>* stop_;
  std::function<void()> before_waiting_;
  std::string buffer_;
  size_t used_ = 0, searched_ = 0, number_ = 0, offset_ = 0, next_offset_ = 0;
  LongLines long_;
  bool ended_ = false;
};

// FormatError with the byte in the whole input unless the line is UTF-8.
void ensure_utf8(const LineReader& in, std::string_view line);

// All there is, for a prompt: UTF-8, at most kLongestInputLine bytes.
std::string read_everything(LineReader& in);

}  // namespace jogak
