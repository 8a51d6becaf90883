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
  LineReader in(STDIN_FILENO, "standard input", &stop_flag());
  take_lines(in, at_once, take);
}

}  // namespace jogak::cli
