#include "app/models/vocabulary.h"

#include <algorithm>

#include "app/models/model.h"
#include "base/json.h"

namespace jogak {

void check_rows(const Tokenizer& tokenizer, int64_t rows, const std::string& directory,
                const char* which) {
  const int count = tokenizer.vocab_size();
  if (count <= rows) return;
  fail<FormatError>(directory, directory.empty() ? "" : ": ", "the ", which, "tokenizer has ",
                    count, " tokens, but the model knows ", rows, ": token ",
                    json_quote(tokenizer.id_to_token(count - 1).value_or("")), " has the id ",
                    count - 1);
}

bool reads_beside(const Family& family) {
  return std::count(family.keys.begin(), family.keys.end(), "text_config") > 0;
}

static Json text_side(const Tokenizer& tokenizer, const Family& family, const std::string& preset,
                      const std::vector<Json::Member>& settings) {
  Json text = *preset_config(family, preset, settings).find("text_config");
  const auto said = [&](const char* key) {
    return std::any_of(settings.begin(), settings.end(), [&](const Json::Member& one) {
      return one.first == "text_config" && one.second.find(key);
    });
  };
  const std::vector<int> around = tokenizer.encode_ids("");
  ensure<FormatError>(!around.empty() && around.back() != 2,
                      "the tokenizer ends a text with token ",
                      around.empty() ? "none" : text_of(around.back()),
                      ", wanted one of another number than 2, which configurations of CLIP take "
                      "for the highest");
  if (!said("vocab_size")) text.set("vocab_size", tokenizer.vocab_size());
  if (!said("eos_token_id")) text.set("eos_token_id", around.back());
  return text;
}

std::vector<Json::Member> vocabulary_settings(const Tokenizer& tokenizer, const Family& family,
                                              const std::string& preset,
                                              const std::vector<Json::Member>& settings) {
  if (reads_beside(family))
    return {{"text_config", text_side(tokenizer, family, preset, settings)}};
  const bool said = std::any_of(settings.begin(), settings.end(),
                                [](const auto& one) { return one.first == "vocab_size"; });
  if (said) return {};
  return {{"vocab_size", tokenizer.vocab_size()}};
}

}  // namespace jogak
