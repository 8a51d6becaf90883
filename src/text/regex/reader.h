// Shared by the two halves of the regular expression parser: the pattern and where it is read.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "text/reading.h"
#include "text/unicode/code_set.h"
#include "text/unicode/unicode.h"

namespace jogak::text::regex {

class Reader {
 public:
  Reader(std::string_view pattern, const std::string& place) : pattern_(pattern), place_(place) {}

  bool done() const { return at_ == pattern_.size(); }
  bool sees(std::string_view text) const { return pattern_.substr(at_).starts_with(text); }
  bool take(std::string_view text) {
    if (!sees(text)) return false;
    at_ += text.size();
    return true;
  }
  char peek() const { return done() ? '\0' : pattern_[at_]; }
  char32_t next() {
    if (done()) wrong("ends too early");
    const Code code = code_at(pattern_.data() + at_);
    at_ += code.size;
    return code.value;
  }
  size_t at() const { return at_; }
  void go_to(size_t at) { at_ = at; }
  std::string_view rest() const { return pattern_.substr(at_); }

  [[noreturn]] void wrong(std::string_view what) const {
    fail<FormatError>(place_, ": the regular expression ", shown(pattern_), " ", what);
  }
  [[noreturn]] void unsupported(size_t from) const {
    wrong(text_of("has ", shown(pattern_.substr(from, at_ - from)), ", which is not supported"));
  }

 private:
  std::string_view pattern_;
  const std::string& place_;
  size_t at_ = 0;
};

// What follows a backslash: a character, or a class. Escapes that are neither are left alone.
struct Escape {
  enum class Kind { character, set, other } kind = Kind::other;
  char32_t code = 0;
  CodeSet set{};
};
Escape read_escape(Reader& in, bool in_brackets);  // the backslash is read, `other` is not

CodeSet read_brackets(Reader& in, bool any_case, int depth);  // the '[' is read

inline constexpr int kMostDepth = 64;

}  // namespace jogak::text::regex
