#include "app/use/answers.h"

#include <algorithm>
#include <cmath>

#include "data/question_text.h"

namespace jogak {
namespace {

// Probabilities of the window's own tokens to be the first (side 0) or the last (side 1).
std::vector<double> chances(const QuestionWindow& window, const std::vector<float>& logits,
                            size_t side) {
  std::vector<double> out;
  for (size_t t = window.first; t < window.last; ++t) out.push_back(double{logits[2 * t + side]});
  const double most = out.empty() ? 0 : *std::max_element(out.begin(), out.end());
  double sum = 0;
  for (double& x : out) sum += x = std::exp(x - most);
  for (double& x : out) x /= sum;
  return out;
}

}  // namespace

std::vector<Answer> best_answers(const std::string& context,
                                 std::span<const QuestionWindow> windows,
                                 std::span<const std::vector<float>> logits,
                                 const AnswerLimits& limits) {
  std::vector<Answer> out;
  const auto better = [](const Answer& a, const Answer& b) { return a.score > b.score; };
  for (size_t w = 0; w < windows.size(); ++w) {
    const QuestionWindow& window = windows[w];
    const std::vector<double> first = chances(window, logits[w], 0),
                              last = chances(window, logits[w], 1);
    for (size_t i = 0; i < first.size(); ++i)
      for (size_t j = i; j < std::min(i + limits.tokens, last.size()); ++j) {
        const double score = first[i] * last[j];
        if (out.size() == limits.top_k && score <= out.back().score) continue;
        const size_t start = window.place(window.first + i).from,
                     end = window.place(window.first + j).to;
        if (end <= start) continue;
        const auto same = std::find_if(out.begin(), out.end(), [&](const Answer& known) {
          return known.start == start && known.end == end;  // two windows share it
        });
        if (same != out.end()) {
          same->score = std::max(same->score, score);
        } else {
          if (out.size() == limits.top_k) out.pop_back();
          out.push_back({characters(context, start, end), score, start, end});
        }
        std::stable_sort(out.begin(), out.end(), better);
      }
  }
  return out;
}

}  // namespace jogak
