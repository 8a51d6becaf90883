// What commands that read texts share: texts of the command line, or lines of standard input.
#pragma once

#include "app/data/text_lines.h"
#include "cli/command.h"

namespace jogak::cli {

Operand texts_operand(Words help);  // [TEXT…]
Option batch_option(const char* fallback);
// Hands on the texts of the command line, or else lines of standard input up to its end.
void read_texts(const Context& c, const TakeLines& take);

}  // namespace jogak::cli
