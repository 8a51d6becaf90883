#include "text/models/piece_trie.h"

#include <algorithm>

namespace jogak::text {

PieceTrie::PieceTrie(std::vector<Entry> entries) {
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.key < b.key; });
  // Each node stands for the keys [from, to), which agree in their first bytes. Children of a node
  // are numbered when it is visited, and nodes are visited by number.
  struct Range {
    uint32_t from, to;
  };
  std::vector<Range> level{{0, static_cast<uint32_t>(entries.size())}}, next;
  labels_.push_back(0);
  for (size_t depth = 0; !level.empty(); ++depth) {
    next.clear();
    for (Range range : level) {
      const bool ends = range.from < range.to && entries[range.from].key.size() == depth;
      values_.push_back(ends ? entries[range.from++].value : kNone);
      first_.push_back(static_cast<uint32_t>(labels_.size()));
      while (range.from < range.to) {
        const char byte = entries[range.from].key[depth];
        uint32_t to = range.from + 1;
        while (to < range.to && entries[to].key[depth] == byte) ++to;
        labels_.push_back(static_cast<uint8_t>(byte));
        next.push_back({range.from, to});
        range.from = to;
      }
    }
    level.swap(next);
  }
  first_.push_back(static_cast<uint32_t>(labels_.size()));
  root_.fill(kNone);
  for (uint32_t child = first_[kRoot]; child < first_[kRoot + 1]; ++child)
    root_[labels_[child]] = child;
}

PieceTrie::Match PieceTrie::longest(std::string_view text) const {
  Match best;
  uint32_t node = kRoot;
  for (size_t at = 0; at < text.size(); ++at) {
    node = step(node, static_cast<unsigned char>(text[at]));
    if (node == kNone) break;
    if (values_[node] != kNone) best = {at + 1, values_[node]};
  }
  return best;
}

}  // namespace jogak::text
