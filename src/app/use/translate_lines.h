// Lines through a translation model: `jogak translate`, scoring and training share it.
#pragma once

#include <string>
#include <vector>

#include "app/models/model.h"
#include "app/use/translator.h"
#include "base/long_lines.h"
#include "text/pair_tokenizer.h"

namespace jogak {

// FormatError when the tokenizer knows more tokens than the model; `directory` may be empty.
void check_fits(const Model& model, const PairTokenizer& tokenizer, const std::string& directory);

// What a directory says, and before it what is asked for.
TranslateOptions translate_options(const GenerationSettings& directory,
                                   const GenerationSettings& asked = {});

// Into the tokenizer's target language: its token comes first, or is what a translation begins
// with. UsageError where a tokenizer of many languages was told none, naming what tells it.
TranslateOptions in_language(const PairTokenizer& tokenizer, TranslateOptions options,
                             const char* told_by = "--target-lang");

// A line too long for the model is cut, but not into any number of pieces: it is left untranslated
// (`too_long`), and this is what there is to say of it.
LongLines too_many_pieces(const Model& model);

std::vector<Translation> translate_lines(const Model& model, const PairTokenizer& tokenizer,
                                         const std::vector<std::string>& lines,
                                         const TranslateOptions& options);

// The best translation of each line, for scores.
std::vector<std::string> best_texts(const std::vector<Translation>& translations);

}  // namespace jogak
