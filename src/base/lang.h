// The two languages jogak speaks.
#pragma once

#include <cstdint>
#include <string_view>

namespace jogak {

enum class Lang : uint8_t { en, ko };

// Korean when the first of LC_ALL, LC_MESSAGES and LANG that is set names it; otherwise English.
Lang language_from_environment();

Lang parse_lang(std::string_view code);  // "ko" or "en"; anything else is a UsageError
const char* lang_code(Lang lang);

// One text in both languages, side by side where it is written.
struct Words {
  std::string_view ko, en;
  constexpr std::string_view operator()(Lang lang) const { return lang == Lang::ko ? ko : en; }
};

}  // namespace jogak
