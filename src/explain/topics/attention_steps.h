// The attention lesson for students, step by step.
#pragma once

#include "explain/sheet.h"

namespace jogak {

struct AttentionNames {
  Parts queries, keys, values;  // labels
  std::string root;             // "sqrt(4)"
  bool masked;                  // the sheet has a mask

  TableStyle square(int64_t lines, int64_t row = 0) const {
    return {.rows = queries, .columns = keys, .lines = lines, .row = row};
  }
};

void write_attention_steps(Sheet& s, const AttentionNames& n);

}  // namespace jogak
