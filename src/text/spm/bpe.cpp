#include "text/spm/bpe.h"

#include <algorithm>
#include <map>
#include <utility>

#include "text/models/merges-inl.h"
#include "text/models/word_cache.h"
#include "text/spm/merges.h"
#include "text/spm/normalizer.h"
#include "text/spm/unknown.h"
#include "text/unicode/unicode.h"

namespace jogak::text {
namespace {

constexpr int kDeepestSplit = 100;  // of pieces that are not used; the reference stops there too

// Where words may be taken apart: no piece has such a place inside.
struct WordEnds {
  bool before_space = true, after_space = true;

  explicit WordEnds(const SpmFile& spm) {
    for (const SpmPiece& piece : spm.pieces) {
      const std::string_view text = piece.text;
      for (size_t at = 0; at < text.size();) {
        const size_t next = at + code_at(text.data() + at).size;
        if (next < text.size()) look(is_space(text, at), is_space(text, next));
        at = next;
      }
    }
  }
  bool between(bool left_space, bool right_space) const {
    return left_space != right_space && (right_space ? before_space : after_space);
  }
  static bool is_space(std::string_view text, size_t at) {
    return text.substr(at).starts_with(kSpmSpace);
  }

 private:
  void look(bool left_space, bool right_space) {
    if (!left_space && right_space) before_space = false;
    if (left_space && !right_space) after_space = false;
  }
};

class SpmBpe : public Model {
 public:
  explicit SpmBpe(const SpmFile& spm)
      : vocab_(spm_vocab(spm)),
        merges_(spm, vocab_),
        unknown_(spm),
        kept_(user_defined(spm)),
        ends_(spm) {}

  std::unique_ptr<Worker> worker() const override;
  const Vocab& vocab() const override { return vocab_; }
  bool shown_as_text(int id) const override { return id == unknown_.id(); }
  Json to_json() const override;

 private:
  friend class SpmBpeWorker;

  Vocab vocab_;
  SpmMerges merges_;
  SpmUnknown unknown_;
  PieceTrie kept_;
  WordEnds ends_;
};

// The merges, and from which two symbols each unused piece could last have been made.
struct TracedMerges {
  const SpmMerges& of;
  mutable std::map<int, std::pair<int, int>> made_of{};

  uint32_t rank(int left, int right) const {
    const uint32_t rank = of.rank(left, right);
    if (rank != kNone && of.any_unused())
      if (const int made = of.result(rank, left, right); of.is_unused(made))
        made_of[made] = {left, right};
    return rank;
  }
  bool is(uint32_t rank, int left, int right) const { return of.is(rank, left, right); }
  int result(uint32_t rank, int left, int right) const { return of.result(rank, left, right); }
  size_t size() const { return of.size(); }
};

class SpmBpeWorker : public Model::Worker {
 public:
  explicit SpmBpeWorker(const SpmBpe& model)
      : model_(model), merges_{model.merges_}, merger_(merges_) {}

  void tokenize(const Piece& piece, std::vector<Token>& out) override {
    const std::string_view text = piece.text();
    ensure(text.size() < Model::kMaxPiece, "text: found ", text.size(),
           " bytes in one piece, wanted less than ", Model::kMaxPiece);
    path_.clear();
    merges_.made_of.clear();
    // Which split an unused piece falls into depends on all of the text.
    model_.merges_.any_unused() ? whole(text) : words(text);
    model_.unknown_.emit(text, path_, out);
    if (path_.capacity() > kKeep) path_ = {};
    if (word_.capacity() > kKeep) word_ = {};
  }

 private:
  void words(std::string_view text) {
    for (size_t at = 0; at < text.size();) {
      if (const auto kept = model_.kept_.longest(text.substr(at)); kept.size > 0) {
        at += kept.size;
        path_.push_back({static_cast<int>(kept.value), static_cast<uint32_t>(at)});
        continue;
      }
      const size_t end = word_end(text, at);
      add_word(text.substr(at, end - at), static_cast<uint32_t>(at));
      at = end;
    }
  }

