#include "data/span_data.h"

#include <algorithm>

namespace jogak {

SpanData::SpanData(const QuestionTexts& texts, const Tokenizer& tokenizer,
                   const LabelDataOptions& options)
    : options_(options), questions_(static_cast<int64_t>(texts.questions.size())) {
  for (const Question& q : texts.questions)
    for (const QuestionWindow& window :
         question_windows(tokenizer, q.question, q.context, static_cast<size_t>(options.context))) {
      Target target;
      bool begins = false, ends = false;
      for (size_t t = window.first; t < window.last; ++t) {
        const Span at = window.place(t);
        if (at.to <= at.from) continue;
        if (!begins && at.from <= q.start && q.start < at.to)
          begins = true, target.first = static_cast<int64_t>(t);
        if (at.from < q.end && q.end <= at.to) ends = true, target.last = static_cast<int64_t>(t);
      }
      targets_.push_back(begins && ends ? target : Target{});
      ids_.insert(ids_.end(), window.text.ids.begin(), window.text.ids.end());
      types_.insert(types_.end(), window.text.type_ids.begin(), window.text.type_ids.end());
      starts_.push_back(ids_.size());
    }
}

SpanBatch SpanData::batch(std::span<const Pick> picks) const {
  std::vector<std::span<const int32_t>> ids, types;
  std::vector<int64_t> targets;
  bool typed = false;
  for (const Pick& pick : picks) {
    ensure<Error>(pick.index >= 0 && pick.index < size(), "question ", pick.index,
                  " asked for, there are ", size());
    const auto i = static_cast<size_t>(pick.index);
    const size_t from = starts_[i], count = starts_[i + 1] - from;
    ids.push_back(std::span(ids_).subspan(from, count));
    types.push_back(std::span(types_).subspan(from, count));
    typed = typed || std::any_of(types.back().begin(), types.back().end(),
                                 [](int32_t type) { return type != 0; });
    targets.insert(targets.end(), {targets_[i].first, targets_[i].last});
  }
  SpanBatch out{padded_rows(ids, options_.pad_id), {}};
  if (typed) out.types = padded_rows(types, 0).ids;
  out.targets = from_values(targets, {out.count, 2});
  return out;
}

SpanBatch SpanData::eval_batch(int64_t first, int64_t count) const {
  std::vector<Pick> picks;
  for (int64_t i = first; i < std::min(first + count, size()); ++i) picks.push_back({i, 0});
  return batch(picks);
}

}  // namespace jogak
