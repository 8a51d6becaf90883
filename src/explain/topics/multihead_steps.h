// The lesson on multi-head attention at its three levels.
#pragma once

#include <algorithm>

#include "explain/sheet.h"

namespace jogak {

struct HeadPlan {
  int64_t heads = 2, width = 4;
  Parts tokens;

  int64_t shown() const { return std::min<int64_t>(heads, 4); }  // the others are computed unseen
  int64_t head_width() const { return width / heads; }
  std::string root() const { return text_of("sqrt(", head_width(), ")"); }
  std::string name(const char* table, int64_t head) const { return text_of(table, "_", head); }
  // The head's columns: "q[:, 0:2]"; the head's rows: "w_o[0:2, :]".
  std::string columns(const char* table, int64_t head) const {
    return text_of(table, "[:, ", (head - 1) * head_width(), ":", head * head_width(), "]");
  }
  std::string rows(const char* table, int64_t head) const {
    return text_of(table, "[", (head - 1) * head_width(), ":", head * head_width(), ", :]");
  }
};

void write_multihead_story(Sheet& s, const HeadPlan& plan);
void write_multihead_steps(Sheet& s, const HeadPlan& plan);
void write_multihead_math(Sheet& s, const HeadPlan& plan);

}  // namespace jogak
