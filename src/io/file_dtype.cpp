#include "io/file_dtype.h"

#include <algorithm>
#include <iterator>

namespace jogak {
namespace {

// In the order of the reference implementation's enum, which decides how its writer lays out
// tensors: so equal tensors give equal bytes.
const FileDType kTypes[] = {
    {"BOOL", 8, DType::boolean},
    {"F4", 4, {}},
    {"F6_E2M3", 6, {}},
    {"F6_E3M2", 6, {}},
    {"U8", 8, DType::u8},
    {"I8", 8, DType::i8},
    {"F8_E5M2", 8, {}},
    {"F8_E4M3", 8, {}},
    {"F8_E8M0", 8, {}},
    {"F8_E4M3FNUZ", 8, {}},
    {"F8_E5M2FNUZ", 8, {}},
    {"I16", 16, {}},
    {"U16", 16, {}},
    {"F16", 16, DType::f16},
    {"BF16", 16, DType::bf16},
    {"I32", 32, DType::i32},
    {"U32", 32, {}},
    {"F32", 32, DType::f32},
    {"C64", 64, {}},
    {"F64", 64, DType::f64},
    {"I64", 64, DType::i64},
    {"U64", 64, {}},
};

}  // namespace

const FileDType* find_file_dtype(std::string_view name) {
  const auto at = std::find_if(std::begin(kTypes), std::end(kTypes),
                               [&](const FileDType& type) { return type.name == name; });
  return at == std::end(kTypes) ? nullptr : at;
}

const FileDType& file_dtype_of(DType dtype) {
  const auto at = std::find_if(std::begin(kTypes), std::end(kTypes),
                               [&](const FileDType& type) { return type.dtype == dtype; });
  ensure<Error>(at != std::end(kTypes), "no safetensors name for ", dtype);
  return *at;
}

int layout_rank(const FileDType& type) {
  return static_cast<int>(std::end(kTypes) - std::begin(kTypes) - (&type - kTypes));
}

}  // namespace jogak
