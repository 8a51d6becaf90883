// "Did you mean": the known word nearest to what was typed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace jogak {

// The candidate closest to `word`, the first of equals; empty when none is close: insertions,
// deletions, substitutions and swaps of neighbouring characters are counted. Case does not count,
// '-' and '_' are the same, and the beginning of a word (three letters or more) is close.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

// " (did you mean \"softmax\"?)" or nothing: to end an error message with.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace jogak
