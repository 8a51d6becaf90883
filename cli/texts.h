// What commands that read texts share: texts of the command line, or lines of standard input.
#pragma once

#include "app/data/text_lines.h"
#include "app/use/encoder.h"
#include "cli/command.h"

namespace jogak::cli {

Operand texts_operand(Words help);  // [TEXT…]
Option batch_option(size_t fallback);
Option max_line_option();
size_t max_line(const Args& args);
// Hands on the texts of the command line, or else lines of standard input up to its end.
void read_texts(const Context& c, const TakeLines& take, size_t at_once = 1024);
// The same for an encoder; of images no more at once than its --batch, so that what is done is
// seen.
void read_inputs(const Context& c, const Encoder& encoder, const TakeLines& take);

}  // namespace jogak::cli
