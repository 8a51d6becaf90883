// Hangul syllables as strokes, put together from their letters.
#pragma once

#include <vector>

#include "draw/stroke.h"

namespace jogak {

// A syllable (U+AC00 to U+D7A3) in text units from x = 0, as stroked() has them; returns its
// advance. Each letter is drawn into the room that the others leave: where the vowel stands, and
// whether a consonant closes the syllable, decides.
double hangul_strokes(char32_t syllable, std::vector<Stroke>& out);

}  // namespace jogak
