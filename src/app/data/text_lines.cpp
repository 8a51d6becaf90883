#include "app/data/text_lines.h"

#include "base/error.h"
#include "base/utf8.h"

namespace jogak {

void take_lines(LineReader& in, size_t at_once, const TakeLines& take) {
  std::vector<TextLine> waiting;
  const auto hand_on = [&] {
    if (!waiting.empty()) take(waiting);
    waiting.clear();
  };
  in.before_waiting(hand_on);
  try {
    for (std::string_view line; in.next(line);) {
      if (line.ends_with('\r')) line.remove_suffix(1);
      ensure_utf8(in, line);
      waiting.push_back(
          {std::string(line), text_of(in.name(), ": line ", in.number()), in.number()});
      if (waiting.size() == at_once) hand_on();
    }
  } catch (const FormatError&) {  // what came before the bad line is not lost
    hand_on();
    throw;
  }
  hand_on();
}

void take_texts(std::span<const std::string> texts, const TakeLines& take) {
  std::vector<TextLine> lines;
  for (const std::string& text : texts) {
    const std::string name = text_of("text ", lines.size() + 1);
    const size_t bad = utf8::first_invalid(text);
    ensure<FormatError>(bad == std::string::npos, name, ": byte ", bad,
                        ": found a byte that is not UTF-8, wanted UTF-8 text");
    lines.push_back({text, name, lines.size() + 1});
  }
  if (!lines.empty()) take(lines);
}

}  // namespace jogak
