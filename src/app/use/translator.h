// An encoder-decoder that is open: it translates any number of lines.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "generate/generated.h"
#include "generate/settings.h"
#include "look/alignment.h"
#include "text/languages.h"

namespace jogak {

struct Model;
struct PairTokenizer;

struct TranslatedText {
  std::string text;
  double score = 0;
  std::vector<int> ids = {};  // its tokens, the end token included; of a cut line none
  std::vector<std::vector<Candidate>> candidates = {};  // of each, when asked for
  Alignment alignment = {};                             // when asked for; else without weights
};

// What is longer than the model reads is cut into pieces; nobody waits for more of them than this.
inline constexpr size_t kMostPieces = 1024;

struct Translation {
  std::string source;
  std::vector<TranslatedText> texts = {};  // best first
  int64_t pieces = 1;                      // a line too long for the model is cut
  bool too_long = false;                   // it would be more pieces: not translated
};

class Translator {
 public:
  // FormatError for a model that does not translate, naming the command that runs it; UsageError
  // for languages that its tokenizer does not have.
  explicit Translator(const std::string& directory, const PairLanguages& languages = {});
  ~Translator();
  Translator(Translator&&) noexcept;
  Translator& operator=(Translator&&) noexcept;

  // As the directory says (generation_config.json, else config.json), and before it what is asked.
  TranslateOptions options(const GenerationSettings& asked = {}) const;

  // An empty line stays empty. Lines longer than the model reads are cut at spaces where there are
  // some and put together again; of such a line there is one translation, and no alignment. One
  // that would be more than kMostPieces is not translated.
  std::vector<Translation> translate(const std::vector<std::string>& lines,
                                     const TranslateOptions& options) const;
  std::vector<Translation> translate(const std::vector<std::string>& lines) const;

  const Model& model() const;
  const PairTokenizer& tokenizer() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// {"schema","source","translations":[{"text","score","ids","alignment"}]}; the alignment, when
// asked for, holds "source" and "target" tokens and "weights", one row a target token.
Json to_json(const Translation& translation);

}  // namespace jogak
