// Korean particles (을/를, 은/는, 이/가, 과/와, 으로/로), chosen by the last sound of what they
// follow.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace jogak::korean {

enum class Ending : uint8_t { vowel, rieul, consonant };  // 으로 is 로 behind ㄹ too

// How a text ends when it is read aloud: Hangul, numbers ("10" is 십, "0.5" ends in 오) and letters
// by their names. Nothing for what people read in different ways, as words in other letters.
std::optional<Ending> ending_of(std::string_view text);

// The form of `particle` (either one) that stands behind `text`. What cannot be told is taken to
// end in a vowel.
std::string_view particle(std::string_view text, std::string_view particle);

struct Particle {
  std::string_view closed, open;  // behind a consonant, behind a vowel
};
inline constexpr Particle kParticles[] = {
    {"을", "를"}, {"은", "는"}, {"이", "가"}, {"과", "와"}, {"으로", "로"}};

}  // namespace jogak::korean
