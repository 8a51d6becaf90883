// Rows of cells: CSV and TSV files, read once from top to bottom.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace jogak {

struct TableOptions {
  char separator = ',';
  bool quotes = true;             // "a, b" is one cell, "" in it a quote, line ends in it stay
  std::string where_to_get = {};  // said when the file is missing
};

struct TableRow {
  std::vector<std::string> cells;
  int64_t line = 1;  // where it begins
};

inline constexpr size_t kLongestCell = size_t{16} << 20;
inline constexpr size_t kMostColumns = size_t{1} << 16;

// Every row of a plain, .gz or .zst file of UTF-8 that find_data finds, the header with them. Rows
// end with \n, \r\n or \r; an empty line is no row; a byte order mark is left out. FormatError with
// the place for text that is not UTF-8, a quote that is not closed or followed by more, a row with
// other columns than the first, and cells or rows beyond the limits above.
void read_table(const std::string& file, const TableOptions& options,
                const std::function<void(const TableRow&)>& take);

// The same of text in memory; `name` is what errors call it.
void parse_table(std::string_view text, const std::string& name, const TableOptions& options,
                 const std::function<void(const TableRow&)>& take);

// A tab for .tsv and .txt, a comma for .csv; .gz and .zst behind them do not matter.
TableOptions table_options_for(const std::string& file);
std::string plain_ending(const std::string& file);  // ".csv" of "a.csv.gz"; with its dot or empty

// The header of a table: which column has a name. Names that come twice are a FormatError.
class Columns {
 public:
  Columns(const std::vector<std::string>& names, const std::string& file);
  bool has(const std::string& name) const;
  size_t at(const std::string& name) const;  // MissingError with the columns there are
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
  std::string file_;
};

// What stands in a cell, for errors: in quotes, on one line, cut where it is long.
std::string shown_cell(const std::string& cell);

// A finite number that fills the cell, blanks around it left out. FormatError otherwise.
double cell_number(const TableRow& row, size_t column, const std::string& file,
                   const std::string& name);

}  // namespace jogak
