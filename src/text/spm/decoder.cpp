#include "text/spm/decoder.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "text/models/unigram.h"
#include "text/spm/normalizer.h"
#include "text/spm/unknown.h"

namespace jogak::text {
namespace {

class SpmDecoder : public Decoder {
 public:
  explicit SpmDecoder(const SpmFile& spm)
      : vocab_(spm_vocab(spm)),
        unk_surface_(spm.unk_surface),
        drops_space_(spm.normalizing.add_dummy_prefix || spm.normalizing.remove_extra_whitespaces),
        drops_spaces_(spm.normalizing.remove_extra_whitespaces) {
    for (const SpmPiece& piece : spm.pieces) kinds_.push_back(piece.kind);
    if (spm.denormalizing)
      denormalizer_ = std::make_unique<SpmNormalizer>(*spm.denormalizing, PieceTrie());
  }

  std::unique_ptr<Pass> start() const override { return std::make_unique<SpmPass>(*this); }

  Json to_json() const override {
    const auto step = [](const char* type) { return Json::object({{"type", type}}); };
    Json space = Json::object({{"type", "Replace"},
                               {"pattern", Json::object({{"String", kSpmSpace}})},
                               {"content", " "}});
    Json steps = Json::array({std::move(space), step("ByteFallback"), step("Fuse")});
    if (drops_space_)
      steps.push(Json::object({{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}}));
    return Json::object({{"type", "Sequence"}, {"decoders", std::move(steps)}});
  }

 private:
  class SpmPass : public Pass {
   public:
    explicit SpmPass(const SpmDecoder& of) : of_(of) {}

    void push(std::string_view token, TextSink out) override {
      const int id = of_.vocab_.find(token);
      if (id >= 0 && of_.kinds_[id] == SpmKind::byte) return push_byte(token, out);
      give_bytes(bytes_.size(), out);
      if (id < 0) return give(token, out);                        // text of its own
      if (of_.kinds_[id] == SpmKind::control) return out(token);  // wanted by the caller
      if (of_.kinds_[id] == SpmKind::unknown) return give(of_.unk_surface_, out);
      const bool first = !begun_ && of_.drops_space_ && token.starts_with(kSpmSpace);
      if (first) token.remove_prefix(kSpmSpace.size());
      while (!token.empty()) {
        const size_t end = std::min(token.find(kSpmSpace), token.size());
        if (end > 0) give(token.substr(0, end), out);
        if (end < token.size()) give(" ", out);
        token.remove_prefix(std::min(end + kSpmSpace.size(), token.size()));
      }
      begun_ = begun_ || (first && !of_.drops_spaces_);
    }

    void skip(TextSink out) override { give_bytes(bytes_.size(), out); }

    void finish(TextSink out) override {
      give_bytes(bytes_.size(), out);
      if (of_.denormalizer_) out(of_.denormalizer_->apply(std::string_view(held_)));
      held_.clear();
    }

   private:
    void push_byte(std::string_view token, TextSink out) {
      bytes_ += static_cast<char>(byte_of_piece(token));
      give_bytes(utf8::whole_prefix(bytes_), out);
    }

    // The first bytes that were collected; every one that is no part of a character is U+FFFD.
    void give_bytes(size_t count, TextSink out) {
      const std::string_view bytes = std::string_view(bytes_).substr(0, count);
      for (size_t at = 0; at < count;) {
        const auto size = static_cast<size_t>(utf8::decode(bytes, at).size);
        give(size > 0 ? bytes.substr(at, size) : "\uFFFD", out);
        at += size > 0 ? size : 1;
      }
      bytes_.erase(0, count);
    }

    void give(std::string_view text, TextSink out) {
      if (text.empty()) return;
      begun_ = true;
      of_.denormalizer_ ? void(held_ += text) : out(text);
    }

    const SpmDecoder& of_;
    std::string bytes_;
    std::string held_;  // all of the text, where it is to be rewritten in the end
    bool begun_ = false;
  };

  Vocab vocab_;
  std::vector<SpmKind> kinds_;  // by id
  std::string unk_surface_;
  bool drops_space_, drops_spaces_;  // one in front, all in front
  std::unique_ptr<SpmNormalizer> denormalizer_;
};

}  // namespace

std::unique_ptr<Decoder> make_spm_decoder(const SpmFile& spm) {
  return std::make_unique<SpmDecoder>(spm);
}

}  // namespace jogak::text
