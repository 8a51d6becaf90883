// The steps of the attention lesson for students.
#pragma once

#include "explain/arithmetic.h"
#include "explain/topic.h"

namespace jogak {

struct AttentionNumbers {
  Matrix q, k, v, mask;  // the mask is empty when nothing is hidden
  plain::Attention a;
  Parts queries, keys;
};

Table scores_table(const AttentionNumbers& n, std::string name, std::string caption, Matrix values);
Table output_table(const AttentionNumbers& n, std::string name, std::string caption, Matrix values);
std::vector<Table> given_tables(const AttentionNumbers& n);

void add_attention_steps(Lesson& lesson, const AttentionNumbers& n);

}  // namespace jogak
