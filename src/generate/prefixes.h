// Texts that are over, kept by their tokens: one that begins in the same way shares their pages of
// the cache. The least used go first.
#pragma once

#include <span>
#include <vector>

#include "nn/cache.h"

namespace jogak {

// Tokens of `b` that stand at the beginning of `a`, in whole pages.
int64_t shared_tokens(std::span<const int> a, std::span<const int> b);

class Prefixes {
 public:
  Prefixes(KvCache& cache, int64_t pages) : cache_(cache), most_(pages) {}
  Prefixes(const Prefixes&) = delete;
  Prefixes& operator=(const Prefixes&) = delete;

  // The first tokens of a cached sequence, which may be removed after that.
  void keep(int sequence, std::span<const int> tokens);

  struct Found {
    int sequence = -1;
    int64_t tokens = 0;  // that it shares, of whole pages; 0: none
  };
  Found find(std::span<const int> tokens);  // the longest

  int64_t pages() const { return pages_; }
  void clear();

 private:
  struct Kept {
    std::vector<int> tokens;
    int sequence;
  };
  void drop(size_t index);

  KvCache& cache_;
  const int64_t most_;
  int64_t pages_ = 0;
  std::vector<Kept> kept_;  // the last used last
};

}  // namespace jogak
