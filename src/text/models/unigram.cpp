#include "text/models/unigram.h"

#include <algorithm>
#include <cfloat>
#include <type_traits>
#include <utility>

#include "text/models/word_cache.h"
#include "text/reading.h"
#include "text/unicode/unicode.h"

namespace jogak::text {
namespace {

constexpr double kUnkPenalty = 10;  // below the lowest score: unknown text is the last resort

// Floats lose the small differences between scores in a long sum, so .model sums start again from
// zero beyond this; the reference does it at the same places.
constexpr float kRestart = 100000;

double lowest_score(std::span<const UnigramPiece> pieces, UnigramStyle style) {
  const bool all = style == UnigramStyle::tokenizers;
  double lowest = all ? DBL_MAX : FLT_MAX;
  for (const UnigramPiece& piece : pieces)
    if (all || (piece.findable && !piece.user_defined)) lowest = std::min(lowest, piece.score);
  return lowest;
}

}  // namespace

std::string byte_piece(unsigned char byte) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  return {'<', '0', 'x', kDigits[byte >> 4], kDigits[byte & 15], '>'};
}

int byte_of_piece(std::string_view piece) {
  if (piece.size() != 6 || !piece.starts_with("<0x") || piece[5] != '>') return -1;
  const auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
  };
  const int high = digit(piece[3]), low = digit(piece[4]);
  return high < 0 || low < 0 ? -1 : high << 4 | low;
}

Unigram::Unigram(std::span<const UnigramPiece> pieces, UnigramOptions options) : options_(options) {
  const bool floats = options.style == UnigramStyle::sentencepiece;
  const double lowest = lowest_score(pieces, options.style);
  unk_score_ =
      floats ? static_cast<float>(lowest) - static_cast<float>(kUnkPenalty) : lowest - kUnkPenalty;
  std::vector<PieceTrie::Entry> findable;
  for (const UnigramPiece& piece : pieces) {
    const int id = vocab_.size();
    vocab_.add(piece.text, id);
    scores_.push_back(piece.written.value_or(piece.score));
    const double bonus = static_cast<float>(0.1 * (static_cast<double>(piece.text.size()) - 1));
    effective_.push_back(piece.user_defined ? bonus : piece.score);
    if (piece.findable) findable.push_back({piece.text, static_cast<uint32_t>(id)});
  }
  trie_ = PieceTrie(std::move(findable));
  has_bytes_ = true;
  for (int byte = 0; byte < 256; ++byte) {
    byte_ids_[byte] = vocab_.find(byte_piece(static_cast<unsigned char>(byte)));
    has_bytes_ = has_bytes_ && byte_ids_[byte] >= 0;
  }
}

// Score is the type that sums are kept in.
template <class Score>
class UnigramWorker : public Model::Worker {
 public:
  static constexpr bool kFloats = std::is_same_v<Score, float>;

  explicit UnigramWorker(const Unigram& model) : model_(model) {}

  void tokenize(const Piece& piece, std::vector<Token>& out) override {
    if (!piece.bytes) return cut(piece, out);
    const AlignedText written = spelled_out(piece);
    const size_t before = out.size();
    cut(Piece{&written, {0, written.text().size()}}, out);
    size_t at = 0;
    uint32_t characters = 0;  // one for each byte of the piece
    for (Token& token : std::span(out).subspan(before)) {
      for (; at < token.end; ++at) characters += !continues(written.text()[at]);
      token.end = characters;
    }
  }

 private:
  struct Best {
    Score sum = 0;
    uint32_t from = kNone;  // where the last piece of the best way to get here starts
    int id = -1;
  };

  void cut(const Piece& piece, std::vector<Token>& out) {
    const std::string_view text = piece.text();
    if (text.empty()) return;
    ensure(text.size() < Model::kMaxPiece, "text: a piece of ", text.size(),
           " bytes without a break is too long, wanted less than ", Model::kMaxPiece);
    // Sums of floats depend on all that came before, but there a piece is the whole text.
    const bool cached = !kFloats && text.size() <= WordCache::kMaxWord;
    const uint64_t hash = cached ? hash_of(text) : 0;
    if (cached && cache_.find(text, hash, out)) return;
    const size_t before = out.size();
    find_best(piece);
    collect(text);
    emit(piece, out);
    if (cached) cache_.insert(text, hash, std::span(out).subspan(before));
    if (best_.capacity() > kKeep) best_ = {};
    if (path_.capacity() > kKeep) path_ = {};
  }

