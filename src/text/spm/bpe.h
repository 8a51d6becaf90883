// The models of .model files that are not unigram: BPE, one character a piece, one word a piece.
#pragma once

#include <memory>

#include "text/models/model.h"
#include "text/spm/file.h"

namespace jogak::text {

std::unique_ptr<Model> make_spm_bpe(const SpmFile& spm);
std::unique_ptr<Model> make_spm_characters(const SpmFile& spm);
std::unique_ptr<Model> make_spm_words(const SpmFile& spm);

}  // namespace jogak::text
