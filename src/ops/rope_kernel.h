#pragma once

#include <cstdint>

#include "tensor/dtype.h"

namespace jogak::cpu {

struct Rope {
  DType dtype = DType::f32;
  const void* x = nullptr;
  void* y = nullptr;            // may be x
  const void* table = nullptr;  // [table_rows, width] of the sum type: row r takes r % table_rows
  int64_t rows = 0, cols = 0, heads = 0, width = 0, table_rows = 0;
  bool back = false;  // rotates the other way
};
void rope(const Rope& args);

struct RopeTable {
  const int64_t* positions = nullptr;  // [rows]
  const float* frequencies = nullptr;  // [half], or [rows, half]
  float* table = nullptr;              // [rows, 2 half]
  int64_t rows = 0, half = 0;
  bool own_frequencies = false;  // every row has its own
  float factor = 1;
};
void rope_table(const RopeTable& args);

}  // namespace jogak::cpu
