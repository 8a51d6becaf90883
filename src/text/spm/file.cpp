#include "text/spm/file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/flat_map.h"
#include "base/utf8.h"
#include "text/models/unigram.h"
#include "text/reading.h"
#include "text/spm/proto.h"

namespace jogak::text {
namespace {

void take_text(const ProtoReader& in, std::string& out) {
  if (std::string_view text; in.take(text)) out = text;
}

SpmPiece read_piece(ProtoReader in, size_t number) {
  SpmPiece piece;
  const size_t start = in.place();
  while (in.next()) {
    int32_t kind = 0;
    if (in.field() == 1) {
      take_text(in, piece.text);
      if (piece.text.size() > kLongestPiece)
        in.wrong(in.place(), "piece ", number, ": found ", piece.text.size(),
                 " bytes, wanted at most ", kLongestPiece);
      if (const size_t bad = utf8::first_invalid(piece.text); bad != std::string::npos)
        in.wrong(in.place() + bad, "piece ", number,
                 ": found bytes that are not UTF-8, wanted UTF-8 text");
    } else if (in.field() == 2 && in.take(piece.score)) {
      if (!std::isfinite(piece.score))
        in.wrong(in.place(), "piece ", number, ": found the score ", piece.score,
                 ", wanted a finite number");
    } else if (in.field() == 3 && in.take(kind)) {
      if (kind < 1 || kind > 6)
        in.wrong(in.place(), "piece ", number, ": found the type ", kind, ", wanted 1 to 6");
      piece.kind = static_cast<SpmKind>(kind);
    }
  }
  if (piece.text.empty()) in.wrong(start, "piece ", number, " is empty, wanted some text");
  return piece;
}

void read_training(ProtoReader in, SpmFile& out) {
  while (in.next()) {
    int32_t type = 0;
    switch (in.field()) {
      case 3:
        if (!in.take(type)) break;
        if (type < 1 || type > 4)
          in.wrong(in.place(), "found the model type ", type,
                   ", wanted 1 (unigram), 2 (BPE), 3 (word) or 4 (char)");
        out.type = static_cast<SpmType>(type);
        break;
      case 24: in.take(out.normalizing.treat_whitespace_as_suffix); break;
      case 35: in.take(out.byte_fallback); break;
      case 44: take_text(in, out.unk_surface); break;
      case 45: take_text(in, out.unk_piece); break;
      case 46: take_text(in, out.bos_piece); break;
      case 47: take_text(in, out.eos_piece); break;
      case 48: take_text(in, out.pad_piece); break;
    }
  }
  if (utf8::first_invalid(out.unk_surface) != std::string::npos)
    out.unk_surface = utf8::lossy(out.unk_surface);
}

void read_normalizing(ProtoReader in, SpmNormalizing& out, const std::string& name) {
  while (in.next()) {
    std::string_view blob;
    switch (in.field()) {
      case 2:
        if (!in.take(blob)) break;
        out.charsmap.reset();
        if (!blob.empty())
          out.charsmap =
              Charsmap::read(blob, text_of(name, ": byte ", in.place(), ": precompiled_charsmap"));
        break;
      case 3: in.take(out.add_dummy_prefix); break;
      case 4: in.take(out.remove_extra_whitespaces); break;
      case 5: in.take(out.escape_whitespaces); break;
    }
  }
}

// What concerns all pieces together. Errors name the byte of the piece.
class PieceChecks {
 public:
  PieceChecks(const SpmFile& spm, const std::vector<size_t>& places, const std::string& name)
      : spm_(spm), places_(places), name_(name) {}

  void run() {
    ensure<FormatError>(!spm_.pieces.empty(), name_, ": byte 0: found no pieces, wanted some");
    for (uint32_t id = 0; id < spm_.pieces.size(); ++id) look_at(id);
    ensure<FormatError>(unk_ != kNone, name_,
                        ": byte 0: found no unknown piece, wanted one of type 2");
    if (!spm_.byte_fallback) return;
    const auto missing = std::find(bytes_.begin(), bytes_.end(), false);
    if (missing != bytes_.end())
      fail<FormatError>(name_, ": byte 0: byte_fallback is on, but there is no piece ",
                        byte_piece(static_cast<unsigned char>(missing - bytes_.begin())));
  }

 private:
  void look_at(uint32_t id) {
    const SpmPiece& piece = spm_.pieces[id];
    const auto text_at = [&](uint32_t i) { return std::string_view(spm_.pieces[i].text); };
    if (const auto [other, is_new] = known_.insert(piece.text, text_at); !is_new)
      wrong(id, "piece ", shown(piece.text), " is there twice, with the ids ", other, " and ", id);
    if (piece.kind == SpmKind::unknown) {
      if (unk_ != kNone) wrong(id, "pieces ", unk_, " and ", id, " are both the unknown piece");
      unk_ = id;
    }
    if (piece.kind == SpmKind::byte) {
      if (!spm_.byte_fallback)
        wrong(id, "found the byte piece ", shown(piece.text), ", but byte_fallback is off");
      const int byte = byte_of_piece(piece.text);
      if (byte < 0)
        wrong(id, "found the byte piece ", shown(piece.text), ", wanted <0x00> to <0xFF>");
      bytes_[byte] = true;
    }
  }

  template <class... Parts>
  [[noreturn]] void wrong(uint32_t id, const Parts&... parts) const {
    fail<FormatError>(name_, ": byte ", places_[id], ": ", parts...);
  }

  const SpmFile& spm_;
  const std::vector<size_t>& places_;
  const std::string& name_;
  StringIndex known_;
  uint32_t unk_ = kNone;
  std::array<bool, 256> bytes_{};
};

}  // namespace

int SpmFile::unk_id() const {
  const auto unk = std::find_if(pieces.begin(), pieces.end(), [](const SpmPiece& piece) {
    return piece.kind == SpmKind::unknown;
  });
  return static_cast<int>(unk - pieces.begin());
}

SpmFile read_spm(std::string_view bytes, const std::string& name) {
  ensure<FormatError>(!bytes.empty(), name, ": byte 0: found an empty file, wanted pieces");
  SpmFile out;
  std::vector<size_t> places;
  ProtoReader in(bytes, 0, name);
  while (in.next()) {
    std::string_view message;
    if (in.field() > 5 || !in.take(message)) continue;
    switch (in.field()) {
      case 1:
        places.push_back(in.place());
        out.pieces.push_back(read_piece(in.message(), out.pieces.size()));
        break;
      case 2: read_training(in.message(), out); break;
      case 3: read_normalizing(in.message(), out.normalizing, name); break;
      case 5:
        if (!out.denormalizing) out.denormalizing.emplace();
        read_normalizing(in.message(), *out.denormalizing, name);
        break;
    }
  }
  if (out.denormalizing && !out.denormalizing->charsmap) out.denormalizing.reset();
  PieceChecks(out, places, name).run();
  return out;
}

// A .model begins with a piece: the tag 10, which JSON could take for the end of a line, and a
// size.
bool looks_like_spm(std::string_view bytes) {
  const size_t first = bytes.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return false;
  return bytes.starts_with('\n') && bytes[first] != '{' && bytes[first] != '[';
}

}  // namespace jogak::text
