// Where a text answers a question: the likeliest spans of what a model says of its tokens.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "data/question_windows.h"

namespace jogak {

struct Answer {
  std::string text;
  double score = 0;           // of its first token among all of the text's, times its last's
  size_t start = 0, end = 0;  // characters of the text
};

struct AnswerLimits {
  size_t top_k = 1;
  size_t tokens = 30;  // most of an answer
};

// The best of all windows of a text, best first; `logits` of each window are [T, 2], padding
// included.
std::vector<Answer> best_answers(const std::string& context,
                                 std::span<const QuestionWindow> windows,
                                 std::span<const std::vector<float>> logits,
                                 const AnswerLimits& limits);

}  // namespace jogak
