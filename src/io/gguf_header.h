// The head of a GGUF file: what stands before the values of its tensors.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/json.h"
#include "io/gguf_type.h"
#include "tensor/shape.h"

namespace jogak {

struct GgufTensor {
  const GgufType* type = nullptr;  // never null in what is handed out
  Shape shape;                     // rows first, as everywhere here; the file has it reversed
  uint64_t begin = 0, bytes = 0;   // of the file
  DType dtype() const { return type->dtype.value_or(DType::f32); }  // of its values once read
};

struct GgufValue {
  Json value;       // arrays are arrays
  uint64_t at = 0;  // byte of the file
};

using GgufTensors = std::map<std::string, GgufTensor, std::less<>>;

struct GgufHeader {
  std::map<std::string, GgufValue, std::less<>> values;
  GgufTensors tensors;
};

// `bytes` is the whole file; `name` is what errors call it.
GgufHeader read_gguf_header(std::string_view bytes, const std::string& name);

}  // namespace jogak
