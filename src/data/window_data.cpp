#include "data/window_data.h"

#include <algorithm>

namespace jogak {

WindowData::WindowData(TokenFile tokens, int64_t context, uint64_t seed)
    : tokens_(std::move(tokens)), context_(context), seed_(seed) {
  ensure<Error>(context >= 1, "windows of ", context, " tokens, wanted at least one");
  ensure<FormatError>(tokens_.count() >= 2, tokens_.name(), ": found ", tokens_.count(),
                      " tokens, wanted at least two");
}

int64_t WindowData::size() const {
  const int64_t n = tokens_.count();
  ensure<FormatError>(n > context_, tokens_.name(), ": found ", n, " tokens, wanted at least ",
                      context_ + 1, " for a context of ", context_);
  return std::max<int64_t>(n / context_ - 1, 1);
}

int64_t WindowData::shift(int64_t epoch) const {
  const int64_t room = tokens_.count() - 1 - size() * context_;  // behind the last window
  const auto choices = static_cast<uint64_t>(std::min(context_ - 1, room)) + 1;
  constexpr uint64_t kStream = 0x7368696674;  // apart from the streams of the order
  return static_cast<int64_t>(
      Rng(seed_, static_cast<uint64_t>(epoch)).split(kStream).below(choices));
}

Batch WindowData::batch(std::span<const Pick> picks) const {
  ensure<Error>(!picks.empty(), "a batch of no examples asked for");
  const auto rows = static_cast<int64_t>(picks.size());
  const int64_t examples = size();
  std::vector<int64_t> ids, targets, window(static_cast<size_t>(context_) + 1);
  ids.reserve(static_cast<size_t>(rows * context_));
  targets.reserve(static_cast<size_t>(rows * context_));
  for (const Pick& pick : picks) {
    ensure<Error>(pick.index >= 0 && pick.index < examples, tokens_.name(), ": window ", pick.index,
                  " asked for, there are ", examples);
    tokens_.read(pick.index * context_ + shift(pick.epoch), window);
    ids.insert(ids.end(), window.begin(), window.end() - 1);
    targets.insert(targets.end(), window.begin() + 1, window.end());
  }
  return {from_values(ids, {rows, context_}), from_values(targets, {rows, context_}),
          rows * context_};
}

int64_t WindowData::eval_windows() const { return (eval_tokens() + context_ - 1) / context_; }

Batch WindowData::eval_batch(int64_t first, int64_t count) const {
  ensure<Error>(first >= 0 && first < eval_windows() && count >= 1, tokens_.name(), ": ", count,
                " windows from ", first, " asked for, there are ", eval_windows());
  const int64_t rows = std::min(count, eval_windows() - first);
  const int64_t width = std::min(context_, eval_tokens() - first * context_);
  std::vector<int64_t> ids(static_cast<size_t>(rows * width), 0), window;
  std::vector<int64_t> targets(ids.size(), kIgnored);
  int64_t counted = 0;
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t begin = (first + row) * context_;
    const int64_t length = std::min(width, eval_tokens() - begin);
    window.resize(static_cast<size_t>(length) + 1);
    tokens_.read(begin, window);
    std::copy(window.begin(), window.end() - 1, ids.begin() + row * width);
    std::copy(window.begin() + 1, window.end(), targets.begin() + row * width);
    counted += length;
  }
  return {from_values(ids, {rows, width}), from_values(targets, {rows, width}), counted};
}

}  // namespace jogak
