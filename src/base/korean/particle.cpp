#include "base/korean/particle.h"

#include "base/utf8.h"

namespace jogak::korean {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// 영, 일, 이, 삼, 사, 오, 육, 칠, 팔, 구.
Ending digit_ending(char digit) {
  constexpr std::string_view kClosed = "036", kRieul = "178";
  if (kClosed.find(digit) != std::string_view::npos) return Ending::consonant;
  return kRieul.find(digit) != std::string_view::npos ? Ending::rieul : Ending::vowel;
}

// "1,000" ends in 천 and "2.50" in 영, but 10^12 in 조, the one unit that ends in a vowel.
Ending number_ending(std::string_view number) {
  const bool fraction = number.find('.') != std::string_view::npos;
  size_t zeros = 0, digits = 0;
  for (size_t i = number.size(); i-- > 0;) {
    digits += is_digit(number[i]);
    if (number[i] == '0' && zeros + 1 == digits) ++zeros;
  }
  const bool units = !fraction && zeros > 0 && zeros < digits;
  if (units) return zeros >= 12 && zeros < 16 ? Ending::vowel : Ending::consonant;
  return digit_ending(number.back());
}

// By the letter's name: 엘, 알, 엠, 엔.
Ending letter_ending(char letter) {
  switch (letter | 0x20) {
    case 'l':
    case 'r': return Ending::rieul;
    case 'm':
    case 'n': return Ending::consonant;
    default: return Ending::vowel;
  }
}

std::optional<Ending> symbol_ending(char32_t code) {
  if (code >= 0xAC00 && code <= 0xD7A3) {
    const char32_t last = (code - 0xAC00) % 28;
    return last == 0 ? Ending::vowel : last == 8 ? Ending::rieul : Ending::consonant;
  }
  switch (code) {
    case U'ε':
    case U'²': return Ending::consonant;  // 엡실론, 제곱
    case U'α':
    case U'β':
    case U'γ':
    case U'θ':
    case U'λ':
    case U'μ':
    case U'π':
    case U'σ':
    case U'∞':
    case U'ᵀ':
    case U'%': return Ending::vowel;
    default: return std::nullopt;
  }
}

char32_t last_code(std::string_view text, size_t& begin) {
  begin = text.size() - 1;
  while (begin > 0 && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) --begin;
  return utf8::decode(text, begin).code;
}

// "점수(3)" reads as 점수, "PE(3)" to its end: what stands before the bracket decides.
std::optional<Ending> bracket_ending(std::string_view text) {
  const size_t open = text.rfind('(');
  if (open == std::string_view::npos) return std::nullopt;
  if (open > 0) {
    size_t begin = 0;
    const char32_t before = last_code(text.substr(0, open), begin);
    if (before >= 0xAC00 && before <= 0xD7A3) return symbol_ending(before);
  }
  return ending_of(text.substr(0, text.size() - 1));
}

}  // namespace

std::optional<Ending> ending_of(std::string_view text) {
  constexpr std::string_view kPassedOver = "\"'`* ]";
  while (!text.empty() && kPassedOver.find(text.back()) != std::string_view::npos)
    text.remove_suffix(1);
  if (text.empty()) return std::nullopt;
  const char last = text.back();
  if (last == ')') return bracket_ending(text);
  if (is_digit(last)) {
    size_t begin = text.size();
    while (begin > 0 && (is_digit(text[begin - 1]) || text[begin - 1] == '.' ||
                         (text[begin - 1] == ',' && begin > 1 && is_digit(text[begin - 2]))))
      --begin;
    const bool fraction = begin > 1 && text[begin - 1] == '/' && is_digit(text[begin - 2]);
    return fraction ? ending_of(text.substr(0, begin - 1))  // 1/4 is read 4분의 1
                    : number_ending(text.substr(begin));
  }
  if (is_letter(last)) {
    const bool word = text.size() > 1 && is_letter(text[text.size() - 2]);
    if (word) return std::nullopt;
    return letter_ending(last);
  }
  size_t begin = 0;
  return symbol_ending(last_code(text, begin));
}

std::string_view particle(std::string_view text, std::string_view wanted) {
  const Ending ending = ending_of(text).value_or(Ending::vowel);
  for (const Particle& p : kParticles) {
    if (wanted != p.closed && wanted != p.open) continue;
    const bool closed =
        ending == Ending::consonant || (ending == Ending::rieul && p.closed != "으로");
    return closed ? p.closed : p.open;
  }
  return wanted;
}

}  // namespace jogak::korean
