// Sentence pairs: a text and its translation, line by line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace jogak {

// Pair i stands on line i + 1 of where it came from. A side may be empty.
struct Pairs {
  std::vector<std::string> source, target;
  std::string source_name, target_name;  // what errors call the two sides: the files as given

  size_t size() const { return source.size(); }
  std::string name() const;  // both names, or the one they share
};

// Two files whose lines belong together; plain, .gz or .zst, looked for with find_data. Lines end
// with \n or \r\n, as in read_lines. FormatError with both counts when one file has more lines.
// With `longest` a pair with a longer line is left out.
class LongLines;
Pairs read_pairs(const std::string& source_file, const std::string& target_file,
                 const std::string& where_to_get = "", LongLines* longest = nullptr);

// One file with columns between tabs, counted from 0. Quotes mean nothing; an empty line is an
// empty pair. FormatError with line and counts where a row has other columns than the first one. A
// file whose first line has no tab but " = " has lines as `data make` writes them.
struct PairColumns {
  int64_t source = 0, target = 1;
};
Pairs read_pair_file(const std::string& file, PairColumns columns = {},
                     const std::string& where_to_get = "", LongLines* longest = nullptr);

// Lines "source = target", as `data make` writes them, cut at the first separator. An empty line
// is an empty pair; FormatError with the line where the separator is missing.
inline constexpr const char* kPairSeparator = " = ";
Pairs pairs_from_lines(const std::vector<std::string>& lines, const std::string& name,
                       const std::string& separator = kPairSeparator);

// Pairs first .. last-1.
Pairs some_pairs(const Pairs& pairs, size_t first, size_t last);

}  // namespace jogak
