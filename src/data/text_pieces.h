// A text file as a stream of pieces small enough to encode one by one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

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

// A plain, .gz or .zst file, read anew for every look at it, or held in memory.
class TextFile {
 public:
  explicit TextFile(std::string path) : path_(std::move(path)) {}
  TextFile(std::string path, std::string text)
      : path_(std::move(path)), text_(std::make_shared<const std::string>(std::move(text))) {}

  const std::string& path() const { return path_; }
  const std::string* text() const { return text_.get(); }  // null: it is not held
  void read(const Sink& take) const;                       // in portions

 private:
  std::string path_;
  std::shared_ptr<const std::string> text_;
};

// Its characters, a byte order mark left out. FormatError with the byte when it is not UTF-8.
int64_t count_characters(const TextFile& file);

// Character number floor(share * characters) is the first behind the border.
int64_t border_of(double share, int64_t characters);

// Characters first .. last-1 of it, in portions that end between characters.
void read_characters(const TextFile& file, int64_t first, int64_t last, const Sink& take);

// All of it, what is before the border of a share to one and the rest to another, with one reading:
// while nobody knows how long the file is, what may fall to either waits in memory. Where that may
// be more than `most_waiting` bytes, the characters are counted first, in a reading of their own.
struct TextSides {
  Sink before, behind;
};
void read_split(const TextFile& file, double share, const TextSides& sides,
                uintmax_t most_waiting = uintmax_t{1} << 30);

}  // namespace jogak
