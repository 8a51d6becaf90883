// The element types a safetensors file may name. Most are tensors' own types; the others can be
// listed and measured, but not loaded.
#pragma once

#include <optional>
#include <string_view>

#include "tensor/dtype.h"

namespace jogak {

struct FileDType {
  const char* name;
  int bits;                    // of one element
  std::optional<DType> dtype;  // none: tensors cannot hold it
};

const FileDType* find_file_dtype(std::string_view name);  // null when there is none of this name
const FileDType& file_dtype_of(DType dtype);

// Writers lay the types of widest alignment first; this is the place in that order, last first.
int layout_rank(const FileDType& type);

}  // namespace jogak
