#include "text/models/word_piece.h"

#include <utility>

#include "base/utf8.h"
#include "text/models/word_cache.h"
#include "text/reading.h"

namespace jogak::text {
namespace {

constexpr size_t kLongWord = 1000;

}  // namespace

WordPiece::WordPiece(Vocab vocab, WordPieceOptions options)
    : vocab_(std::move(vocab)),
      options_(std::move(options)),
      unk_(vocab_.find(options_.unk_token)) {
  std::vector<PieceTrie::Entry> first, inside;
  for (int id = 0; id < vocab_.size(); ++id) {
    if (!vocab_.has(id)) continue;
    const std::string_view token = vocab_.token(id);
    const auto value = static_cast<uint32_t>(id);
    if (!token.empty()) first.push_back({token, value});
    if (token.starts_with(options_.prefix) && token.size() > options_.prefix.size())
      inside.push_back({token.substr(options_.prefix.size()), value});
  }
  if (options_.max_characters > kLongWord) {
    for (const PieceTrie::Entry& entry : inside) {
      inside_long_.add(entry.key);
      inside_ids_.push_back(static_cast<int>(entry.value));
    }
    inside_long_.finish();
  }
  first_ = PieceTrie(std::move(first));
  inside_ = PieceTrie(std::move(inside));
}

class WordPieceWorker : public Model::Worker {
 public:
  explicit WordPieceWorker(const WordPiece& model) : model_(model) {}

  void tokenize(const Piece& piece, std::vector<Token>& out) override {
    if (piece.bytes) {
      const AlignedText written = spelled_out(piece);
      return cut(piece, written.text(), true, out);
    }
    const std::string_view text = piece.text();
    if (text.empty()) return;
    const bool cached = text.size() <= WordCache::kMaxWord;
    const uint64_t hash = cached ? hash_of(text) : 0;
    if (cached && cache_.find(text, hash, out)) return;
    const size_t before = out.size();
    cut(piece, text, false, out);
    if (cached) cache_.insert(text, hash, std::span(out).subspan(before));
  }

 private:
  // `text` is the piece as the model sees it; spelled in byte characters it is longer.
  void cut(const Piece& piece, std::string_view text, bool spelled, std::vector<Token>& out) {
    const size_t before = out.size(), all = piece.part.to - piece.part.from;
    size_t counted = 0, characters = 0;  // places are asked for in order
    const auto place = [&](size_t at) {
      if (!spelled) return static_cast<uint32_t>(at);
      characters += utf8::count(text.substr(counted, at - counted));
      counted = at;
      return static_cast<uint32_t>(characters);
    };
    bool known = text.size() <= 4 * model_.options_.max_characters &&
                 utf8::count(text) <= model_.options_.max_characters;
    for (size_t at = 0; known && at < text.size();) {
      if (at > 0 && text.size() > 4 * kLongWord) {  // more characters than that
        known = cut_long(text, at, place, out);
        break;
      }
      const PieceTrie& pieces = at == 0 ? model_.first_ : model_.inside_;
      const PieceTrie::Match match = pieces.longest(text.substr(at));
      known = match.size > 0;
      at += match.size;
      out.push_back({static_cast<int>(match.value), place(at)});
    }
    if (known) return;
    out.resize(before);
    if (model_.unk_ < 0) fail_unknown(piece, 0, all, model_.options_.unk_token);
    out.push_back({model_.unk_, static_cast<uint32_t>(all)});
  }

  // The rest of a long word; false: a part of it is unknown.
  template <class Place>
  bool cut_long(std::string_view text, size_t at, const Place& place, std::vector<Token>& out) {
    if (model_.inside_long_.empty()) return false;
    const size_t start = at;
    for (const Matcher::Hit& hit : model_.inside_long_.find(text.substr(start))) {
      if (start + hit.from != at) return false;
      at = start + hit.to;
      out.push_back({model_.inside_ids_[hit.pattern], place(at)});
    }
    return at == text.size();
  }

  const WordPiece& model_;
  WordCache cache_;
};

std::unique_ptr<Model::Worker> WordPiece::worker() const {
  return std::make_unique<WordPieceWorker>(*this);
}

Json WordPiece::to_json() const {
  return Json::object({{"type", "WordPiece"},
                       {"unk_token", options_.unk_token},
                       {"continuing_subword_prefix", options_.prefix},
                       {"max_input_chars_per_word", options_.max_characters},
                       {"vocab", vocab_.to_json()}});
}

std::unique_ptr<Model> WordPiece::read(const ModelFile& file) {
  const Fields& fields = file.fields();
  only_keys(fields, {"type", "unk_token", "continuing_subword_prefix", "max_input_chars_per_word",
                     "vocab"});
  WordPieceOptions options;
  options.unk_token = fields.text("unk_token");
  options.prefix = fields.text_or("continuing_subword_prefix", "##");
  options.max_characters =
      static_cast<size_t>(fields.integer_or("max_input_chars_per_word", 100, {0, INT32_MAX}));
  return std::make_unique<WordPiece>(Vocab::read(file.vocab()), std::move(options));
}

}  // namespace jogak::text
