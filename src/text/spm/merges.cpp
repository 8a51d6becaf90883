#include "text/spm/merges.h"

#include <algorithm>
#include <bit>

#include "text/models/piece_trie.h"
#include "text/unicode/unicode.h"

namespace jogak::text {
namespace {

bool can_merge(const SpmPiece& piece) {
  return piece.kind == SpmKind::normal || piece.kind == SpmKind::user_defined ||
         piece.kind == SpmKind::unused;
}

// Numbers in the order of the floats, -0 before 0 as in the reference.
uint32_t order_of(float score) {
  const auto bits = std::bit_cast<uint32_t>(score);
  return bits ^ (bits >> 31 ? 0xFFFFFFFFu : 0x80000000u);
}

}  // namespace

// Finds all the ways in which a piece is made of two symbols: its starts that are symbols by a
// tree of the pieces, its ends by a tree of the pieces written backwards.
class SpmMerges::Builder {
 public:
  Builder(SpmMerges& out, const SpmFile& spm) : out_(out), spm_(spm) {
    std::vector<PieceTrie::Entry> forward, backward;
    reversed_.reserve(spm.pieces.size());
    for (uint32_t id = 0; id < spm.pieces.size(); ++id) {
      const SpmPiece& piece = spm.pieces[id];
      reversed_.emplace_back(can_merge(piece) ? std::string(piece.text.rbegin(), piece.text.rend())
                                              : std::string());
      if (!can_merge(piece)) continue;
      forward.push_back({piece.text, id});
      backward.push_back({reversed_.back(), id});
    }
    starts_ = PieceTrie(std::move(forward));
    ends_ = PieceTrie(std::move(backward));
  }

  void run() {
    std::vector<int>& order = out_.best_first_;
    for (size_t id = 0; id < spm_.pieces.size(); ++id)
      if (can_merge(spm_.pieces[id])) order.push_back(static_cast<int>(id));
    const auto key = [&](int id) { return order_of(spm_.pieces[id].score); };
    std::sort(order.begin(), order.end(),
              [&](int a, int b) { return std::pair(key(b), a) < std::pair(key(a), b); });
    for (size_t i = 0; i < order.size();) {
      size_t end = i + 1;
      while (end < order.size() && key(order[end]) == key(order[i])) ++end;
      const bool only = end == i + 1;
      const auto rank = static_cast<uint32_t>(out_.only_.size());
      out_.only_.push_back(only ? order[i] : -1);
      for (; i < end; ++i) add(order[i], rank, only);
    }
  }

 private:
  void add(int id, uint32_t rank, bool only) {
    const std::string_view text = spm_.pieces[id].text;
    find_ends(id, text);
    uint32_t node = PieceTrie::kRoot;
    const size_t first = code_at(text.data()).size;
    for (size_t at = 1; at < text.size(); ++at) {
      if (node != kNone) node = starts_.step(node, static_cast<unsigned char>(text[at - 1]));
      if (node == kNone && at > first) break;
      int left = -1;
      if (at == first)
        left = symbol(text.substr(0, first));
      else if (at > first && starts_.value(node) != kNone)
        left = static_cast<int>(starts_.value(node));
      if (left < 0 || right_[at] < 0) continue;
      const uint64_t pair = pair_key(left, right_[at]);
      out_.ranks_.insert(pair, rank);
      if (!only) out_.results_.insert(pair, static_cast<uint32_t>(id));
    }
  }

  // right_[at]: the symbol that text.substr(at) is, -1 when it is none.
  void find_ends(int id, std::string_view text) {
    right_.assign(text.size(), -1);
    size_t last = text.size() - 1;
    while (continues(text[last])) --last;
    uint32_t node = PieceTrie::kRoot;
    const std::string_view backward = reversed_[id];
    for (size_t size = 1; size < text.size(); ++size) {
      node = ends_.step(node, static_cast<unsigned char>(backward[size - 1]));
      if (node == kNone) break;
      if (ends_.value(node) != kNone)
        right_[text.size() - size] = static_cast<int>(ends_.value(node));
    }
    if (last > 0) right_[last] = symbol(text.substr(last));
  }

  int symbol(std::string_view character) {
    const int known = out_.character(character);
    if (known >= 0) return known;
    const int made = out_.pieces_ + static_cast<int>(out_.hidden_.size());
    out_.hidden_.emplace(character, made);
    return made;
  }

  SpmMerges& out_;
  const SpmFile& spm_;
  std::vector<std::string> reversed_;
  PieceTrie starts_, ends_;
  std::vector<int> right_;
};

SpmMerges::SpmMerges(const SpmFile& spm, const Vocab& vocab)
    : vocab_(vocab), pieces_(static_cast<int>(spm.pieces.size())) {
  for (const SpmPiece& piece : spm.pieces) {
    unused_.push_back(piece.kind == SpmKind::unused);
    any_unused_ = any_unused_ || unused_.back();
  }
  Builder(*this, spm).run();
}

int SpmMerges::character(std::string_view one) const {
  const int id = vocab_.find(one);
  if (id >= 0 || hidden_.empty()) return id;
  const auto found = hidden_.find(std::string(one));
  return found == hidden_.end() ? -1 : found->second;
}

}  // namespace jogak::text
