// How BLEU cuts a line into tokens.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace jogak {

enum class BleuTokens : uint8_t {
  t13a,        // mteval-v13a's: punctuation apart from words, numbers whole; the usual one
  characters,  // each character that is not white space
  none         // what stands between white space: text that is tokenized already
};

BleuTokens parse_bleu_tokens(std::string_view name);  // "13a", "char", "none"; else a UsageError
const char* name_of(BleuTokens tokens);

// What stands between white space (Unicode's, and the four separators 0x1C to 0x1F) once signs are
// apart; a token lives as long as the call.
void each_bleu_token(std::string_view line, BleuTokens tokens,
                     const std::function<void(std::string_view)>& use);
std::vector<std::string> bleu_tokens(std::string_view line, BleuTokens tokens);

// Code points that are not white space; a byte that is not UTF-8 is U+FFFD.
std::vector<uint32_t> visible_characters(std::string_view utf8);

}  // namespace jogak
