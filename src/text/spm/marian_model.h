// Parts of a tokenizer that are Marian's own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "text/models/model.h"
#include "text/spm/file.h"
#include "text/stages/decoder.h"
#include "text/stages/post_processor.h"

namespace jogak::text {

// Cuts text by the .spm, without a normalizer before it: a text may begin with the code of a
// language, ">>kor<<", which is one token and not for the .spm. Pieces get their ids by name.
std::unique_ptr<Model> make_marian_model(const SpmFile& spm, Vocab vocab, const std::string& unk);

// As the .spm, but special tokens stand between stretches of text, and spaces around it all go.
std::unique_ptr<Decoder> make_marian_decoder(const SpmFile& spm, std::vector<std::string> special);

// Puts the end token behind.
std::unique_ptr<PostProcessor> make_marian_end(int id, std::string token);

}  // namespace jogak::text
