// Counting n-grams by sorting them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace jogak {

// Orders below N are filled up with 0, so no symbol may be 0.
template <size_t N>
struct GramCount {
  std::array<uint32_t, N> gram{};
  int64_t count = 0;
};

// The n-grams of a long line take many times its memory. Those of one part go by their hash: each
// n-gram is in one part of all lines that are cut into as many, and counts of parts add up.
struct GramPart {
  size_t index = 0, of = 1;

  template <size_t N>
  bool has(const std::array<uint32_t, N>& gram) const {
    if (of == 1) return true;
    uint64_t hash = 0;
    for (const uint32_t symbol : gram) hash = (hash ^ symbol) * 0x9E3779B97F4A7C15;
    return (hash >> 32) % of == index;
  }
};

inline constexpr size_t kGramsAtOnce = size_t{1} << 20;

// How many parts a line of so many symbols is counted in.
inline size_t gram_parts(size_t symbols) { return 1 + symbols / kGramsAtOnce; }

namespace detail {

template <size_t N>
using SortedGrams = std::vector<GramCount<N>>;

// Adds the grams to those that are counted, and forgets them.
template <size_t N>
void count_up(std::vector<std::array<uint32_t, N>>& grams, SortedGrams<N>& counted) {
  std::sort(grams.begin(), grams.end());
  SortedGrams<N> more;
  for (const auto& gram : grams) {
    if (more.empty() || more.back().gram != gram) more.push_back({gram, 0});
    ++more.back().count;
  }
  grams.clear();
  if (counted.empty()) return counted.swap(more);
  SortedGrams<N> both;
  both.reserve(counted.size() + more.size());
  for (size_t i = 0, j = 0; i < counted.size() || j < more.size();) {
    const bool from_more =
        i == counted.size() || (j < more.size() && more[j].gram < counted[i].gram);
    const GramCount<N>& next = from_more ? more[j++] : counted[i++];
    if (!both.empty() && both.back().gram == next.gram)
      both.back().count += next.count;
    else
      both.push_back(next);
  }
  counted.swap(both);
}

}  // namespace detail

// The n-grams of one order, in ascending order.
template <size_t N>
std::vector<GramCount<N>> count_grams(std::span<const uint32_t> symbols, size_t order,
                                      GramPart part = {}) {
  std::vector<std::array<uint32_t, N>> some;
  some.reserve(std::min(symbols.size() / part.of, kGramsAtOnce));
  std::vector<GramCount<N>> out;
  for (size_t i = 0; i + order <= symbols.size(); ++i) {
    std::array<uint32_t, N> gram{};
    std::copy_n(symbols.begin() + static_cast<int64_t>(i), order, gram.begin());
    if (!part.has(gram)) continue;
    some.push_back(gram);
    if (some.size() == kGramsAtOnce) detail::count_up(some, out);
  }
  detail::count_up(some, out);
  return out;
}

// Calls use(gram, count in a, count in b) for every n-gram of either.
template <size_t N, class Use>
void walk_grams(const std::vector<GramCount<N>>& a, const std::vector<GramCount<N>>& b, Use use) {
  for (size_t i = 0, j = 0; i < a.size() || j < b.size();) {
    const bool in_a = i < a.size() && (j == b.size() || a[i].gram <= b[j].gram);
    const bool in_b = j < b.size() && (i == a.size() || b[j].gram <= a[i].gram);
    const GramCount<N>& one = in_a ? a[i] : b[j];
    use(one.gram, in_a ? a[i].count : 0, in_b ? b[j].count : 0);
    i += in_a;
    j += in_b;
  }
}

}  // namespace jogak
