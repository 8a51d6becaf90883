#include "text/stages/pre_tokenizer.h"

#include "text/reading.h"
#include "text/stages/gpt2_split.h"

namespace jogak::text {
namespace {

class ByteLevel : public PreTokenizer {
 public:
  explicit ByteLevel(ByteLevelOptions options) : options_(options) {}

  void split(const Piece& in, PieceSink out) const override {
    if (in.part.from == in.part.to) return;
    if (in.bytes) {  // a second byte level spells the characters of the first in bytes
      const AlignedText text = spelled_out(in);
      return split(whole(text), out);
    }
    if (options_.add_prefix_space && in.text().front() != ' ') {
      const AlignedText text = with_prefix(" ", in);
      return cut(whole(text), out);
    }
    cut(in, out);
  }
  bool makes_bytes() const override { return true; }
  Json to_json() const override { return byte_level_json(options_); }

 private:
  void cut(const Piece& in, PieceSink out) const {
    Piece piece{in.of, in.part, true};
    if (!options_.use_regex) return out(piece);
    const std::string_view text = in.text();
    for (size_t at = 0; at < text.size();) {
      const size_t end = gpt2_piece_end(text, at);
      piece.part = {in.part.from + at, in.part.from + end};
      out(piece);
      at = end;
    }
  }

  ByteLevelOptions options_;
};

}  // namespace

void CharacterCutter::split(const Piece& in, PieceSink out) const {
  if (!in.bytes) return cut(in, out);
  const AlignedText text = spelled_out(in);
  cut(whole(text), out);
}

ByteLevelOptions read_byte_level(const Fields& fields) {
  only_keys(fields, {"type", "add_prefix_space", "trim_offsets", "use_regex"});
  return {fields.flag_or("add_prefix_space", true), fields.flag_or("trim_offsets", true),
          fields.flag_or("use_regex", true)};
}

Json byte_level_json(const ByteLevelOptions& options) {
  return Json::object({{"type", "ByteLevel"},
                       {"add_prefix_space", options.add_prefix_space},
                       {"trim_offsets", options.trim_offsets},
                       {"use_regex", options.use_regex}});
}

std::unique_ptr<PreTokenizer> make_byte_level(ByteLevelOptions options) {
  return std::make_unique<ByteLevel>(options);
}

}  // namespace jogak::text
