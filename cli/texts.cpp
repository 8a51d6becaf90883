#include "cli/texts.h"

#include <unistd.h>

#include "base/log.h"
#include "cli/signals.h"

namespace jogak::cli {

Operand texts_operand(Words help) {
  return {.name = "TEXT", .help = help, .optional = true, .repeated = true};
}

Option batch_option(size_t fallback) {
  return {.name = "batch",
          .help = {"함께 계산할 글의 수", "texts at once"},
          .kind = Kind::integer,
          .value = "N",
          .fallback = std::to_string(fallback),
          .low = 1,
          .high = 4096};
}

Option max_line_option() {
  return {.name = "max-line",
          .help = {"한 줄이 가질 수 있는 바이트; 더 긴 줄은 오류이고 나머지는 답합니다",
                   "most bytes of a line; a longer one is an error, the others are answered"},
          .kind = Kind::integer,
          .value = "BYTES",
          .fallback = std::to_string(kLongestInputLine),
          .low = 1,
          .high = 1e12};
}

size_t max_line(const Args& args) { return static_cast<size_t>(args.integer("max-line")); }

void read_inputs(const Context& c, const Encoder& encoder, const TakeLines& take) {
  if (encoder.reads_images())
    read_texts(c, take, static_cast<size_t>(c.args.integer("batch")));
  else
    read_texts(c, take);
}

// More lines at once: like lengths stand together.
void read_texts(const Context& c, const TakeLines& take, size_t at_once) {
  const std::vector<std::string> given = c.args.operands("TEXT");
  if (!given.empty()) return take_texts(given, at_once, take);
  if (isatty(STDIN_FILENO) == 1)
    log_info(c.lang() == Lang::ko ? "한 줄에 글 하나씩 쓰세요. 끝은 Ctrl-D."
                                  : "One text a line. Ctrl-D ends.");
  LineReader in(STDIN_FILENO, "standard input", &stop_flag(), max_line(c.args));
  take_lines(in, at_once, take);
}

}  // namespace jogak::cli
