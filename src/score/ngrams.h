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

// The n-grams of one order, in ascending order.
template <size_t N>
std::vector<GramCount<N>> count_grams(std::span<const uint32_t> symbols, size_t order) {
  std::vector<std::array<uint32_t, N>> all;
  for (size_t i = 0; i + order <= symbols.size(); ++i)
    std::copy_n(symbols.begin() + static_cast<int64_t>(i), order, all.emplace_back().begin());
  std::sort(all.begin(), all.end());
  std::vector<GramCount<N>> out;
  for (const auto& gram : all) {
    if (out.empty() || out.back().gram != gram) out.push_back({gram, 0});
    ++out.back().count;
  }
  return out;
}

// Calls use(count in a, count in b) for every n-gram of either.
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
