#include "data/make/sort.h"

#include <algorithm>
#include <string_view>

#include "base/error.h"

namespace jogak {
namespace {

std::string spaced(const std::string& items) {
  std::string out;
  for (const char item : items) {
    if (!out.empty()) out += ' ';
    out += item;
  }
  return out;
}

}  // namespace

bool is_sort_held_out(uint64_t seed, const std::string& sorted) {
  uint64_t key = 0xCBF29CE484222325;  // FNV-1a
  for (const char c : sorted) key = (key ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  return is_held_out(seed, key);
}

std::vector<std::string> make_sort(int64_t count, uint64_t seed, Split split,
                                   const SortOptions& options) {
  constexpr std::string_view kItems = "0123456789abcdefghijklmnopqrstuvwxyz";
  ensure<UsageError>(count >= 0, count, " lines to sort asked for");
  // One item alone makes so few sets that none may be held out.
  ensure<UsageError>(options.shortest >= 1 && options.shortest <= options.longest &&
                         options.longest >= 2 && options.longest <= 1000,
                     "lines of ", options.shortest, " to ", options.longest,
                     " items, wanted at least 1 to at least 2, at most 1000");
  Rng rng = rng_for(seed, split);
  std::vector<std::string> lines;
  while (static_cast<int64_t>(lines.size()) < count) {
    const auto spread = static_cast<uint64_t>(options.longest - options.shortest) + 1;
    std::string items(static_cast<size_t>(options.shortest) + rng.below(spread), ' ');
    for (char& item : items) item = kItems[rng.below(kItems.size())];
    std::string sorted = items;
    std::sort(sorted.begin(), sorted.end());
    const std::string answer = spaced(sorted);
    if (is_sort_held_out(seed, answer) == (split == Split::held_out))
      lines.push_back(spaced(items) + " = " + answer);
  }
  return lines;
}

}  // namespace jogak
