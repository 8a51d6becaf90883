// Errors, warnings and notes in Korean. The library writes them in English; here they are put into
// Korean as a whole, from tables: places, quoted values and names stay as they are.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace jogak {

// What is not in the table stays as it is.
std::string in_korean(std::string_view message);

// {} is a hole: anything, put where the Korean has {0}, {1}, ..
struct KoreanLine {
  std::string_view en, ko;
};
std::span<const KoreanLine> korean_places();       // before a colon: "line 3"
std::span<const KoreanLine> korean_use_errors();   // what is wrong: with models, recipes, commands,
std::span<const KoreanLine> korean_file_errors();  // with what files hold,
std::span<const KoreanLine> korean_sentences();    // and with anything else
std::span<const KoreanLine> korean_warnings();     // what is worth a word, and what is being done
std::span<const KoreanLine> korean_phrases();      // what was found, and what was wanted

}  // namespace jogak
