// Trains SentencePiece models, through libsentencepiece.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/train/progress.h"

namespace jogak {

struct SpmTraining {
  std::string type = "unigram";        // unigram, bpe or char
  int64_t vocab_size = 8000;           // all pieces; char: the most there may be
  int64_t extra = 0;                   // of these, tokens that the caller adds to the pieces
  std::string unk = "<unk>";           // has the id 0
  std::string bos{}, eos = "</s>";     // the ids that follow; empty: none
  std::vector<std::string> control{};  // and after them: pieces that no text is cut into
  double coverage = 0.9995;            // share of the characters that get pieces; char: all
  bool normalize = true;       // NFKC and single spaces; off: every character stays as it is
  bool nfc = false;            // instead of NFKC, which also rewrites wide letters and ligatures
  bool dummy_prefix = true;    // a space before every text, so that its first word is like others
  bool byte_fallback = false;  // characters without a piece become bytes
  TrainReport progress{};      // "reading", then seconds of "learning"
};

// The bytes of a .model. The same texts and settings give the same bytes. When the texts cannot
// give that many pieces, the error names the largest number that they can. The library works in a
// process of its own, which a progress report that throws ends at once.
std::string train_spm(std::span<const std::string_view> texts, const SpmTraining& training);

}  // namespace jogak
