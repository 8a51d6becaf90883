#include "text/spm/tokenizer.h"

#include <utility>

#include "base/file.h"
#include "text/models/unigram.h"
#include "text/spm/bpe.h"
#include "text/spm/decoder.h"
#include "text/spm/file.h"
#include "text/spm/normalizer.h"
#include "text/tokenizer.h"

namespace jogak {

namespace text {
namespace {

std::unique_ptr<Model> make_unigram(const SpmFile& spm) {
  std::vector<UnigramPiece> pieces;
  for (const SpmPiece& piece : spm.pieces) {
    const bool defined = piece.kind == SpmKind::user_defined;
    pieces.push_back({piece.text, piece.score, piece.kind == SpmKind::normal || defined, defined});
  }
  return std::make_unique<Unigram>(pieces, UnigramOptions{.unk_id = spm.unk_id(),
                                                          .byte_fallback = spm.byte_fallback,
                                                          .style = UnigramStyle::sentencepiece});
}

std::map<std::string, std::string> roles_of(const SpmFile& spm, const Vocab& vocab) {
  std::map<std::string, std::string> roles;
  const auto add = [&](const char* role, const std::string& name, const char* otherwise,
                       SpmKind kind) {
    const int id = vocab.find(name.empty() ? otherwise : name);
    if (id >= 0 && spm.pieces[id].kind == kind) roles[role] = spm.pieces[id].text;
  };
  add("unk_token", spm.unk_piece, "<unk>", SpmKind::unknown);
  add("bos_token", spm.bos_piece, "<s>", SpmKind::control);
  add("eos_token", spm.eos_piece, "</s>", SpmKind::control);
  add("pad_token", spm.pad_piece, "<pad>", SpmKind::control);
  return roles;
}

}  // namespace

std::unique_ptr<Model> make_spm_model(const SpmFile& spm) {
  switch (spm.type) {
    case SpmType::bpe: return make_spm_bpe(spm);
    case SpmType::word: return make_spm_words(spm);
    case SpmType::character: return make_spm_characters(spm);
    case SpmType::unigram: break;
  }
  return make_unigram(spm);
}

TokenizerParts spm_parts(const SpmFile& spm) {
  TokenizerParts parts;
  parts.normalizer = std::make_unique<SpmNormalizer>(spm.normalizing, user_defined(spm));
  parts.model = make_spm_model(spm);
  parts.decoder = make_spm_decoder(spm);
  parts.roles = roles_of(spm, parts.model->vocab());
  for (const SpmPiece& piece : spm.pieces) parts.control.push_back(piece.kind == SpmKind::control);
  return parts;
}

}  // namespace text

Tokenizer Tokenizer::from_spm(std::string bytes, const std::string& name,
                              const std::vector<std::string>& more) {
  const text::SpmFile spm = text::read_spm(bytes, name);
  TokenizerParts parts = text::spm_parts(spm);
  for (size_t i = 0; i < spm.pieces.size(); ++i) {
    const text::SpmPiece& piece = spm.pieces[i];
    const bool special =
        piece.kind == text::SpmKind::control || piece.kind == text::SpmKind::unknown;
    // Where others are looked for in the text, these are, too.
    if (special && !piece.text.empty())
      (more.empty() ? parts.listed : parts.added)
          .add({.id = static_cast<int>(i), .content = piece.text, .special = true},
               parts.model->vocab(), name);
  }
  int next = static_cast<int>(spm.pieces.size());
  for (const std::string& token : more)
    parts.added.add({.id = next++, .content = token, .special = true}, parts.model->vocab(), name);
  parts.spm = std::move(bytes);
  return Tokenizer(std::move(parts));
}

}  // namespace jogak
