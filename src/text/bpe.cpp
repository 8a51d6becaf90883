#include "text/bpe.h"

#include <utility>

#include "text/byte_level.h"
#include "text/unicode.h"
#include "text/word_cache.h"

namespace jogak::text {

Bpe::Bpe(Vocab vocab, MergeTable merges, BpeOptions options)
    : vocab_(std::move(vocab)), merges_(std::move(merges)), options_(std::move(options)) {
  if (!options_.unk_token.empty()) unk_ = vocab_.find(options_.unk_token);
  for (int i = 0; i < 256; ++i) {
    const auto byte = static_cast<char>(i);
    byte_ids_[i] = vocab_.find(byte_level::to_characters({&byte, 1}));
    if (i < 128) ascii_ids_[i] = vocab_.find({&byte, 1});
  }
}

int Bpe::character_id(std::string_view character) const {
  return character.size() == 1 ? ascii_ids_[static_cast<unsigned char>(character[0])]
                               : vocab_.find(character);
}

class BpeWorker : public Model::Worker {
 public:
  explicit BpeWorker(const Bpe& model) : model_(model), merger_(model.merges_) {}

  void tokenize(const Piece& piece, std::vector<Token>& out) override {
    const std::string_view text = piece.text();
    if (text.empty()) return;
    ensure(text.size() < Model::kMaxPiece, "text: a piece of ", text.size(),
           " bytes without a break is too long, wanted less than ", Model::kMaxPiece);
    const bool cached = text.size() <= WordCache::kMaxWord;
    const uint64_t hash = cached ? hash_of(text) : 0;
    WordCache& cache = caches_[piece.bytes];
    if (cached && cache.find(text, hash, out)) return;
    const size_t before = out.size();
    start(piece, out);
    if (cached) cache.insert(text, hash, std::span(out).subspan(before));
  }

 private:
  void start(const Piece& piece, std::vector<Token>& out) {
    const std::string_view text = piece.text();
    if (model_.options_.ignore_merges) {
      const int whole = model_.vocab_.find(piece.bytes ? byte_level::to_characters(text) : text);
      if (whole >= 0) return out.push_back({whole, static_cast<uint32_t>(text.size())});
    }
    const size_t from = out.size();
    out.reserve(from + text.size());
    unknown_open_ = false;
    for (size_t at = 0; at < text.size();) {
      const size_t end = at + (piece.bytes ? 1 : code_at(text.data() + at).size);
      const int id = piece.bytes ? model_.byte_ids_[static_cast<unsigned char>(text[at])]
                                 : model_.character_id(text.substr(at, end - at));
      add(piece, id, {at, end}, out);
      at = end;
    }
    merger_.merge(out, from);
  }

  void add(const Piece& piece, int id, Span part, std::vector<Token>& out) {
    const auto end = static_cast<uint32_t>(part.to);
    if (id >= 0) {
      unknown_open_ = false;
      return out.push_back({id, end});
    }
    if (model_.unk_ < 0) fail_unknown(piece, part.from, part.to, model_.options_.unk_token);
    if (unknown_open_ && model_.options_.fuse_unk) {
      out.back().end = end;
    } else {
      out.push_back({model_.unk_, end});
    }
    unknown_open_ = true;
  }

  const Bpe& model_;
  Merger merger_;
  std::array<WordCache, 2> caches_;  // words as text, words as bytes
  bool unknown_open_ = false;
};

std::unique_ptr<Model::Worker> Bpe::worker() const { return std::make_unique<BpeWorker>(*this); }

}  // namespace jogak::text
