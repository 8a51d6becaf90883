// Text on its way through the pipeline. Each byte knows which character of the original it stands
// for; while nothing has been changed that takes no memory.
#pragma once

#include <cstddef>
#include <cstdint>
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
  // Without `tracks` nobody will ask for origins, and changed text does not carry them.
  AlignedText(std::string_view original, Span part, bool tracks = true)
      : original_(original), part_(part), tracks_(tracks) {}
  // What `before` became, where bytes stand for any part of the original; without origins where
  // `before` does not track.
  AlignedText(const AlignedText& before, std::string changed, std::vector<Span> origins);
  AlignedText(AlignedText&&) = default;
  AlignedText& operator=(AlignedText&&) = default;

  std::string_view text() const {
    return is_changed_ ? std::string_view(changed_)
                       : original_.substr(part_.from, part_.to - part_.from);
  }
  std::string_view original() const { return original_; }
  bool is_changed() const { return is_changed_; }
  bool tracks() const { return tracks_; }
  bool knows_origins() const { return tracks_ || !is_changed_; }

  // Bytes of the original behind the bytes [from, to) of text(), widened to whole characters.
  // Empty where it is not known.
  Span origin(size_t from, size_t to) const;

 private:
  friend class Rewriter;
  static constexpr uint32_t kNowhere = UINT32_MAX;
  uint32_t start_of(size_t byte) const;  // where the character behind the byte starts

  std::string_view original_;
  Span part_;
  bool tracks_, is_changed_ = false;
  std::string changed_;
  std::vector<uint32_t> starts_;  // when changed: by byte, start of its character or kNowhere
  std::vector<Span> spans_;       // instead, where they are not single characters
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

// Writes the next version of a piece of text. What is written anew stands for what some byte of
// the piece stood for, or for nothing.
class Rewriter {
 public:
  static constexpr size_t kNothing = SIZE_MAX;

  explicit Rewriter(const Piece& from);
  void keep(size_t from, size_t to);             // bytes of the piece, as they are
  void put(std::string_view text, size_t like);  // `like`: a byte of the piece, or kNothing
  void put(char32_t code, size_t like);
  AlignedText done();

 private:
  void follow(size_t like);  // what was added stands for what `like` stands for
  Piece from_;
  std::string_view text_;
  AlignedText out_;
};

// The same in the words of the reference: characters one after the other, each with its change:
// 0 replaces the next character of the piece, -n takes n more away behind it, 1 adds one.
class Transformer {
 public:
  explicit Transformer(const Piece& from) : text_(from.text()), out_(from) {}
  void keep(size_t bytes);                   // whole characters
  void drop(size_t bytes) { at_ += bytes; }  // only before anything else
  void put(char32_t code, int64_t change);
  AlignedText done() { return out_.done(); }
  size_t at() const { return at_; }  // the next byte of the piece

 private:
  std::string_view text_;
  Rewriter out_;
  size_t at_ = 0;
};

inline Piece whole(const AlignedText& text) { return {&text, {0, text.text().size()}}; }

// The piece with its byte-level characters written out, as a text of its own.
AlignedText spelled_out(const Piece& bytes);

// Piece `in`, not empty, with `prefix` before it; the prefix stands for its first character.
AlignedText with_prefix(std::string_view prefix, const Piece& in);

}  // namespace text
}  // namespace jogak
