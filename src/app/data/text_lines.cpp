#include "app/data/text_lines.h"

#include <algorithm>

#include "base/error.h"
#include "base/utf8.h"
#include "data/labelled_text.h"

namespace jogak {

void take_lines(LineReader& in, size_t at_once, const TakeLines& take) {
  constexpr size_t kMost = size_t{1} << 20;  // bytes that wait: lines may be long
  std::vector<TextLine> waiting;
  size_t bytes = 0;
  const auto hand_on = [&] {
    if (!waiting.empty()) take(waiting);
    waiting.clear();
    bytes = 0;
  };
  in.before_waiting(hand_on);
  try {
    for (std::string_view line; in.next(line);) {
      if (line.ends_with('\r')) line.remove_suffix(1);
      ensure_utf8(in, line);
      waiting.push_back(
          {std::string(line), text_of(in.name(), ": line ", in.number()), in.number()});
      bytes += line.size();
      if (waiting.size() == at_once || bytes >= kMost) hand_on();
    }
  } catch (const FormatError&) {  // what came before the bad line is not lost
    hand_on();
    throw;
  }
  hand_on();
}

std::vector<TextLine> text_lines(std::span<const std::string> texts) {
  std::vector<TextLine> lines;
  for (const std::string& text : texts) {
    const std::string name = text_of("text ", lines.size() + 1);
    const size_t bad = utf8::first_invalid(text);
    ensure<FormatError>(bad == std::string::npos, name, ": byte ", bad,
                        ": found a byte that is not UTF-8, wanted UTF-8 text");
    lines.push_back({text, name, lines.size() + 1});
  }
  return lines;
}

std::vector<TextLine> table_texts(const std::string& file, const std::string& column) {
  LabelledTexts rows = read_labelled_texts(file, {column, ""});
  std::vector<TextLine> out;
  for (size_t i = 0; i < rows.size(); ++i)
    out.push_back({std::move(rows.texts[i]), text_of(file, ": line ", rows.lines[i]),
                   static_cast<size_t>(rows.lines[i])});
  return out;
}

void take_texts(std::span<const std::string> texts, size_t at_once, const TakeLines& take) {
  const std::vector<TextLine> lines = text_lines(texts);
  for (size_t from = 0; from < lines.size(); from += at_once)
    take(std::span(lines).subspan(from, std::min(at_once, lines.size() - from)));
}

}  // namespace jogak
