// What becomes of text that has no piece, the same way for every kind of .model.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "text/models/model.h"
#include "text/spm/file.h"

namespace jogak::text {

class SpmUnknown {
 public:
  explicit SpmUnknown(const SpmFile& spm);

  int id() const { return unk_; }
  bool byte_fallback() const { return byte_fallback_; }

  // Appends the tokens of `path`, which cover all of the text. Unknown ones in a row become one
  // token or, with byte fallback, one for each byte.
  void emit(std::string_view text, std::span<const Token> path, std::vector<Token>& out) const;

 private:
  int unk_;
  bool byte_fallback_;
  std::array<int, 256> bytes_{};
};

// The pieces by id.
Vocab spm_vocab(const SpmFile& spm);

}  // namespace jogak::text
