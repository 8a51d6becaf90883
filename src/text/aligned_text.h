// Text on its way through the pipeline. Each byte knows which bytes of the original it stands
// for; while nothing has been changed that takes no memory.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace jogak {

struct Span {
  size_t from = 0, to = 0;
  bool operator==(const Span&) const = default;
};

namespace text {

class AlignedText {
 public:
  AlignedText(std::string_view original, Span part) : original_(original), part_(part) {}
  // The same with `prefix` before it, which stands for the first character of the part.
  AlignedText(std::string_view original, Span part, std::string_view prefix);
  // Changed text: origins[i] is what byte i stands for.
  AlignedText(std::string_view original, std::string changed, std::vector<Span> origins);
  AlignedText(AlignedText&&) = default;
  AlignedText& operator=(AlignedText&&) = default;

  std::string_view text() const {
    return is_changed_ ? std::string_view(changed_)
                       : original_.substr(part_.from, part_.to - part_.from);
  }
  std::string_view original() const { return original_; }
  bool is_changed() const { return is_changed_; }

  // Bytes of the original behind the bytes [from, to) of text(), widened to whole characters.
  Span origin(size_t from, size_t to) const;

 private:
  std::string_view original_;
  Span part_;  // while unchanged, and behind a prefix
  size_t prefix_size_ = 0;
  bool is_changed_ = false;
  std::string changed_;
  std::vector<Span> origins_;  // empty while unchanged, and with a prefix
};

// Part of a text, on its way to the model. With `bytes` set each byte stands for its character
// of the byte-level alphabet; the characters are only written out where somebody needs them.
struct Piece {
  const AlignedText* of;
  Span part;
  bool bytes = false;

  std::string_view text() const { return of->text().substr(part.from, part.to - part.from); }
  Span origin(size_t from, size_t to) const { return of->origin(part.from + from, part.from + to); }
};

// The piece with its byte-level characters written out, as a text of its own.
AlignedText spelled_out(const Piece& bytes);

// Piece `in` with `prefix` before it; the prefix stands for the first character of the piece.
AlignedText with_prefix(std::string_view prefix, const Piece& in);

}  // namespace text
}  // namespace jogak
