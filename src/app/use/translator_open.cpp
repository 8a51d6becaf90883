#include "app/use/translator.h"

#include "app/use/generation.h"
#include "app/use/translate_lines.h"
#include "nn/laying_out.h"

namespace jogak {

// The decoder is read once a token: in tiles on a CPU.
static Model opened(const std::string& directory) {
  const LayingOut tiles;
  return open_translator(directory, {.use = WeightUse::as_stored});
}

struct Translator::Parts {
  Model model;
  PairTokenizer tokenizer;
  GenerationSettings settings;

  Parts(const std::string& directory, const PairLanguages& languages)
      : model(opened(directory)),
        tokenizer(load_pair_tokenizer(directory, languages)),
        settings(directory_settings(directory, model)) {
    check_fits(model, tokenizer, directory);
  }
};

Translator::Translator(const std::string& directory, const PairLanguages& languages)
    : parts_(std::make_unique<Parts>(directory, languages)) {}
Translator::~Translator() = default;
Translator::Translator(Translator&&) noexcept = default;
Translator& Translator::operator=(Translator&&) noexcept = default;

TranslateOptions Translator::options(const GenerationSettings& asked) const {
  return in_language(parts_->tokenizer, translate_options(parts_->settings, asked));
}
const Model& Translator::model() const { return parts_->model; }
const PairTokenizer& Translator::tokenizer() const { return parts_->tokenizer; }

std::vector<Translation> Translator::translate(const std::vector<std::string>& lines,
                                               const TranslateOptions& options) const {
  return translate_lines(model(), tokenizer(), lines, options);
}
std::vector<Translation> Translator::translate(const std::vector<std::string>& lines) const {
  return translate(lines, options());
}

Json to_json(const Translation& translation) {
  Json texts = Json::array();
  for (const TranslatedText& text : translation.texts) {
    Json one = Json::object();
    one.set("text", text.text).set("score", text.score);
    if (!text.ids.empty()) one.set("ids", Json::list(text.ids));
    if (!text.candidates.empty()) one.set("candidates", candidates_json(text.candidates));
    if (text.alignment.weights.rows > 0) one.set("alignment", alignment_json(text.alignment));
    texts.push(std::move(one));
  }
  Json out = Json::object();
  out.set("schema", 1).set("source", translation.source);
  return std::move(out.set("translations", std::move(texts)));
}

}  // namespace jogak