  void find_best(const Piece& piece) {
    const std::string_view text = piece.text();
    best_.assign(text.size() + 1, Best{});
    reached_ = 0;
    for (size_t at = 0; at < text.size();) {
      if constexpr (kFloats) restart(at);
      const Score sum = best_[at].sum;
      const size_t next = at + code_at(text.data() + at).size;
      bool single = false;
      uint32_t node = PieceTrie::kRoot;
      for (size_t end = at; end < text.size();) {
        node = model_.trie_.step(node, static_cast<unsigned char>(text[end++]));
        if (node == kNone) break;
        const uint32_t id = model_.trie_.value(node);
        if (id == kNone) continue;
        offer(at, end, sum + static_cast<Score>(model_.effective_[id]), static_cast<int>(id));
        single = single || end == next;
      }
      const int unk = model_.options_.unk_id;
      if (!single && offer(at, next, sum + static_cast<Score>(model_.unk_score_), unk) && unk < 0)
        fail_unknown(piece, at, next, "");
      at = next;
    }
  }

  bool offer(size_t from, size_t end, Score sum, int id) {
    Best& best = best_[end];
    reached_ = std::max(reached_, end);
    const bool better = best.from == kNone || sum > best.sum;
    if (better) best = {sum, static_cast<uint32_t>(from), id};
    return better;
  }

  void restart(size_t at) {
    const Score off = best_[at].sum;
    if (off >= -kRestart && off <= kRestart) return;
    for (size_t i = at; i <= reached_; ++i)
      if (i == at || best_[i].from != kNone) best_[i].sum -= off;
  }

  // The pieces of the best way, in path_, first to last.
  void collect(std::string_view text) {
    path_.clear();
    for (size_t end = text.size(); end > 0; end = best_[end].from)
      path_.push_back({best_[end].id, static_cast<uint32_t>(end)});
    std::reverse(path_.begin(), path_.end());
  }

  void emit(const Piece& piece, std::vector<Token>& out) {
    const std::string_view text = piece.text();
    const int unk = model_.options_.unk_id;
    uint32_t from = 0;
    for (size_t i = 0; i < path_.size(); ++i) {
      Token token = path_[i];
      if (token.id != unk) {
        out.push_back(token);
      } else {
        while (i + 1 < path_.size() && path_[i + 1].id == unk) token = path_[++i];
        unknown(text.substr(from, token.end - from), token, out);
      }
      from = token.end;
    }
  }

  // A run of unknown text: `token` ends where it ends.
  void unknown(std::string_view run, Token token, std::vector<Token>& out) {
    const auto start = token.end - static_cast<uint32_t>(run.size());
    const bool bytes = model_.options_.byte_fallback && model_.has_bytes_;
    if constexpr (kFloats) {
      if (!bytes) return out.push_back(token);
      for (uint32_t i = 0; i < run.size(); ++i)
        out.push_back({model_.byte_ids_[static_cast<unsigned char>(run[i])], start + i + 1});
    } else {
      // Joined, unknown characters may spell a piece that was too unlikely to be chosen.
      if (const int id = model_.vocab_.find(run); id >= 0) return out.push_back({id, token.end});
      if (!bytes_of(run, token.end, out)) out.push_back(token);
    }
  }

  // The bytes of the run, each standing for all of it; false when one of them has no piece.
  bool bytes_of(std::string_view run, uint32_t end, std::vector<Token>& out) const {
    if (!model_.options_.byte_fallback) return false;
    const auto id_of = [&](char byte) {
      return model_.byte_ids_[static_cast<unsigned char>(byte)];
    };
    if (std::any_of(run.begin(), run.end(), [&](char byte) { return id_of(byte) < 0; }))
      return false;
    for (const char byte : run) out.push_back({id_of(byte), end});
    return true;
  }

  static constexpr size_t kKeep = size_t{1} << 18;  // entries of a buffer kept for the next text

  const Unigram& model_;
  std::vector<Best> best_;  // by byte: the best way to get there
  size_t reached_ = 0;
  std::vector<Token> path_;
  WordCache cache_;
};

std::unique_ptr<Model::Worker> Unigram::worker() const {
  if (options_.style == UnigramStyle::sentencepiece)
    return std::make_unique<UnigramWorker<float>>(*this);
  return std::make_unique<UnigramWorker<double>>(*this);
}

}  // namespace jogak::text
