// Tokenizers of fairseq's models, as directories without tokenizer.json keep them: the pieces of a
// .model, renumbered, with the languages and a mask behind them.
#pragma once

#include <string>

#include "text/tokenizer.h"

namespace jogak::text {

inline constexpr const char* kFairseqModel = "sentencepiece.bpe.model";

// mBART, mBART-50, NLLB and XLM-RoBERTa, by transformers' names of their classes.
bool is_fairseq(const std::string& tokenizer_class);

// Cut as SentencePiece cuts, which transformers' classes did up to version 4: newer ones leave out
// the character map of mBART and the languages of NLLB. <s>, <pad>, </s> and <unk> are 0 to 3, and
// pieces follow in their order; "added_tokens_decoder" of tokenizer_config.json says where other
// tokens stand, else languages come next, and the mask last.
Tokenizer load_fairseq(const std::string& directory, const std::string& tokenizer_class);

}  // namespace jogak::text
