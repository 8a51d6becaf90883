// Keys and values of running sequences, in pages. Every sequence has its own length, so that
// sequences of unequal length share a step and join or leave between steps.
#pragma once

#include <cstdint>
#include <vector>

#include "tensor/tensor.h"

namespace jogak {

inline constexpr int64_t kPageTokens = 64;

struct CacheShape {
  int64_t layers = 0, kv_heads = 0, key_width = 0, value_width = 0;
  int64_t context = 0;  // longest sequence
};

// The tokens of one step, row by row: which sequence each belongs to and its position there.
// Rows of one sequence stand together, in order of position.
struct CacheStep {
  std::vector<int> sequences;
  std::vector<int64_t> positions;
  std::vector<int64_t> wanted;  // rows whose logits are wanted; empty: all
  std::vector<int> sources;     // of an encoder-decoder: each row's sequence in Run::sources
  int64_t rows() const { return static_cast<int64_t>(sequences.size()); }
};

class KvCache {
 public:
  explicit KvCache(CacheShape shape);

  int add();               // a new empty sequence; its number is free for reuse after remove()
  int fork(int sequence);  // a copy that shares pages until one of them writes
  void remove(int sequence);
  int64_t length(int sequence) const;
  int64_t live_pages() const { return live_pages_; }
  const CacheShape& shape() const { return shape_; }

  // Makes room for `counts[i]` more tokens of sequences[i] and lists the rows of the step. A
  // sequence that would outgrow the context is an error with both numbers.
  CacheStep begin(const std::vector<int>& sequences, const std::vector<int64_t>& counts);

  // Where a layer's keys and values of one sequence lie: pages[p] holds tokens p*64 .. p*64+63.
  float* key_page(int64_t layer, int sequence, int64_t page) const;    // [kv_heads, width, 64]
  float* value_page(int64_t layer, int sequence, int64_t page) const;  // [kv_heads, 64, width]

 private:
  struct Page {
    Tensor values;  // all layers: keys, then values
    int users = 0;
  };
  struct Sequence {
    bool used = false;
    int64_t length = 0;
    std::vector<int> pages;
  };
  int take_page();
  void drop_page(int page);
  void make_room(Sequence& s, int64_t tokens);
  int64_t key_size() const { return shape_.kv_heads * shape_.key_width * kPageTokens; }
  int64_t value_size() const { return shape_.kv_heads * shape_.value_width * kPageTokens; }

  CacheShape shape_;
  std::vector<Page> pages_;
  std::vector<int> free_pages_;
  std::vector<Sequence> sequences_;
  int64_t live_pages_ = 0;
};

}  // namespace jogak
