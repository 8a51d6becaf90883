// Element types, and the two 16-bit floats as plain values.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <iosfwd>

#include "base/error.h"

namespace jogak {

// packed: a matrix of small integers, laid out for products (tensor/packed.h). It has a shape, but
// its elements have no places of their own: only what multiplies by it or looks rows up reads it.
enum class DType : uint8_t { f32, f64, bf16, f16, i32, i64, u8, boolean, i8, packed };

size_t size_of(DType dtype);
const char* name_of(DType dtype);
bool is_float(DType dtype);
std::ostream& operator<<(std::ostream& out, DType dtype);

// bfloat16: the upper half of a float, rounded to nearest even.
struct BFloat16 {
  uint16_t bits = 0;
  BFloat16() = default;
  explicit BFloat16(float value) {
    const uint32_t raw = std::bit_cast<uint32_t>(value);
    const bool nan = (raw & 0x7FFFFFFF) > 0x7F800000;
    bits =
        static_cast<uint16_t>(nan ? (raw >> 16) | 0x40 : (raw + 0x7FFF + ((raw >> 16) & 1)) >> 16);
  }
  explicit operator float() const { return std::bit_cast<float>(uint32_t{bits} << 16); }
};

struct Float16 {  // IEEE binary16
  uint16_t bits = 0;
  Float16() = default;
  explicit Float16(float value);
  explicit operator float() const;
};

template <class T>
struct DTypeOf;
template <>
struct DTypeOf<float> {
  static constexpr DType value = DType::f32;
};
template <>
struct DTypeOf<double> {
  static constexpr DType value = DType::f64;
};
template <>
struct DTypeOf<BFloat16> {
  static constexpr DType value = DType::bf16;
};
template <>
struct DTypeOf<Float16> {
  static constexpr DType value = DType::f16;
};
template <>
struct DTypeOf<int32_t> {
  static constexpr DType value = DType::i32;
};
template <>
struct DTypeOf<int64_t> {
  static constexpr DType value = DType::i64;
};
template <>
struct DTypeOf<uint8_t> {
  static constexpr DType value = DType::u8;
};
template <>
struct DTypeOf<bool> {
  static constexpr DType value = DType::boolean;
};
template <>
struct DTypeOf<int8_t> {
  static constexpr DType value = DType::i8;
};
template <class T>
inline constexpr DType kDType = DTypeOf<T>::value;

// The type sums are made in: double stays double, everything else is float.
template <class T>
using SumType = std::conditional_t<std::is_same_v<T, double>, double, float>;
inline DType sum_dtype(DType dtype) { return dtype == DType::f64 ? DType::f64 : DType::f32; }

// Calls body.template operator()<T>() for the float type that dtype names.
template <class Body>
void for_float_type(DType dtype, Body&& body) {
  switch (dtype) {
    case DType::f32: return body.template operator()<float>();
    case DType::f64: return body.template operator()<double>();
    case DType::bf16: return body.template operator()<BFloat16>();
    case DType::f16: return body.template operator()<Float16>();
    default: fail<ShapeError>("found dtype ", name_of(dtype), ", wanted a float type");
  }
}

template <class Body>
void for_any_type(DType dtype, Body&& body) {
  switch (dtype) {
    case DType::i32: return body.template operator()<int32_t>();
    case DType::i64: return body.template operator()<int64_t>();
    case DType::u8: return body.template operator()<uint8_t>();
    case DType::boolean: return body.template operator()<bool>();
    case DType::i8: return body.template operator()<int8_t>();
    default: return for_float_type(dtype, body);
  }
}

// One element from one type to another, through float for the 16-bit types.
template <class To, class From>
To convert(From value) {
  constexpr auto is_half = []<class T>(T) {
    return std::is_same_v<T, BFloat16> || std::is_same_v<T, Float16>;
  };
  if constexpr (std::is_same_v<To, From>)
    return value;
  else if constexpr (is_half(From{}))
    return convert<To>(static_cast<float>(value));
  else if constexpr (is_half(To{}))
    return To(static_cast<float>(value));
  else
    return static_cast<To>(value);
}

}  // namespace jogak
