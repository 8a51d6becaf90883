#include "base/lang.h"

#include <cstdlib>

#include "base/error.h"

namespace jogak {

// "ko", "ko_KR.UTF-8", "ko.utf8" and "ko-KR"; not "kok_IN", which is Konkani.
static bool is_korean(std::string_view locale) {
  if (locale.substr(0, 2) != "ko") return false;
  return locale.size() == 2 || std::string_view("_.@-").find(locale[2]) != std::string_view::npos;
}

Lang language_from_environment() {
  for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    const char* value = std::getenv(name);
    if (value && *value) return is_korean(value) ? Lang::ko : Lang::en;
  }
  return Lang::en;
}

Lang parse_lang(std::string_view code) {
  if (code == "ko") return Lang::ko;
  if (code == "en") return Lang::en;
  fail<UsageError>("language: found \"", code, "\", wanted ko or en");
}

const char* lang_code(Lang lang) { return lang == Lang::ko ? "ko" : "en"; }

}  // namespace jogak
