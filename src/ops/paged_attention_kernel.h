#pragma once

#include "ops/attention_kernel.h"
#include "ops/page_layout.h"
#include "tensor/launch.h"

namespace jogak {

// Pages hold what their layout says, on a GPU f32 or bf16. Rows, queries and results are f32 too,
// but on a GPU may be bf16 or f16.
struct CacheRowsArgs {
  DType dtype;
  const void* rows;
  int64_t row, count;    // elements from one row to the next, and how many
  const int64_t* slots;  // [count, 2]
  PageLayout layout;
};

struct PagedAttentionArgs {
  DType dtype = DType::f32;
  PageLayout layout;
  int64_t rows = 0, heads = 0;
  double scale = 1, cap = 0;
  int64_t window = 0;       // 0: none
  const void* q = nullptr;  // [rows, heads, key_width] at strides
  int64_t q_row = 0, q_head = 0;
  void* out = nullptr;            // [rows, heads, value_width], packed
  KeyBias bias = {};              // f32, one for all sequences
  DistanceBias distances = {};    // f32
  const int64_t* runs = nullptr;  // [run_count, 4]
  int64_t run_count = 0;
  const int64_t* pages = nullptr;  // [run_count, most]
  int64_t most = 0;
};

void run(OnCpu, const CacheRowsArgs& a);
void run(OnCpu, const PagedAttentionArgs& a);

namespace cuda {
void run(OnCuda, const CacheRowsArgs& a);
void run(OnCuda, const PagedAttentionArgs& a);
}  // namespace cuda

}  // namespace jogak
