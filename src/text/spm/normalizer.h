// What a .model does to a text before it is cut: replacements, plain spaces, a space in front.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "text/models/piece_trie.h"
#include "text/spm/file.h"
#include "text/stages/normalizer.h"

namespace jogak::text {

class SpmNormalizer : public Normalizer {
 public:
  // `kept` are left as they stand in the text, the longest first: the user-defined pieces.
  SpmNormalizer(SpmNormalizing how, PieceTrie kept);

  AlignedText apply(AlignedText in) const override;
  std::string apply(std::string_view text) const;  // the same without origins
  Json to_json() const override;

 private:
  template <class Out>
  size_t run(std::string_view text, Out& out) const;
  Charsmap::Rule start_of(std::string_view text) const;
  size_t plain_size(std::string_view text) const;
  std::string spaces() const;

  SpmNormalizing how_;
  PieceTrie kept_;
  std::array<bool, 256> plain_{};  // by first byte: characters that always stay as they are
};

// The user-defined pieces with their ids.
PieceTrie user_defined(const SpmFile& spm);

}  // namespace jogak::text
