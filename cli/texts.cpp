#include "cli/texts.h"

#include <unistd.h>

#include "base/log.h"
#include "cli/signals.h"

namespace jogak::cli {

Operand texts_operand(Words help) {
  return {.name = "TEXT", .help = help, .optional = true, .repeated = true};
}

Option batch_option(const char* fallback) {
  return {.name = "batch",
          .help = {"함께 계산할 글의 수", "texts at once"},
          .kind = Kind::integer,
          .value = "N",
          .fallback = fallback,
          .low = 1,
          .high = 4096};
}

void read_texts(const Context& c, const TakeLines& take) {
  constexpr size_t kLinesAtOnce = 1024;  // more lines at once: like lengths stand together
  const std::vector<std::string> given = c.args.operands("TEXT");
  if (!given.empty()) return take_texts(given, take);
  if (isatty(STDIN_FILENO) == 1)
    log_info(c.lang() == Lang::ko ? "한 줄에 글 하나씩 쓰세요. 끝은 Ctrl-D."
                                  : "One text a line. Ctrl-D ends.");
  LineReader in(STDIN_FILENO, "standard input", &stop_flag());
  take_lines(in, kLinesAtOnce, take);
}

}  // namespace jogak::cli
