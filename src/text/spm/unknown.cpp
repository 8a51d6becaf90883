#include "text/spm/unknown.h"

#include "text/models/unigram.h"

namespace jogak::text {

SpmUnknown::SpmUnknown(const SpmFile& spm) : unk_(spm.unk_id()), byte_fallback_(spm.byte_fallback) {
  for (size_t id = 0; id < spm.pieces.size(); ++id)
    if (spm.pieces[id].kind == SpmKind::byte)
      bytes_[byte_of_piece(spm.pieces[id].text)] = static_cast<int>(id);
}

void SpmUnknown::emit(std::string_view text, std::span<const Token> path,
                      std::vector<Token>& out) const {
  uint32_t at = 0;
  bool after_unknown = false;
  for (const Token& token : path) {
    const bool unknown = token.id == unk_;
    if (unknown && byte_fallback_) {
      for (; at < token.end; ++at)
        out.push_back({bytes_[static_cast<unsigned char>(text[at])], at + 1});
    } else if (unknown && after_unknown) {
      out.back().end = token.end;
    } else {
      out.push_back(token);
    }
    at = token.end;
    after_unknown = unknown;
  }
}

Vocab spm_vocab(const SpmFile& spm) {
  Vocab vocab;
  for (size_t id = 0; id < spm.pieces.size(); ++id)
    vocab.add(spm.pieces[id].text, static_cast<int>(id));
  return vocab;
}

}  // namespace jogak::text
