#include "tensor/dtype.h"

#include <ostream>

namespace jogak {

size_t size_of(DType dtype) {
  constexpr size_t kSizes[] = {4, 8, 2, 2, 4, 8, 1, 1, 1, 1};
  return kSizes[static_cast<size_t>(dtype)];
}

const char* name_of(DType dtype) {
  constexpr const char* kNames[] = {"f32", "f64", "bf16", "f16", "i32",
                                    "i64", "u8",  "bool", "i8",  "packed"};
  return kNames[static_cast<size_t>(dtype)];
}

bool is_float(DType dtype) { return dtype <= DType::f16; }

std::ostream& operator<<(std::ostream& out, DType dtype) { return out << name_of(dtype); }

Float16::Float16(float value) {
  const uint32_t raw = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (raw >> 16) & 0x8000, magnitude = raw & 0x7FFFFFFF;
  uint32_t half = 0;
  if (magnitude > 0x7F800000) {
    half = 0x7E00;  // NaN
  } else if (magnitude >= 0x477FF000) {
    half = 0x7C00;  // rounds to infinity
  } else if (magnitude < 0x38800000) {
    // Subnormal: adding 0.5 puts the rounded fraction into the low bits of the float.
    half = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3F000000;
  } else {
    half = (magnitude - 0x38000000 + 0xFFF + ((magnitude >> 13) & 1)) >> 13;
  }
  bits = static_cast<uint16_t>(sign | half);
}

Float16::operator float() const {
  const uint32_t sign = uint32_t{bits & 0x8000u} << 16, magnitude = bits & 0x7FFFu;
  uint32_t raw = 0;
  if (magnitude >= 0x7C00) {
    raw = 0x7F800000 | ((magnitude & 0x3FF) << 13);
  } else if (magnitude >= 0x400) {
    raw = (magnitude << 13) + 0x38000000;
  } else {
    raw = std::bit_cast<uint32_t>(static_cast<float>(magnitude) * 0x1p-24f);
  }
  return std::bit_cast<float>(sign | raw);
}

}  // namespace jogak
