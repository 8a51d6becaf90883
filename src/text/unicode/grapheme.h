// Grapheme clusters: what a reader takes for one character, such as a letter with its marks, a
// syllable spelled in jamo, a flag or an emoji of several code points.
#pragma once

#include <cstddef>
#include <string_view>

namespace jogak::text {

// Bytes of the cluster at the start of valid text; 0 of an empty text.
size_t cluster_size(std::string_view text);

// Length of the longest prefix of valid text that ends neither inside a syllable of jamo nor in an
// emoji or flag that could go on. A letter is not held back, though a mark may follow it; nor is a
// cluster longer than any that is in use.
size_t whole_characters(std::string_view text);

}  // namespace jogak::text
