// What an attention head does, measured, and the name that follows: the same numbers, rules and
// words in the lesson on heads and in `jogak inspect heads`.
#pragma once

#include <string>
#include <string_view>

#include "base/lang.h"

namespace jogak {

// Means over the queries that can look so, NaN where none can. The first seven are shares of the
// attention, 0 to 1.
struct HeadMeasures {
  double previous, next, first, itself;
  double same;       // elsewhere, but the same token
  double induction;  // at what stood behind an earlier token equal to this one
  double near;       // at most kNear places away, itself included
  double entropy;    // in bits
  double even;       // in bits, of a head that looks at every place it may alike
  double distance;   // mean of |query - key|
};
inline constexpr int kNear = 2;

// The largest of the six habits from a half on; otherwise "near" where that is a half, "few" where
// the entropy is one bit or less (two places), "even" where it is nine tenths of an even spread;
// otherwise "spread".
std::string_view head_name(const HeadMeasures& head);

Words head_words(std::string_view name);  // of head_name: "앞 토큰", "previous token"

// What people read: the words of the name, or of a head that is spread out how many places it looks
// at, 2 to its entropy, and how far away they are.
std::string head_text(const HeadMeasures& head, Lang lang);

}  // namespace jogak
