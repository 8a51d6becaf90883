// Generated data: digits and letters, and the same ones in order.
//   d a 7 b = 7 a b d
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/split.h"

namespace jogak {

struct SortOptions {
  int shortest = 2, longest = 8;  // items of a line
};

// A set of items is held out in every order at once: the training side never holds it. `sorted`
// is the answer of a line.
bool is_sort_held_out(uint64_t seed, const std::string& sorted);

// Digits come before letters, and an item may occur twice. The same lines for the same arguments,
// and more of them begin with the same ones.
std::vector<std::string> make_sort(int64_t count, uint64_t seed, Split split,
                                   const SortOptions& options = {});

}  // namespace jogak
