// CLIP's pair of files, named as GPT-2's: tokens that end a word say so, and there is no other
// space. Its first token tells it apart.
#pragma once

#include <string>
#include <string_view>

#include "text/models/vocab.h"

namespace jogak::text {

inline constexpr std::string_view kClipStart = "<|startoftext|>", kClipEnd = "<|endoftext|>";

// The tokenizer.json that says what CLIPTokenizer does with these tokens and merges.
std::string clip_tokenizer_json(const Vocab& vocab, std::string_view merges,
                                const std::string& file);

}  // namespace jogak::text
