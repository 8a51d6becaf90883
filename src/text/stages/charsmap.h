// SentencePiece's compiled table of replacements (NFKC and the like): the precompiled_charsmap of
// a .model file and of a tokenizer.json.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/aligned_text.h"

namespace jogak::text {

class Charsmap {
 public:
  // `place` opens error messages: "FILE: byte 12: precompiled_charsmap". Every rule is looked at
  // once, so that nothing needs checking later.
  static Charsmap read(std::string_view blob, const std::string& place);
  static Charsmap from_base64(std::string_view text, const std::string& place);
  std::string to_base64() const;

  struct Rule {
    size_t size = 0;  // bytes of the text it replaces; 0: there is no rule
    std::string_view text{};
  };
  // The rule for the longest start of valid text, as SentencePiece looks it up.
  Rule longest(std::string_view text) const;
  bool starts_with(uint8_t byte) const;  // some rule does
  // The rule for the shortest start, as PyPI tokenizers does.
  Rule shortest(std::string_view text) const;

  // The whole text as the Precompiled of a tokenizer.json does it: grapheme clusters of less than
  // six bytes are replaced as wholes, all else character by character.
  AlignedText apply(AlignedText in) const;

 private:
  // A double array: the unit reached by byte c from a unit with base b is the one at b ^ c, if its
  // label is c. The value of a rule stands in the unit at b itself.
  struct Unit {
    uint32_t bits;
    bool has_value() const { return (bits >> 8 & 1) != 0; }
    uint32_t value() const { return bits & 0x7FFFFFFF; }
    uint32_t label() const { return bits & 0x800000FF; }  // a value has no label below 256
    uint32_t offset() const { return (bits >> 10) << ((bits & 0x200) >> 6); }
  };
  uint32_t base_of(uint32_t unit) const { return unit ^ units_[unit].offset(); }
  std::string_view text_at(uint32_t value) const;
  void check(const std::string& place) const;

  std::vector<Unit> units_;
  std::string texts_;  // each ends with a zero byte
};

}  // namespace jogak::text