  size_t word_end(std::string_view text, size_t at) const {
    bool space = WordEnds::is_space(text, at);
    for (at += code_at(text.data() + at).size; at < text.size();) {
      const bool next = WordEnds::is_space(text, at);
      if (model_.ends_.between(space, next)) break;
      if (model_.kept_.longest(text.substr(at)).size > 0) break;
      space = next;
      at += code_at(text.data() + at).size;
    }
    return at;
  }

  void add_word(std::string_view word, uint32_t at) {
    const bool cached = word.size() <= WordCache::kMaxWord;
    const uint64_t hash = cached ? hash_of(word) : 0;
    word_.clear();
    if (!cached || !cache_.find(word, hash, word_)) {
      for (size_t i = 0; i < word.size();) i = add_character(word, i);
      merger_.merge(word_, 0);
      for (Token& token : word_) token.id = piece_of(token.id);
      if (cached) cache_.insert(word, hash, word_);
    }
    for (const Token& token : word_) path_.push_back({token.id, at + token.end});
  }

  size_t add_character(std::string_view text, size_t at) {
    const size_t end = at + code_at(text.data() + at).size;
    word_.push_back(
        {model_.merges_.character(text.substr(at, end - at)), static_cast<uint32_t>(end)});
    return end;
  }

  void whole(std::string_view text) {
    word_.clear();
    for (size_t at = 0; at < text.size();) {
      const auto kept = model_.kept_.longest(text.substr(at));
      if (kept.size == 0) {
        at = add_character(text, at);
        continue;
      }
      at += kept.size;
      word_.push_back({kKept - static_cast<int>(kept.value), static_cast<uint32_t>(at)});
    }
    merger_.merge(word_, 0);
    uint32_t at = 0;
    for (const Token& token : word_)
      split(text, token.id, {std::exchange(at, token.end), token.end}, 0);
  }

  // Takes a piece that is not used apart again.
  void split(std::string_view text, int symbol, Span part, int depth) {
    const auto made = merges_.made_of.find(symbol);
    if (depth > kDeepestSplit || made == merges_.made_of.end())
      return path_.push_back({piece_of(symbol), static_cast<uint32_t>(part.to)});
    const auto [left, right] = made->second;
    const size_t size = left < model_.merges_.pieces() ? model_.vocab_.token(left).size()
                                                       : code_at(text.data() + part.from).size;
    split(text, left, {part.from, part.from + size}, depth + 1);
    split(text, right, {part.from + size, part.to}, depth + 1);
  }

  int piece_of(int symbol) const {
    if (symbol <= kKept) return kKept - symbol;
    return symbol < 0 || symbol >= model_.merges_.pieces() ? model_.unknown_.id() : symbol;
  }

  static constexpr int kKept = -2;  // symbols from here down are user-defined pieces

  const SpmBpe& model_;
  TracedMerges merges_;
  BasicMerger<TracedMerges> merger_;
  std::vector<Token> path_, word_;
  WordCache cache_;
};

std::unique_ptr<Model::Worker> SpmBpe::worker() const {
  return std::make_unique<SpmBpeWorker>(*this);
}

// In the words of a tokenizer.json every way to make a piece is a merge of its own, so there two
// ways to make the same piece are not tried from left to right.
Json SpmBpe::to_json() const {
  Json merges = Json::array();
  for (const int id : merges_.best_first()) {
    const std::string_view text = vocab_.token(id);
    for (size_t at = 1; at < text.size(); ++at) {
      if (continues(text[at])) continue;
      const std::string_view left = text.substr(0, at), right = text.substr(at);
      if (vocab_.find(left) >= 0 && vocab_.find(right) >= 0)
        merges.push(Json::array({Json(left), Json(right)}));
    }
  }
  return Json::object({{"type", "BPE"},
                       {"dropout", Json()},
                       {"unk_token", vocab_.token(unknown_.id())},
                       {"continuing_subword_prefix", Json()},
                       {"end_of_word_suffix", Json()},
                       {"fuse_unk", true},
                       {"byte_fallback", unknown_.byte_fallback()},
                       {"ignore_merges", false},
                       {"vocab", vocab_.to_json()},
                       {"merges", std::move(merges)}});
}

}  // namespace

std::unique_ptr<Model> make_spm_bpe(const SpmFile& spm) { return std::make_unique<SpmBpe>(spm); }

}  // namespace jogak::text
