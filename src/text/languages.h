// Tokenizers of many languages put a token around each text that says in which it is: NLLB's
// "eng_Latn", M2M100's "__en__", mBART's "en_XX".
#pragma once

#include <optional>
#include <string>

#include "base/json.h"
#include "text/tokenizer.h"

namespace jogak {

struct PairLanguages {
  std::string source = {}, target = {};  // as the tokenizer names them; empty: as it says itself
};

struct LanguageStyle {
  std::string tokenizer_class;  // transformers'
  bool behind = false;          // behind the text and its end, not before the text
  bool underlined = false;      // "en" is the token "__en__"
  bool said = false;            // the source's language stands in tokenizer_config.json
  PairLanguages usual = {};     // what tokenizer_config.json says; no target: none said

  std::string token(const std::string& language) const;
};

// transformers' class of a directory's tokenizer: as tokenizer_config.json or config.json says,
// else the usual one of the model's type; empty: unknown.
std::string tokenizer_class_of(const std::string& directory);

// Of a tokenizer_config.json; nothing where its class knows no languages.
std::optional<LanguageStyle> language_style(const Json& config, const std::string& file);

bool has_language(const Tokenizer& tokenizer, const LanguageStyle& style,
                  const std::string& language);

// The language's token; UsageError with the nearest that the tokenizer has.
int language_id(const Tokenizer& tokenizer, const LanguageStyle& style,
                const std::string& language);

// Texts of this tokenizer are in that language from now on.
void set_language(Tokenizer& tokenizer, const LanguageStyle& style, const std::string& language);

}  // namespace jogak
