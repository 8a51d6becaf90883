// A text file as a stream of pieces small enough to encode one by one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/file.h"

namespace jogak {

// Takes text in any portions and hands out pieces of about `size` bytes. A cut comes right after
// a line feed that stands alone between two characters that are not white space: tokenizers group
// white space with what is before or after it, and at such a place the grouping is the same
// whether or not the text goes on. Where 16 pieces' length has no such place the cut is made after
// any line feed, and without one between two characters.
class PieceCutter {
 public:
  PieceCutter(size_t size, Sink take) : size_(size), take_(std::move(take)) {}
  void feed(std::string_view text);
  void finish();  // hands out the rest

 private:
  size_t cut_place() const;  // 0: wait for more text

  size_t size_;
  Sink take_;
  std::string buffer_;
};

// The characters of a plain, .gz or .zst file, a byte order mark left out. FormatError with the
// byte when it is not UTF-8.
int64_t count_characters(const std::string& path);

// Characters first .. last-1 of such a file, in portions that end between characters.
void read_characters(const std::string& path, int64_t first, int64_t last, const Sink& take);

}  // namespace jogak
