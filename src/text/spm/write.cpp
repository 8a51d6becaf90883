#include "text/spm/write.h"

#include <cstring>

namespace jogak::text {
namespace {

// Fields of a protocol buffer, one after the other.
class ProtoWriter {
 public:
  void number(uint32_t field, uint64_t value) {
    varint(uint64_t{field} << 3);
    varint(value);
  }
  void bytes(uint32_t field, std::string_view value) {
    varint(uint64_t{field} << 3 | 2);
    varint(value.size());
    out_ += value;
  }
  void real(uint32_t field, float value) {
    varint(uint64_t{field} << 3 | 5);
    char raw[sizeof(value)];
    std::memcpy(raw, &value, sizeof(value));
    out_.append(raw, sizeof(raw));
  }
  const std::string& text() const { return out_; }

 private:
  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) out_ += static_cast<char>(value | 0x80);
    out_ += static_cast<char>(value);
  }
  std::string out_;
};

std::string piece_message(const SpmPiece& piece) {
  ProtoWriter out;
  out.bytes(1, piece.text);
  out.real(2, piece.score);
  out.number(3, static_cast<uint64_t>(piece.kind));
  return out.text();
}

std::string trainer_message(const SpmFile& spm) {
  ProtoWriter out;
  out.number(3, static_cast<uint64_t>(spm.type));
  out.number(35, spm.byte_fallback);
  out.bytes(44, spm.unk_surface);
  out.bytes(45, spm.unk_piece);
  out.bytes(46, spm.bos_piece);
  out.bytes(47, spm.eos_piece);
  out.bytes(48, spm.pad_piece);
  return out.text();
}

std::string normalizer_message(const SpmNormalizing& rules) {
  ProtoWriter out;
  out.bytes(1, "identity");
  out.number(3, rules.add_dummy_prefix);
  out.number(4, rules.remove_extra_whitespaces);
  out.number(5, rules.escape_whitespaces);
  return out.text();
}

}  // namespace

std::string write_spm(const SpmFile& spm) {
  ProtoWriter out;
  for (const SpmPiece& piece : spm.pieces) out.bytes(1, piece_message(piece));
  out.bytes(2, trainer_message(spm));
  out.bytes(3, normalizer_message(spm.normalizing));
  return out.text();
}

}  // namespace jogak::text
