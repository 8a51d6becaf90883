// A tokenizer made of a SentencePiece .model.
#pragma once

#include <string>
#include <string_view>

#include "text/tokenizer_parts.h"

namespace jogak::text {

struct SpmFile;

TokenizerParts spm_parts(const SpmFile& spm);
std::unique_ptr<Model> make_spm_model(const SpmFile& spm);

// Names a .model has in a directory, the first one found is taken.
inline constexpr const char* kSpmNames[] = {"tokenizer.model", "spiece.model",
                                            "sentencepiece.bpe.model", "sentencepiece.model",
                                            "spm.model"};

}  // namespace jogak::text
