#include "data/text_pieces.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <filesystem>

#include "base/utf8.h"

namespace jogak {
namespace {

bool is_blank(char32_t c) {
  return c == ' ' || (c >= 9 && c <= 13) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

bool blank_before(std::string_view text, size_t at) {  // the character that ends at `at`
  size_t start = at - 1;
  while (start > 0 && at - start < 4 && continues(text[start])) --start;
  return is_blank(utf8::decode(text, start).code);
}

// A line feed alone between two characters that are not blank.
bool is_quiet_break(std::string_view text, size_t line_feed) {
  return line_feed > 0 && line_feed + 4 < text.size() && !blank_before(text, line_feed) &&
         !is_blank(utf8::decode(text, line_feed + 1).code);
}

// The whole file in portions of whole, checked characters, the byte order mark left out.
void read_checked(const TextFile& file, const Sink& take) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  std::string rest;
  size_t done = 0;  // bytes of the text that were handed on
  const auto hand_on = [&](std::string_view text) {
    const size_t bad = utf8::first_invalid(text);
    ensure<FormatError>(bad == std::string_view::npos, file.path(), ": byte ", done + bad,
                        ": found a byte that is not UTF-8, wanted UTF-8 text");
    const bool marked = done == 0 && text.starts_with(kMark);
    done += text.size();
    if (marked) text.remove_prefix(kMark.size());
    if (!text.empty()) take(text);
  };
  file.read([&](std::string_view piece) {
    rest += piece;
    // Invalid bytes stay in the prefix; only the beginning of a character may wait.
    const size_t whole = utf8::whole_prefix(rest);
    if (done == 0 && whole < kMark.size()) return;
    hand_on(std::string_view(rest).substr(0, whole));
    rest.erase(0, whole);
  });
  hand_on(rest);
}

size_t byte_of(std::string_view text, int64_t character, int64_t count) {
  if (character == count) return text.size();
  size_t at = 0;
  for (int64_t passed = 0;; ++at)
    if (!continues(text[at]) && passed++ == character) return at;
}

}  // namespace

void PieceCutter::feed(std::string_view text) {
  buffer_ += text;
  while (const size_t place = cut_place()) {
    take_(std::string_view(buffer_).substr(0, place));
    buffer_.erase(0, place);
  }
}

void PieceCutter::finish() {
  if (!buffer_.empty()) take_(buffer_);
  buffer_.clear();
}

// Looks at the same bytes whatever portions they came in, so the pieces are the same too.
size_t PieceCutter::cut_place() const {
  const std::string_view text = buffer_;
  constexpr size_t kAhead = 8;  // what is_quiet_break looks at
  const size_t longest = 16 * size_;
  if (text.size() < size_ + kAhead) return 0;
  for (size_t at = text.rfind('\n', size_); at != text.npos && at > 0;
       at = text.rfind('\n', at - 1))
    if (is_quiet_break(text, at)) return at + 1;
  for (size_t at = text.find('\n', size_); at < longest; at = text.find('\n', at + 1))
    if (is_quiet_break(text, at)) return at + 1;
  if (text.size() < longest + kAhead) return 0;
  const size_t line_feed = text.rfind('\n', longest - 1);
  if (line_feed != text.npos) return line_feed + 1;
  size_t place = longest;
  while (place > 1 && continues(text[place])) --place;
  return place;
}

void TextFile::read(const Sink& take) const {
  constexpr size_t kPortion = 1 << 20;
  if (!text_) return read_text_file_in_pieces(path_, take);
  for (size_t at = 0; at < text_->size(); at += kPortion)
    take(std::string_view(*text_).substr(at, kPortion));
}

int64_t count_characters(const TextFile& file) {
  int64_t count = 0;
  read_checked(file,
               [&](std::string_view text) { count += static_cast<int64_t>(utf8::count(text)); });
  return count;
}

int64_t border_of(double share, int64_t characters) {
  return static_cast<int64_t>(std::floor(share * static_cast<double>(characters)));
}

void read_characters(const TextFile& file, int64_t first, int64_t last, const Sink& take) {
  int64_t seen = 0;  // characters before this portion
  read_checked(file, [&](std::string_view text) {
    const auto count = static_cast<int64_t>(utf8::count(text));
    const int64_t skip = std::clamp<int64_t>(first - seen, 0, count);
    const int64_t keep = std::clamp<int64_t>(last - seen, skip, count);
    if (skip < keep) {
      const size_t begin = byte_of(text, skip, count);
      take(text.substr(begin, byte_of(text, keep, count) - begin));
    }
    seen += count;
  });
}

namespace {

// Hands out portions as soon as it is sure on which side of the border they are.
class Splitter {
 public:
  Splitter(double share, const TextSides& sides) : share_(share), sides_(sides) {}
  void set_border(int64_t border) { border_ = border; }

  void feed(std::string_view text) {
    const auto count = static_cast<int64_t>(utf8::count(text));
    seen_ += count;
    if (border_ >= 0) return hand_out(text, count, border_);
    waiting_.push_back({std::string(text), count});
    const int64_t nearest = border_of(share_, seen_);  // more text only moves it on
    while (!waiting_.empty() && handed_ + waiting_.front().count <= nearest)
      hand_out_front(nearest);
  }

  void finish() {
    if (border_ < 0) border_ = border_of(share_, seen_);
    while (!waiting_.empty()) hand_out_front(border_);
  }

 private:
  struct Portion {
    std::string text;
    int64_t count;
  };

  void hand_out_front(int64_t border) {
    const Portion portion = std::move(waiting_.front());
    waiting_.pop_front();
    hand_out(portion.text, portion.count, border);
  }
  void hand_out(std::string_view text, int64_t count, int64_t border) {
    const int64_t before = std::clamp<int64_t>(border - handed_, 0, count);
    const size_t cut = byte_of(text, before, count);
    if (before > 0) sides_.before(text.substr(0, cut));
    if (before < count) sides_.behind(text.substr(cut));
    handed_ += count;
  }

  double share_;
  const TextSides& sides_;
  std::deque<Portion> waiting_;
  int64_t seen_ = 0, handed_ = 0, border_ = -1;  // -1: not known yet
};

// Bytes of text, or a guess where it is packed.
uintmax_t bytes_of(const TextFile& file) {
  constexpr uintmax_t kUnpacked = 8;
  const bool packed = file.path().ends_with(".gz") || file.path().ends_with(".zst");
  std::error_code error;
  const uintmax_t size = std::filesystem::file_size(file.path(), error);
  return error ? 0 : packed ? kUnpacked * size : size;
}

}  // namespace

void read_split(const TextFile& file, double share, const TextSides& sides,
                uintmax_t most_waiting) {
  Splitter splitter(share, sides);
  const double waits = (1 - share) * static_cast<double>(bytes_of(file));
  if (file.text() || waits > static_cast<double>(most_waiting))
    splitter.set_border(border_of(share, count_characters(file)));
  read_checked(file, [&](std::string_view text) { splitter.feed(text); });
  splitter.finish();
}

}  // namespace jogak
