// A complete small GPT in plain double loops, for the lesson on a whole model. Its weights come
// from sines, so that any language can make the same ones; their names are those of a GPT-2 file.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "draw/matrix.h"

namespace jogak {

struct SmallGpt {
  static constexpr int64_t kVocab = 12, kContext = 8, kWidth = 8, kHeads = 2, kLayers = 2;

  // In the order in which they are made: vectors are matrices of one row, linear weights [in, out].
  std::vector<std::pair<std::string, Matrix>> weights;
  SmallGpt();
  const Matrix& weight(const std::string& name) const;
};

struct SmallGptPass {
  Matrix embedded;             // [T, C]
  std::vector<Matrix> blocks;  // what each one gives
  Matrix logits;               // [T, V]
};
SmallGptPass run_small_gpt(const SmallGpt& model, const std::vector<int64_t>& ids);

}  // namespace jogak
