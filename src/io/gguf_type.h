// The element types of GGUF files. Most keep a block of small numbers behind a scale.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "tensor/dtype.h"

namespace jogak {

struct GgufType {
  uint32_t id;           // in the file
  const char* name;      // as llama.cpp prints it
  int64_t block, bytes;  // elements of a block, and what they take
  // Of plain numbers, which are copied; of the others a block is widened to f32.
  std::optional<DType> dtype;
  void (*widen)(const std::byte* block, float* out);
};

const GgufType* find_gguf_type(uint32_t id);  // null: not read
std::string gguf_type_names();                // of those that are
// The name of any type of the format, for error messages; empty when there is none.
std::string gguf_type_name(uint32_t id);

}  // namespace jogak
