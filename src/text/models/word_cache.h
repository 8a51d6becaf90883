// Remembers how short words were cut. A fixed number of entries of fixed size: a new word takes
// the place of an old one, so memory does not grow with the input.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <vector>

#include "base/flat_map.h"
#include "text/models/model.h"

namespace jogak::text {

class WordCache {
 public:
  static constexpr size_t kMaxWord = 46, kMaxTokens = 16;

  WordCache() : entries_(static_cast<Entry*>(std::calloc(kEntries, sizeof(Entry)))) {
    if (!entries_) throw std::bad_alloc();  // calloc: pages are touched only when used
  }

  // Appends the word's tokens; false when it is not here. `word` is not longer than kMaxWord.
  bool find(std::string_view word, uint64_t hash, std::vector<Token>& out) const {
    const Entry* entry = &entries_[hash & kMask];
    if (!entry->is(word) && !(++entry)->is(word)) return false;
    const size_t before = out.size();
    out.resize(before + entry->count);
    for (size_t i = 0; i < entry->count; ++i) out[before + i] = {entry->ids[i], entry->ends[i]};
    return true;
  }

  void insert(std::string_view word, uint64_t hash, std::span<const Token> tokens) {
    if (word.empty() || tokens.size() > kMaxTokens) return;
    if (!tokens.empty() && tokens.back().end > UINT8_MAX) return;
    Entry* entry = &entries_[hash & kMask];
    entry[1] = entry[0];  // the older one of the two leaves
    entry->size = static_cast<uint8_t>(word.size());
    entry->count = static_cast<uint8_t>(tokens.size());
    std::memcpy(entry->word, word.data(), word.size());
    for (size_t i = 0; i < tokens.size(); ++i) {
      entry->ids[i] = tokens[i].id;
      entry->ends[i] = static_cast<uint8_t>(tokens[i].end);
    }
  }

 private:
  static constexpr size_t kEntries = size_t{1} << 15, kMask = kEntries - 2;  // pairs of entries

  struct Entry {
    uint8_t size, count;  // size 0: empty
    char word[kMaxWord];
    uint8_t ends[kMaxTokens];
    int ids[kMaxTokens];

    bool is(std::string_view other) const {
      return size == other.size() && std::memcmp(word, other.data(), size) == 0;
    }
  };
  static_assert(sizeof(Entry) == 128);

  struct Free {
    void operator()(Entry* entries) const { std::free(entries); }
  };
  std::unique_ptr<Entry[], Free> entries_;
};

}  // namespace jogak::text
