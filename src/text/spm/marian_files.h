// One side of a Marian directory: a .spm that cuts text, and a vocabulary that numbers the pieces.
#pragma once

#include <string>
#include <vector>

#include "text/added_tokens.h"
#include "text/models/vocab.h"
#include "text/tokenizer.h"

namespace jogak::text {

// Tokens with a role, and what else tokenizer_config.json adds.
struct MarianTokens {
  std::string eos = "</s>", unk = "<unk>", pad = "<pad>";
  std::vector<AddedToken> added{};

  static MarianTokens read(const Json& config, const std::string& file);
};

struct MarianSide {
  std::string spm;         // bytes of the .spm that encodes
  std::string decode_spm;  // and of the one that decodes
  Vocab vocab;
  MarianTokens tokens{};
};

// `spm_name` and `vocab_name` are what errors call the two.
Tokenizer make_marian_side(MarianSide side, const std::string& spm_name,
                           const std::string& vocab_name);

}  // namespace jogak::text
