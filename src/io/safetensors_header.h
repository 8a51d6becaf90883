// The head of a safetensors file: 8 bytes of length, JSON, then data that the named tensors tile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>

#include "io/file_dtype.h"
#include "tensor/shape.h"

namespace jogak {

inline constexpr uint64_t kMaxHeaderBytes = 100'000'000;
inline constexpr size_t kMaxTensorsPerFile = 1'000'000;
inline constexpr size_t kMaxNameBytes = 1 << 16;
inline constexpr char kMetadataKey[] = "__metadata__";

struct TensorInfo {
  const FileDType* type = nullptr;  // never null in what is handed out
  Shape shape;
  uint64_t begin = 0, end = 0;  // bytes of the file
  uint64_t bytes() const { return end - begin; }
};

using Metadata = std::map<std::string, std::string>;

struct SafetensorsHeader {
  std::map<std::string, TensorInfo, std::less<>> tensors;
  Metadata metadata;
};

// Copies bytes of the file from `begin` on; throws when it cannot.
using ReadBytes = std::function<void(uint64_t begin, std::span<std::byte> to)>;

// Checks everything but the values: whoever holds a header may trust every range in it. Throws
// FormatError "FILE: byte N: found, wanted".
SafetensorsHeader read_safetensors_header(const std::string& file, uint64_t file_bytes,
                                          const ReadBytes& read);

// Empty when `name` may stand in a file, else what is wrong with it.
std::string tensor_name_fault(std::string_view name);
std::string shown_name(std::string_view name);  // in quotes, cut when long: for error messages

}  // namespace jogak
