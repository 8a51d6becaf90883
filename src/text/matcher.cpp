#include "text/matcher.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace jogak::text {

void Matcher::add(std::string_view pattern) {
  uint32_t state = 0;
  for (size_t i = pattern.size(); i-- > 0;) {
    const auto byte = static_cast<unsigned char>(pattern[i]);
    const auto fresh = static_cast<uint32_t>(states_.size());
    const uint32_t next = edges_.insert(edge(state, byte), fresh);
    if (next == fresh)
      states_.push_back({.parent = state, .depth = states_[state].depth + 1, .byte = byte});
    state = next;
  }
  if (states_[state].best == kNone) states_[state].best = static_cast<uint32_t>(sizes_.size());
  sizes_.push_back(pattern.size());
  ends_[static_cast<unsigned char>(pattern.back())] = true;
}

void Matcher::finish() {
  std::vector<uint32_t> order(states_.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return states_[a].depth < states_[b].depth; });
  for (const uint32_t at : order) {
    State& state = states_[at];
    if (state.depth > 1) state.fail = step(states_[state.parent].fail, state.byte);
    if (state.best == kNone) state.best = states_[state.fail].best;
  }
  if (std::count(ends_.begin(), ends_.end(), true) == 1)
    only_end_ = static_cast<int>(std::find(ends_.begin(), ends_.end(), true) - ends_.begin());
}

uint32_t Matcher::step(uint32_t state, unsigned char byte) const {
  while (true) {
    const uint32_t next = edges_.find(edge(state, byte));
    if (next != kNone) return next;
    if (state == 0) return 0;
    state = states_[state].fail;
  }
}

std::vector<Matcher::Hit> Matcher::find_all(std::string_view text) const {
  std::vector<Hit> hits;  // from the end of the text to its start
  uint32_t state = 0;
  for (size_t at = text.size(); at-- > 0;) {
    if (state == 0) {  // jump to the next byte that could end a pattern
      if (only_end_ >= 0) {
        const void* found = memrchr(text.data(), only_end_, at + 1);
        if (!found) break;
        at = static_cast<const char*>(found) - text.data();
      } else {
        while (at > 0 && !ends_[static_cast<unsigned char>(text[at])]) --at;
      }
    }
    state = step(state, static_cast<unsigned char>(text[at]));
    const uint32_t best = states_[state].best;
    if (best != kNone) hits.push_back({at, at + sizes_[best], static_cast<int>(best)});
  }
  std::reverse(hits.begin(), hits.end());
  return hits;
}

std::vector<Matcher::Hit> Matcher::find(std::string_view text) const {
  std::vector<Hit> hits = find_all(text);
  size_t done = 0, kept = 0;
  for (const Hit& hit : hits) {
    if (hit.from < done) continue;
    done = hit.to;
    hits[kept++] = hit;
  }
  hits.resize(kept);
  return hits;
}

}  // namespace jogak::text
