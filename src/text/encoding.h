// The result of encoding a text, or two.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "text/aligned_text.h"

namespace jogak {

// All lists are as long as the ids, except where only the ids were asked for: then the others are
// empty.
struct Encoding {
  std::vector<int> ids{};
  std::vector<std::string> tokens{};
  std::vector<Span> offsets{};            // characters of the text that the token comes from
  std::vector<int> type_ids{};            // which text: 0 or 1, or what the post-processor says
  std::vector<uint8_t> special_mask{};    // 1: not from a text
  std::vector<uint8_t> attention_mask{};  // 0: padding
  bool ids_only = false;

  void append(const Encoding& other);
  void keep(size_t from, size_t to);  // these tokens only
};

// Tokens that come from no text; `like` says whether only ids are wanted.
struct SpecialToken {
  int id;
  std::string token;
};
void append_special(Encoding& to, const SpecialToken& token, int type_id);

}  // namespace jogak
