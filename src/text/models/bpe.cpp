#include "text/models/bpe.h"

#include <algorithm>
#include <utility>

#include "base/utf8.h"
#include "text/models/unigram.h"
#include "text/models/word_cache.h"
#include "text/stages/byte_level.h"
#include "text/unicode/unicode.h"

namespace jogak::text {
namespace {

constexpr size_t kShortPiece = 24;  // not worth looking for places to cut
constexpr size_t kMostJoined = 4;   // a character that more others join with is no place to cut

}  // namespace

Bpe::Bpe(Vocab vocab, MergeTable merges, BpeOptions options)
    : vocab_(std::move(vocab)), merges_(std::move(merges)), options_(std::move(options)) {
  marks_ = !options_.prefix.empty() || !options_.suffix.empty();
  if (!options_.unk_token.empty()) unk_ = vocab_.find(options_.unk_token);
  for (int i = 0; i < 256; ++i) {
    const auto byte = static_cast<char>(i);
    const std::string character = byte_level::to_characters({&byte, 1});
    for (unsigned place = 0; place < 4; ++place) {
      byte_ids_[place][i] = vocab_.find(marked(character, place));
      if (i < 128) ascii_ids_[place][i] = vocab_.find(marked({&byte, 1}, place));
    }
    fallback_ids_[i] = options_.byte_fallback ? vocab_.find(byte_piece(uint8_t(i))) : -1;
  }
  if (marks_) return;
  for (int id = 0; id < vocab_.size(); ++id) {
    const std::string_view token = vocab_.has(id) ? vocab_.token(id) : std::string_view();
    if (!token.empty() && static_cast<size_t>(size_from_first(token[0])) == token.size())
      single_.at(code_at(token.data()).value) = id + 1;
  }
  if (!options_.ignore_merges && !options_.bytes_only) find_breaks();
}

std::string Bpe::marked(std::string_view character, unsigned place) const {
  std::string out(place & kFirst ? "" : options_.prefix);
  out += character;
  if (place & kLast) out += options_.suffix;
  return out;
}

int Bpe::character_id(std::string_view character, unsigned place) const {
  if (character.size() == 1) return ascii_ids_[place][static_cast<unsigned char>(character[0])];
  if (marks_) return vocab_.find(marked(character, place));
  return single_[code_at(character.data()).value] - 1;
}

void Bpe::find_breaks() {
  struct Joined {
    char32_t code;                   // opens what stands on the right of a merge
    std::vector<char32_t> before{};  // end what stands on its left
  };
  std::vector<Joined> joined;
  CodeTable<uint32_t> number;  // by code: 1 + where it stands in joined
  std::vector<bool> on_the_left(static_cast<size_t>(vocab_.size()));
  for (uint32_t rank = 0; rank < merges_.size(); ++rank) {
    const auto& merge = merges_[rank];
    const std::string_view left = vocab_.token(merge.left), right = vocab_.token(merge.right);
    const char32_t code = code_at(right.data()).value;
    if (number[code] == 0) {
      joined.push_back({code});
      number.at(code) = static_cast<uint32_t>(joined.size());
    }
    on_the_left[static_cast<size_t>(merge.left)] = true;
    auto& before = joined[number[code] - 1].before;
    if (before.size() > kMostJoined) continue;
    const char32_t last = code_at(left.data() + last_character(left)).value;
    if (std::find(before.begin(), before.end(), last) == before.end()) before.push_back(last);
  }
  for (const auto& [code, before] : joined) {
    if (before.size() > kMostJoined || joined_.size() == 254) continue;
    joined_.push_back(before);
    break_.at(code) = static_cast<uint8_t>(joined_.size());
  }
  // Characters that stand on the right of no merge at all are the best places.
  uint8_t free = 0;
  for (char32_t code = 0; code < 0x110000; ++code) {
    if (single_[code] == 0 || number[code] != 0) continue;
    if (free == 0) {
      joined_.emplace_back();
      free = static_cast<uint8_t>(joined_.size());
    }
    break_.at(code) = free;
  }
  const bool all_bytes =
      std::find(fallback_ids_.begin(), fallback_ids_.end(), -1) == fallback_ids_.end();
  const auto merges_left = [&](int id) { return id >= 0 && on_the_left[static_cast<size_t>(id)]; };
  breaks_after_unknown_ =
      all_bytes ? std::none_of(fallback_ids_.begin(), fallback_ids_.end(), merges_left)
                : unk_ >= 0 && !options_.byte_fallback && !merges_left(unk_);
}

class BpeWorker : public Model::Worker {
 public:
  explicit BpeWorker(const Bpe& model) : model_(model), merger_(model.merges_) {}

  void tokenize(const Piece& piece, std::vector<Token>& out) override {
    const std::string_view text = piece.text();
    if (text.empty()) return;
    ensure(text.size() < Model::kMaxPiece, "text: a piece of ", text.size(),
           " bytes without a break is too long, wanted less than ", Model::kMaxPiece);
    if (piece.bytes && model_.options_.byte_fallback) return spelled(piece, out);
    if (piece.bytes || text.size() <= kShortPiece || model_.joined_.empty())
      return part(piece, out);
    const size_t before = out.size();
    for (size_t from = 0; from < text.size();) {
      const size_t to = next_break(text, from), first = out.size();
      const uint32_t done = first > before ? out.back().end : 0;
      part({piece.of, {piece.part.from + from, piece.part.from + to}}, out);
      for (size_t i = first; i < out.size(); ++i) out[i].end += done;
      from = to;
    }
  }

