#include "data/line_data.h"

#include <algorithm>

#include "base/file.h"
#include "base/log.h"
#include "base/long_lines.h"
#include "base/utf8.h"

namespace jogak {
namespace {

void append_ids(std::vector<int32_t>& out, const Encode& encode, std::string_view text) {
  for (const int id : encode(text)) {
    ensure<Error>(id >= 0, "the tokenizer gave id ", id, ", wanted 0 or more");
    out.push_back(id);
  }
}

void add_line(std::vector<std::string>& lines, std::string line, const std::string& path) {
  const size_t number = lines.size() + 1;
  ensure<FormatError>(number > 1 || !(line.starts_with("\xFF\xFE") || line.starts_with("\xFE\xFF")),
                      path, ": byte 0: found the byte order mark of UTF-16, wanted UTF-8 text");
  const size_t bad = std::min(utf8::first_invalid(line), line.find('\0'));
  ensure<FormatError>(bad == std::string::npos, path, ": line ", number, " col ", bad + 1,
                      bad < line.size() && line[bad] == '\0'
                          ? ": found a zero byte, wanted UTF-8 text"
                          : ": found a byte that is not UTF-8, wanted UTF-8 text");
  if (line.ends_with('\r')) line.pop_back();
  if (number == 1 && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
  lines.push_back(std::move(line));
}

}  // namespace

LineData::LineData(const std::vector<std::string>& lines, const std::string& name,
                   const Encode& encode, const LineOptions& options)
    : name_(name), options_(options) {
  ensure<Error>(options.context >= 1, "lines in a context of ", options.context,
                " tokens, wanted at least one");
  size_t first_too_long = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    if (line.empty()) continue;
    const size_t at = line.find(options.separator);
    ensure<FormatError>(at != std::string::npos, name, ": line ", i + 1, ": found no \"",
                        options.separator, "\", wanted a prompt and an answer around it");
    const size_t answer = options.separator.empty() ? 0 : at + options.separator.size();
    Example example{ids_.size(), 0, 0};
    // Apart, as when text is written: there the prompt is encoded alone.
    append_ids(ids_, encode, std::string_view(line).substr(0, answer));
    example.answer = ids_.size();
    append_ids(ids_, encode, std::string_view(line).substr(answer));
    ids_.push_back(options.end_id);
    example.end = ids_.size();
    if (example.end - example.begin > static_cast<size_t>(options.context) + 1) {
      if (too_long_++ == 0) first_too_long = i + 1;
      ids_.resize(example.begin);
      continue;
    }
    examples_.push_back(example);
  }
  if (too_long_ > 0)
    log_warning(name, ": ", too_long_, " of ", too_long_ + size(),
                " lines do not fit a context of ", options.context,
                " tokens and are left out; the first is line ", first_too_long);
  ensure<FormatError>(!examples_.empty(), name, ": found no line to learn from");
}

std::vector<std::string> read_lines(const std::string& file, const std::string& where_to_get,
                                    LongLines* longest) {
  const std::string path = find_data(file, where_to_get);
  const size_t most = longest ? longest->longest() : kLongestLine;
  std::vector<std::string> lines;
  std::string rest;  // of a line whose end was not seen
  bool passing_over = false;
  const auto grow = [&](std::string_view more) {
    if (!passing_over && rest.size() + more.size() > most) {
      ensure<FormatError>(longest != nullptr, path, ": line ", lines.size() + 1,
                          ": found a line of more than ", most, " bytes, wanted text in lines");
      longest->pass_over(file, lines.size() + 1);
      passing_over = true;
      rest.clear();
    }
    if (!passing_over) rest += more;
  };
  const auto end_line = [&] {
    add_line(lines, std::move(rest), path);
    rest.clear();
    passing_over = false;
  };
  read_text_file_in_pieces(
      path,
      [&](std::string_view piece) {
        for (size_t end = 0; (end = piece.find('\n')) != piece.npos; piece.remove_prefix(end + 1)) {
          grow(piece.substr(0, end));
          end_line();
        }
        grow(piece);
      },
      size_t{16} << 30);
  if (!rest.empty() || passing_over) end_line();
  return lines;
}

LineData LineData::from_file(const std::string& file, const Encode& encode,
                             const LineOptions& options) {
  return LineData(read_lines(file), find_data(file), encode, options);
}

Batch LineData::batch(std::span<const Pick> picks) const {
  ensure<Error>(!picks.empty(), "a batch of no examples asked for");
  size_t width = 0;
  for (const Pick& pick : picks) {
    ensure<Error>(pick.index >= 0 && pick.index < size(), name_, ": line ", pick.index,
                  " asked for, there are ", size());
    const Example& example = examples_[static_cast<size_t>(pick.index)];
    width = std::max(width, example.end - example.begin - 1);
  }
  width = std::max<size_t>(width, 1);
  std::vector<int64_t> ids(picks.size() * width, options_.end_id);
  std::vector<int64_t> targets(ids.size(), kIgnored);
  int64_t counted = 0;
  for (size_t row = 0; row < picks.size(); ++row) {
    const Example& example = examples_[static_cast<size_t>(picks[row].index)];
    for (size_t i = example.begin; i + 1 < example.end; ++i) {
      const size_t to = row * width + (i - example.begin);
      ids[to] = ids_[i];
      if (i + 1 < example.answer) continue;
      targets[to] = ids_[i + 1];
      ++counted;
    }
  }
  const Shape shape{static_cast<int64_t>(picks.size()), static_cast<int64_t>(width)};
  return {from_values(ids, shape), from_values(targets, shape), counted};
}

Batch LineData::eval_batch(int64_t first, int64_t count) const {
  ensure<Error>(first >= 0 && first < size() && count >= 1, name_, ": ", count, " lines from ",
                first, " asked for, there are ", size());
  std::vector<Pick> picks;
  for (int64_t i = first; i < first + std::min(count, size() - first); ++i) picks.push_back({i, 0});
  return batch(picks);
}

}  // namespace jogak
