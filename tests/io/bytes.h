// Safetensors files put together by hand, right ones and wrong ones.
#pragma once

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "tests/support/temp_dir.h"

namespace jogak::test {

inline std::string length_bytes(uint64_t length) {
  std::string out;
  for (int i = 0; i < 8; ++i) out += static_cast<char>(length >> (8 * i));
  return out;
}

inline std::string file_bytes(const std::string& header, const std::string& data = "") {
  return length_bytes(header.size()) + header + data;
}

// One entry of a header.
inline std::string entry(const std::string& name, const std::string& dtype,
                         const std::string& shape, const std::string& offsets) {
  return "\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape +
         ",\"data_offsets\":" + offsets + "}";
}

// Without fsync and rename: tests write thousands of these. Removed first, because some file
// systems write back a file at once when it is emptied and written again.
inline void write_plain(const std::string& path, const std::string& bytes) {
  std::filesystem::remove(path);
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!out.flush()) throw std::runtime_error("writing failed: " + path);
}

}  // namespace jogak::test
