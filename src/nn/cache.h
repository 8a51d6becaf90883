// Keys and values of running sequences, in pages. Every sequence has its own length, so that
// sequences of unequal length share a step and join or leave between steps.
#pragma once

#include <cstdint>
#include <vector>

#include "ops/paged_attention.h"

namespace jogak {

struct CacheShape {
  int64_t layers = 0, kv_heads = 0, key_width = 0, value_width = 0;
  int64_t context = 0;             // longest sequence
  Device* device = &cpu_device();  // where the pages lie: that of the model
  CacheType type = CacheType::f32;
  bool states = false;  // what is kept is no key and no value, and is read again as it was: f32
};

int64_t page_bytes(const CacheShape& shape);  // of one page: 64 tokens of all layers

// The tokens of one step, row by row: which sequence each belongs to and its position there.
// Rows of one sequence stand together, in order of position.
struct CacheStep {
  std::vector<int> sequences;
  std::vector<int64_t> positions;
  std::vector<int64_t> wanted;  // rows whose logits are wanted, in order; empty: all
  int64_t room = 0;  // pages a sequence has places for in `runs`; 0: as many as are there
  Tensor tables;     // what follows lies in it, on the device
  Tensor places;     // the positions: i64 [1, rows]
  PageRuns runs;     // which pages the rows look at
  PageSlots slots;   // where their own keys and values go
  PageRuns sources;  // of an encoder-decoder: which pages of Run::sources
  int64_t rows() const { return static_cast<int64_t>(sequences.size()); }
};

class KvCache {
 public:
  explicit KvCache(CacheShape shape);

  int add();               // a new empty sequence; its number is free for reuse after remove()
  int fork(int sequence);  // a copy that shares pages until one of them writes
  int fork(int sequence, int64_t tokens);  // of its first tokens: whole pages
  void remove(int sequence);
  int64_t length(int sequence) const;
  int64_t live_pages() const { return live_pages_; }
  // Until there are so many, in use or not, of memory that the system has given.
  void make_pages(int64_t count);
  const CacheShape& shape() const { return shape_; }

  // Makes room for `counts[i]` more tokens of sequences[i] and lists the rows of the step. A
  // sequence that would outgrow the context is an error with both numbers.
  CacheStep begin(const std::vector<int>& sequences, const std::vector<int64_t>& counts);
  // The same in a step there is. When it has as many sequences and rows as before and their pages
  // have room, its tables stay where they lay and have new numbers; otherwise there are new ones.
  void begin(const std::vector<int>& sequences, const std::vector<int64_t>& counts,
             CacheStep& step);

  // Rows that look at all of a sequence each; rows over the same sequence stand together.
  PageRuns over(const std::vector<int>& sequences) const;
  // Places of rows [sequences, longest]: of each sequence its tokens, and nowhere behind its end.
  PageSlots all_of(const std::vector<int>& sequences, int64_t longest) const;

  Device& device() const { return *shape_.device; }
  PageLayout layout(int64_t layer) const;
  const Tensor& page(int sequence, int64_t page) const;  // all layers: tokens page*64 .. page*64+63

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
  void make_page(bool touched);
  int take_page();
  void drop_page(int page);
  void make_room(Sequence& s, int64_t tokens);
  std::vector<int64_t> addresses(int sequence, int64_t tokens) const;
  void look_up(CacheStep& step) const;

  CacheShape shape_;
  std::vector<Page> pages_;
  std::vector<int> free_pages_;
  std::vector<Sequence> sequences_;
  int64_t live_pages_ = 0;
};

}  // namespace jogak
