// One head of a model on one text, as a lesson shows it.
#pragma once

#include <string>
#include <vector>

#include "draw/matrix.h"

namespace jogak {

struct HeadView {
  std::string model;               // "gpt2"
  int64_t layer = 0, head = 0;     // from 0
  std::vector<std::string> words;  // the tokens
  Matrix q, k, v;                  // [n, d_k], [n, d_k], [n, d_v], as the attention gets them
  Matrix bias;                     // [1, n], added to the scaled scores; empty: none
  Matrix real;                     // [1, n], 0 for padding; empty: none
  double scale = 0;                // the scores are multiplied by it
  bool causal = false;
};

}  // namespace jogak
