// GPT-2's word pattern, written out by hand:
//   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
#pragma once

#include <cstddef>
#include <string_view>

namespace jogak::text {

inline constexpr std::string_view kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

// End of the piece that starts at `at` < text.size(). The text is valid UTF-8; the pattern
// matches at every place, so the pieces laid end to end are the text.
size_t gpt2_piece_end(std::string_view text, size_t at);

}  // namespace jogak::text
