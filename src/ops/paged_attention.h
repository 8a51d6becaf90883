// Attention of new tokens over pages of cached keys and values. Sequences of unequal length share
// a call; where their rows stand and which pages they look at is in tables on the device.
#pragma once

#include <cstdint>
#include <vector>

#include "ops/page_layout.h"
#include "tensor/tensor.h"

namespace jogak {

// Where rows go: addresses of pages, and a place in each.
struct PageSlots {
  Tensor table;  // i64 [rows, 2]: the page, 0 .. 63; page 0: the row goes nowhere
};

// Rows that look at the pages of one sequence: rows first .. first + rows - 1, the first of them up
// to `position`, each further one `stride` positions further.
struct PageRun {
  int64_t first = 0, rows = 0, position = 0, stride = 1;
  std::vector<int64_t> pages;  // addresses: pages[p] holds positions 64 p .. 64 p + 63
};

struct PageRuns {
  Tensor table;                     // i64 [runs, 4]: first, rows, position, stride
  Tensor pages;                     // i64 [runs, most]: their pages, 0 where a run has fewer
  int64_t reach = 0;                // positions that the longest of them sees
  std::vector<int> sequences = {};  // by row, where whoever made the table has numbers for them
};

struct PageNumbers {  // both tables as numbers
  std::vector<int64_t> runs, pages;
  int64_t most, reach;
};
// A run has places for `room` pages, or for as many as the longest has where those are more.
PageNumbers page_numbers(const std::vector<PageRun>& runs, int64_t room = 0);

// Of a dense f32 tensor, whatever it holds, that lives as long as the tables.
int64_t page_address(const Tensor& page);
PageSlots page_slots(const std::vector<int64_t>& pages, const std::vector<int64_t>& places,
                     Device& device);
PageRuns page_runs(const std::vector<PageRun>& runs, Device& device);

// Copies keys and values [rows, kv_heads (key_width + value_width)], keys first, into pages: in
// bf16 rounded to nearest even, in q8 to nearest by the largest of a token and head, which is 127.
// Rows may lie apart; nothing is recorded.
void cache_rows(const Tensor& rows, const PageSlots& slots, const PageLayout& layout);

struct PagedAttentionOptions {
  double scale = 0;      // of the scores; 0 means 1 / sqrt(key width)
  int64_t window = 0;    // as in AttentionOptions
  double cap = 0;        // likewise
  Tensor key_bias = {};  // [1, H, reach or more], by the position of the key: ALiBi
  // f32 [H, reach or more], by how far the key stands behind the row; the last: not at all.
  Tensor distance_bias = {};
};

// q [rows, H, key_width], a row of it packed -> [rows, H, value_width]: softmax(q k^T scale + bias)
// v for each row over the keys its run lets it see. Computed in f32, of what the pages hold;
// without a gradient. A row has the bits that `attention` gives it over those numbers.
Tensor paged_attention(const Tensor& q, const PageRuns& runs, const PageLayout& layout,
                       const PagedAttentionOptions& options = {});

}  // namespace jogak
