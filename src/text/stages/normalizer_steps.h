// Normalizers without settings, as functions: the parts of which "normalizer" is made.
#pragma once

#include "text/aligned_text.h"

namespace jogak::text {

AlignedText stripped(AlignedText in, bool left, bool right);
AlignedText without_marks(AlignedText in);  // StripAccents
AlignedText nmt(AlignedText in);            // SentencePiece's cleaning: control away, spaces plain
AlignedText in_byte_characters(AlignedText in);

struct BertOptions {
  bool clean_text = true;      // no control characters, all spaces plain
  bool spaced_chinese = true;  // spaces around Chinese characters
  bool strip_accents = true;
  bool lowercase = true;
};
AlignedText bert_normalized(AlignedText in, const BertOptions& options);

}  // namespace jogak::text