 private:
  // The end of the stretch that starts at `from`.
  size_t next_break(std::string_view text, size_t from) const {
    Code before = code_at(text.data() + from);
    for (size_t at = from + static_cast<size_t>(before.size); at < text.size();) {
      const Code next = code_at(text.data() + at);
      if (const uint8_t which = model_.break_[next.value]) {
        const auto& joined = model_.joined_[which - 1];
        const std::string_view last =
            text.substr(at - static_cast<size_t>(before.size), static_cast<size_t>(before.size));
        const bool joins = std::find(joined.begin(), joined.end(), before.value) != joined.end();
        if (!joins &&
            model_.character_id(text.substr(at, static_cast<size_t>(next.size)), 0) >= 0 &&
            (model_.breaks_after_unknown_ || model_.character_id(last, 0) >= 0))
          return at;
      }
      at += static_cast<size_t>(next.size);
      before = next;
    }
    return text.size();
  }

  // Bytes that fall back to other bytes: rare enough to be written out. A character of two bytes
  // stands for one byte, so both of its tokens end there.
  void spelled(const Piece& piece, std::vector<Token>& out) {
    const AlignedText written = spelled_out(piece);
    const std::string_view text = written.text();
    const size_t first = out.size();
    part(whole(written), out);
    size_t at = 0;
    uint32_t characters = 0;
    for (size_t i = first; i < out.size(); ++i) {
      for (; at < out[i].end && at < text.size(); ++at) characters += !continues(text[at]);
      out[i].end = characters;
    }
  }

  void part(const Piece& piece, std::vector<Token>& out) {
    const std::string_view text = piece.text();
    const bool cached = text.size() <= WordCache::kMaxWord;
    const uint64_t hash = cached ? hash_of(text) : 0;
    WordCache& cache = caches_[piece.bytes];
    if (cached && cache.find(text, hash, out)) return;
    const size_t before = out.size();
    start(piece, out);
    if (cached) cache.insert(text, hash, std::span(out).subspan(before));
  }

  void start(const Piece& piece, std::vector<Token>& out) {
    const std::string_view text = piece.text();
    if (model_.options_.ignore_merges) {
      const int id = model_.vocab_.find(piece.bytes ? byte_level::to_characters(text) : text);
      if (id >= 0) return out.push_back({id, static_cast<uint32_t>(text.size())});
    }
    const size_t from = out.size();
    out.reserve(from + text.size());
    covered_ = unknown_ = 0;
    for (size_t at = 0; at < text.size();) {
      const size_t end = at + (piece.bytes ? 1 : static_cast<size_t>(size_from_first(text[at])));
      const unsigned place =
          !model_.marks_ ? 0u
                         : (at == 0 ? Bpe::kFirst : 0u) | (end == text.size() ? Bpe::kLast : 0u);
      const int id = piece.bytes ? model_.byte_id(static_cast<uint8_t>(text[at]), place)
                                 : model_.character_id(text.substr(at, end - at), place);
      if (id >= 0) {
        close_unknown(out);
        out.push_back({id, covered_ += static_cast<uint32_t>(end - at)});
      } else if (!fall_back(text.substr(at, end - at), place, out)) {
        add_unknown(piece, {at, end}, out);
      }
      at = end;
    }
    close_unknown(out);
    merger_.merge(out, from);
  }

  // The reference counts every byte of the marked character, and leaves an open run of unknown
  // ones for later.
  bool fall_back(std::string_view character, unsigned place, std::vector<Token>& out) {
    if (!model_.options_.byte_fallback) return false;
    const std::string bytes =
        model_.marks_ ? model_.marked(character, place) : std::string(character);
    const auto id_of = [&](char c) { return model_.fallback_ids_[static_cast<unsigned char>(c)]; };
    if (std::any_of(bytes.begin(), bytes.end(), [&](char c) { return id_of(c) < 0; })) return false;
    for (const char c : bytes) out.push_back({id_of(c), ++covered_});
    return true;
  }

  void add_unknown(const Piece& piece, Span part, std::vector<Token>& out) {
    if (model_.options_.unk_token.empty()) return;
    if (model_.unk_ < 0) fail_unknown(piece, part.from, part.to, model_.options_.unk_token);
    if (!model_.options_.fuse_unk) close_unknown(out);
    unknown_ += static_cast<uint32_t>(part.to - part.from);
  }

  void close_unknown(std::vector<Token>& out) {
    if (unknown_ > 0) out.push_back({model_.unk_, covered_ += unknown_});
    unknown_ = 0;
  }

  const Bpe& model_;
  Merger merger_;
  std::array<WordCache, 2> caches_;  // words as text, words as bytes
  uint32_t covered_ = 0;             // bytes that tokens stand for so far
  uint32_t unknown_ = 0;             // bytes of the open run of unknown characters
};

std::unique_ptr<Model::Worker> Bpe::worker() const { return std::make_unique<BpeWorker>(*this); }

}  // namespace jogak::text
