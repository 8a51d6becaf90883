// Reads a regular expression in the syntax of the reference (Oniguruma's own) into a tree.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/unicode/code_set.h"

namespace jogak::text::regex {

struct Node {
  enum class Kind {
    nothing,     // matches the empty string
    set,         // one character of `set`
    sequence,    // the parts one after the other
    choice,      // the first part that leads to a match
    repeat,      // part 0, `least` to `most` times
    atomic,      // part 0; how it matched is not looked at again
    look,        // part 0 matches from here on, or up to here
    line_start,  // after a line feed or at the start
    line_end,    // before a line feed or at the end
    text_start,
    text_end,
    last_line_end,  // at the end, or before a line feed that ends the text
    word_edge,      // \b
    no_word_edge    // \B
  };
  enum class Greed { greedy, lazy, possessive };

  Kind kind = Kind::nothing;
  std::vector<Node> parts{};
  CodeSet set{};
  int least = 0, most = 0;
  Greed greed = Greed::greedy;
  bool behind = false, negated = false;  // of a look
};

inline constexpr int kNoLimit = -1;  // Node::most of * and +
inline constexpr int kMostRepeats = 1000;

// Throws FormatError; `place` opens the message: "FILE: byte 12".
Node parse(std::string_view pattern, const std::string& place);

}  // namespace jogak::text::regex
