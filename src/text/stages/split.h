// The Split pre-tokenizer: a pattern, and what becomes of its matches.
#pragma once

#include <memory>

#include "text/stages/pre_tokenizer.h"

namespace jogak::text {

enum class SplitBehavior { removed, isolated, merged_with_previous, merged_with_next, contiguous };

SplitBehavior read_behavior(const Fields& fields);  // the key "behavior"
std::string_view behavior_name(SplitBehavior behavior);

// Hands over the pieces that come from cutting at matches; with `invert` what is not matched is
// the delimiter.
void split_at(const Piece& in, SplitBehavior behavior, bool invert,
              FunctionRef<void(SpanSink)> find, PieceSink out);

class Split : public CharacterCutter {
 public:
  Split(std::unique_ptr<Pattern> pattern, SplitBehavior behavior, bool invert)
      : pattern_(std::move(pattern)), behavior_(behavior), invert_(invert) {}

  Json to_json() const override;

  static std::unique_ptr<PreTokenizer> read(const Fields& fields);

 private:
  void cut(const Piece& in, PieceSink out) const override;
  std::unique_ptr<Pattern> pattern_;
  SplitBehavior behavior_;
  bool invert_;  // what the pattern does not match is the delimiter
};

}  // namespace jogak::text
