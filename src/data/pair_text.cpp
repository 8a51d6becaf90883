#include "data/pair_text.h"

#include <algorithm>
#include <string_view>

#include "base/error.h"
#include "base/long_lines.h"
#include "data/line_data.h"

namespace jogak {
namespace {

std::vector<std::string_view> columns_of(std::string_view line) {
  std::vector<std::string_view> out;
  for (size_t at = 0; at <= line.size();) {
    const size_t end = std::min(line.find('\t', at), line.size());
    out.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

// Both sides of a line that was passed over on either.
void leave_out_long(Pairs& pairs, const LongLines* longest) {
  if (!longest) return;
  std::vector<bool> out(pairs.size());
  for (const std::string* file : {&pairs.source_name, &pairs.target_name})
    for (const size_t line : longest->of(*file)) out[line - 1] = true;
  for (std::vector<std::string>* side : {&pairs.source, &pairs.target}) {
    size_t i = 0;
    std::erase_if(*side, [&](const std::string&) { return out[i++]; });
  }
}

// Whether lines are "source = target", as the first that is not empty shows.
bool are_made_lines(const std::vector<std::string>& lines) {
  const auto first = std::find_if(lines.begin(), lines.end(),
                                  [](const std::string& line) { return !line.empty(); });
  return first != lines.end() && first->find('\t') == std::string::npos &&
         first->find(kPairSeparator) != std::string::npos;
}

}  // namespace

std::string Pairs::name() const {
  return source_name == target_name ? source_name : source_name + " and " + target_name;
}

Pairs read_pairs(const std::string& source_file, const std::string& target_file,
                 const std::string& where_to_get, LongLines* longest) {
  Pairs out{read_lines(source_file, where_to_get, longest),
            read_lines(target_file, where_to_get, longest), source_file, target_file};
  ensure<FormatError>(out.source.size() == out.target.size(), out.source_name, ": found ",
                      out.source.size(), " lines, and ", out.target.size(), " in ", out.target_name,
                      ", wanted as many in both");
  leave_out_long(out, longest);
  return out;
}

Pairs read_pair_file(const std::string& file, PairColumns columns, const std::string& where_to_get,
                     LongLines* longest) {
  ensure<UsageError>(columns.source >= 0 && columns.target >= 0, file, ": columns ", columns.source,
                     " and ", columns.target, " asked for, they count from 0");
  const auto most = static_cast<size_t>(std::max(columns.source, columns.target));
  Pairs out{{}, {}, file, file};
  const std::vector<std::string> lines = read_lines(file, where_to_get, longest);
  if (columns.source == 0 && columns.target == 1 && are_made_lines(lines)) {
    out = pairs_from_lines(lines, file);
    leave_out_long(out, longest);
    return out;
  }
  size_t wanted = 0, first = 0;  // columns of the first row, and its line
  for (const std::string& line : lines) {
    const size_t number = out.size() + 1;
    if (line.empty()) {
      out.source.emplace_back();
      out.target.emplace_back();
      continue;
    }
    const std::vector<std::string_view> found = columns_of(line);
    if (wanted == 0) {
      wanted = found.size();
      first = number;
      ensure<FormatError>(most < wanted, file, ": line ", number, ": found ", wanted,
                          wanted == 1 ? " column" : " columns", " between tabs, wanted at least ",
                          most + 1);
    }
    ensure<FormatError>(found.size() == wanted, file, ": line ", number, ": found ", found.size(),
                        found.size() == 1 ? " column" : " columns", " between tabs, wanted ",
                        wanted, " as in line ", first);
    out.source.emplace_back(found[static_cast<size_t>(columns.source)]);
    out.target.emplace_back(found[static_cast<size_t>(columns.target)]);
  }
  leave_out_long(out, longest);
  return out;
}

Pairs pairs_from_lines(const std::vector<std::string>& lines, const std::string& name,
                       const std::string& separator) {
  ensure<UsageError>(!separator.empty(), name, ": an empty separator cannot part two texts");
  Pairs out{{}, {}, name, name};
  for (const std::string& line : lines) {
    const size_t at = line.find(separator);
    ensure<FormatError>(at != std::string::npos || line.empty(), name, ": line ", out.size() + 1,
                        ": found no \"", separator,
                        "\", wanted a text and its translation around it");
    out.source.push_back(line.substr(0, at));
    out.target.push_back(line.empty() ? "" : line.substr(at + separator.size()));
  }
  return out;
}

Pairs some_pairs(const Pairs& pairs, size_t first, size_t last) {
  ensure<Error>(first <= last && last <= pairs.size(), pairs.name(), ": pairs ", first, " to ",
                last, " asked for, there are ", pairs.size());
  const auto part = [&](const std::vector<std::string>& side) {
    return std::vector<std::string>(side.begin() + static_cast<int64_t>(first),
                                    side.begin() + static_cast<int64_t>(last));
  };
  return {part(pairs.source), part(pairs.target), pairs.source_name, pairs.target_name};
}

}  // namespace jogak
