#include "generate/prefixes.h"

#include <algorithm>

namespace jogak {

int64_t shared_tokens(std::span<const int> a, std::span<const int> b) {
  const auto most = static_cast<ptrdiff_t>(std::min(a.size(), b.size()));
  const int64_t same = std::mismatch(a.begin(), a.begin() + most, b.begin()).first - a.begin();
  return same / kPageTokens * kPageTokens;
}

void Prefixes::drop(size_t index) {
  pages_ -= std::ssize(kept_[index].tokens) / kPageTokens;
  cache_.remove(kept_[index].sequence);
  kept_.erase(kept_.begin() + static_cast<ptrdiff_t>(index));
}

void Prefixes::keep(int sequence, std::span<const int> tokens) {
  const auto whole = std::ssize(tokens) / kPageTokens * kPageTokens;
  if (whole == 0 || whole / kPageTokens > most_) return;
  tokens = tokens.first(static_cast<size_t>(whole));
  for (size_t i = kept_.size(); i-- > 0;) {
    const int64_t same = shared_tokens(kept_[i].tokens, tokens);
    if (same == whole) return;  // there is one that begins so
    if (same == std::ssize(kept_[i].tokens)) drop(i);
  }
  kept_.push_back({{tokens.begin(), tokens.end()}, cache_.fork(sequence, whole)});
  pages_ += whole / kPageTokens;
  while (pages_ > most_) drop(0);
}

Prefixes::Found Prefixes::find(std::span<const int> tokens) {
  Found out;
  size_t best = 0;
  for (size_t i = 0; i < kept_.size(); ++i)
    if (const int64_t same = shared_tokens(kept_[i].tokens, tokens); same > out.tokens)
      out = {kept_[i].sequence, same}, best = i;
  if (out.tokens > 0)
    std::rotate(kept_.begin() + static_cast<ptrdiff_t>(best),
                kept_.begin() + static_cast<ptrdiff_t>(best) + 1, kept_.end());
  return out;
}

void Prefixes::clear() {
  while (!kept_.empty()) drop(kept_.size() - 1);
}

}  // namespace jogak
