#include "text/split.h"

#include <array>
#include <string_view>

#include "text/reading.h"

namespace jogak::text {
namespace {

constexpr std::array<std::string_view, 5> kBehaviors = {"Removed", "Isolated", "MergedWithPrevious",
                                                        "MergedWithNext", "Contiguous"};

// Receives stretches of the text in order, each marked as delimiter or not, and lets go of whole
// pieces. At most one piece is held back.
class Joiner {
 public:
  Joiner(const Piece& in, SplitBehavior behavior, PieceSink out)
      : in_(in), behavior_(behavior), out_(out) {}

  void take(Span stretch, bool delimiter) {
    if (stretch.from == stretch.to) return;
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
    out_(Piece{in_.of, {in_.part.from + part.from, in_.part.from + part.to}, in_.bytes});
  }

  const Piece& in_;
  SplitBehavior behavior_;
  PieceSink out_;
  Span piece_;
  bool held_ = false, held_delimiter_ = false;
};

}  // namespace

void Split::split(const Piece& in, PieceSink out) const {
  if (in.bytes) {  // the pattern looks at characters
    const AlignedText text = spelled_out(in);
    return split(Piece{&text, {0, text.text().size()}}, out);
  }
  Joiner joiner(in, behavior_, out);
  const std::string_view text = in.text();
  size_t done = 0;
  pattern_->find(text, [&](Span match) {
    joiner.take({done, match.from}, invert_);
    joiner.take(match, !invert_);
    done = match.to;
  });
  joiner.take({done, text.size()}, invert_);
  joiner.finish();
}

Json Split::to_json() const {
  return Json::object({{"type", "Split"},
                       {"pattern", pattern_->to_json()},
                       {"behavior", kBehaviors[static_cast<size_t>(behavior_)]},
                       {"invert", invert_}});
}

std::unique_ptr<PreTokenizer> Split::read(const Fields& fields) {
  only_keys(fields, {"type", "pattern", "behavior", "invert"});
  auto pattern = Pattern::read(fields.at("pattern"), fields.file());
  const std::string& name = fields.text("behavior");
  for (size_t i = 0; i < kBehaviors.size(); ++i)
    if (kBehaviors[i] == name)
      return std::make_unique<Split>(std::move(pattern), static_cast<SplitBehavior>(i),
                                     fields.flag_or("invert", false));
  fields.wrong(fields.at("behavior"), "behavior",
               "Removed, Isolated, MergedWithPrevious, MergedWithNext or Contiguous");
}

}  // namespace jogak::text
