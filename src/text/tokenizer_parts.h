// What a Tokenizer is put together from. Only the model is always there.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "text/added_tokens.h"
#include "text/limits.h"
#include "text/models/model.h"
#include "text/stages/decoder.h"
#include "text/stages/normalizer.h"
#include "text/stages/post_processor.h"
#include "text/stages/pre_tokenizer.h"

namespace jogak {

struct TokenizerParts {
  std::unique_ptr<text::Normalizer> normalizer;
  std::unique_ptr<text::PreTokenizer> pre_tokenizer;  // without one the text is one piece
  std::unique_ptr<text::Model> model;
  std::unique_ptr<text::PostProcessor> post_processor;
  std::unique_ptr<text::Decoder> decoder;
  text::AddedTokens added;
  std::optional<text::Truncation> truncation{};
  std::optional<text::Padding> padding{};
  std::vector<bool> control{};  // by id: no text, left out by decoding as special tokens are
  text::AddedTokens listed{};   // not looked for here, but a tokenizer.json has to name them
  std::map<std::string, std::string> roles;
  std::optional<int64_t> max_length{};
  std::string spm{};  // bytes of the .model it was made from
};

inline constexpr std::array kTokenRoles = {"bos_token", "eos_token", "unk_token", "sep_token",
                                           "pad_token", "cls_token", "mask_token"};

// The bos, eos, pad, ... tokens of a tokenizer_config.json.
std::map<std::string, std::string> read_roles(const Json& config, const std::string& file);

}  // namespace jogak
