#pragma once

#include <cstdint>

#include "tensor/dtype.h"
#include "tensor/launch.h"

namespace jogak {

struct RopeArgs {
  DType dtype = DType::f32;
  const void* x = nullptr;
  void* y = nullptr;            // may be x
  const void* table = nullptr;  // [table_rows, width] of the sum type: row r takes r % table_rows
  int64_t rows = 0, cols = 0, heads = 0, table_rows = 0;
  int64_t head = 0, width = 0;  // a head is `head` wide; its first `width` elements rotate
  bool back = false;            // rotates the other way
};

struct RopeTableArgs {
  const int64_t* positions = nullptr;  // [rows]
  const float* frequencies = nullptr;  // [half], or [rows, half]
  float* table = nullptr;              // [rows, 2 half]
  int64_t rows = 0, half = 0;
  bool own_frequencies = false;  // every row has its own
  float factor = 1;
};

void run(OnCpu, const RopeArgs& a);
void run(OnCpu, const RopeTableArgs& a);

namespace cuda {
void run(OnCuda, const RopeArgs& a);
void run(OnCuda, const RopeTableArgs& a);
}  // namespace cuda

}  // namespace jogak
