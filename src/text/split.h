// The Split pre-tokenizer: a pattern, and what becomes of its matches.
#pragma once

#include <memory>

#include "text/pre_tokenizer.h"

namespace jogak::text {

enum class SplitBehavior { removed, isolated, merged_with_previous, merged_with_next, contiguous };

class Split : public PreTokenizer {
 public:
  Split(std::unique_ptr<Pattern> pattern, SplitBehavior behavior, bool invert)
      : pattern_(std::move(pattern)), behavior_(behavior), invert_(invert) {}

  void split(const Piece& in, PieceSink out) const override;
  Json to_json() const override;

  static std::unique_ptr<PreTokenizer> read(const Fields& fields);

 private:
  std::unique_ptr<Pattern> pattern_;
  SplitBehavior behavior_;
  bool invert_;  // what the pattern does not match is the delimiter
};

}  // namespace jogak::text
