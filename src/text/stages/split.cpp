#include "text/stages/split.h"

#include <array>
#include <string_view>

#include "text/reading.h"

namespace jogak::text {
namespace {

constexpr std::array<std::string_view, 5> kBehaviors = {"Removed", "Isolated", "MergedWithPrevious",
                                                        "MergedWithNext", "Contiguous"};

// Receives stretches of the text in order, each marked as delimiter or not, and lets go of whole
// pieces. At most one piece is held back. Empty stretches count for what is joined with what, but
// no piece is empty.
class Joiner {
 public:
  Joiner(const Piece& in, SplitBehavior behavior, PieceSink out)
      : in_(in), behavior_(behavior), out_(out) {}

  void take(Span stretch, bool delimiter) {
    switch (behavior_) {
      case SplitBehavior::removed:
        if (!delimiter) emit(stretch);
        return;
      case SplitBehavior::isolated: return emit(stretch);
      case SplitBehavior::merged_with_previous:
        join_if(delimiter && held_ && !held_delimiter_, stretch, delimiter);
        return;
      case SplitBehavior::merged_with_next:
        join_if(!delimiter && held_ && held_delimiter_, stretch, delimiter);
        return;
      case SplitBehavior::contiguous:
        join_if(held_ && delimiter == held_delimiter_, stretch, delimiter);
        return;
    }
  }

  void finish() {
    if (held_) emit(piece_);
    held_ = false;
  }

 private:
  void join_if(bool join, Span stretch, bool delimiter) {
    if (join) {
      piece_.to = stretch.to;
    } else {
      finish();
      piece_ = stretch;
      held_ = true;
    }
    held_delimiter_ = delimiter;
  }

  void emit(Span part) {
    if (part.from < part.to)
      out_(Piece{in_.of, {in_.part.from + part.from, in_.part.from + part.to}, in_.bytes});
  }

  const Piece& in_;
  SplitBehavior behavior_;
  PieceSink out_;
  Span piece_;
  bool held_ = false, held_delimiter_ = false;
};

}  // namespace

void split_at(const Piece& in, SplitBehavior behavior, bool invert,
              FunctionRef<void(SpanSink)> find, PieceSink out) {
  Joiner joiner(in, behavior, out);
  const size_t size = in.part.to - in.part.from;
  size_t done = 0;
  find([&](Span match) {
    if (done < match.from) joiner.take({done, match.from}, invert);
    joiner.take(match, !invert);
    done = match.to;
  });
  if (done < size) joiner.take({done, size}, invert);
  joiner.finish();
}

void Split::cut(const Piece& in, PieceSink out) const {
  split_at(
      in, behavior_, invert_, [&](SpanSink match) { pattern_->find(in.text(), match); }, out);
}

std::string_view behavior_name(SplitBehavior behavior) {
  return kBehaviors[static_cast<size_t>(behavior)];
}

SplitBehavior read_behavior(const Fields& fields) {
  const std::string& name = fields.text("behavior");
  for (size_t i = 0; i < kBehaviors.size(); ++i)
    if (kBehaviors[i] == name) return static_cast<SplitBehavior>(i);
  fields.wrong(fields.at("behavior"), "behavior",
               "Removed, Isolated, MergedWithPrevious, MergedWithNext or Contiguous");
}

Json Split::to_json() const {
  return Json::object({{"type", "Split"},
                       {"pattern", pattern_->to_json()},
                       {"behavior", behavior_name(behavior_)},
                       {"invert", invert_}});
}

std::unique_ptr<PreTokenizer> Split::read(const Fields& fields) {
  only_keys(fields, {"type", "pattern", "behavior", "invert"});
  auto pattern = Pattern::read(fields.at("pattern"), fields.file());
  return std::make_unique<Split>(std::move(pattern), read_behavior(fields),
                                 fields.flag_or("invert", false));
}

}  // namespace jogak::text
