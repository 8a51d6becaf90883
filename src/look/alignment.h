// Which source token each target token looked at: a matrix with tokens along both sides.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/lang.h"
#include "draw/matrix.h"

namespace jogak {

struct Alignment {
  std::vector<std::string> source, target;  // tokens as they are; they are made visible when shown
  Matrix weights;                           // [target, source]: what each target token looked at
  // What a terminal's table is called; empty: a translation's words.
  std::string title = {}, source_title = {}, target_title = {};
  bool sums = true;  // a terminal's table ends with the sum of each row
};

// One token on one line: spaces (and SentencePiece's ▁) as ␣, line ends as ⏎, tabs as ⇥, other
// control characters as ·, nothing as ∅; an accent alone gets a circle to stand on.
std::string visible_token(std::string_view token);

// For a terminal: source across, target down, a coloured block for each weight (shades of ░▒▓█
// without colour), the sum of each row at its end, and a scale. The table fits into `columns`:
// where tokens are too wide they stand upright, and where they are too many it goes on below.
std::string alignment_text(const Alignment& alignment, bool colour, int columns,
                           Lang lang = Lang::en);

// A picture that explains itself: axes, weights, scale, and in words what looked where most.
std::string alignment_svg(const Alignment& alignment, Lang lang = Lang::en);

// {"source":[...],"target":[...],"weights":[[...]],"sums":[...]}: one row a target token.
Json alignment_json(const Alignment& alignment);

}  // namespace jogak
