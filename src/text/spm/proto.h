// Reads protocol buffers without a schema compiler: one field after the other, every size checked
// against the bytes that are there before it is used.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace jogak::text {

class ProtoReader {
 public:
  // `offset`: where `bytes` begin in the file, for error messages.
  ProtoReader(std::string_view bytes, size_t offset, const std::string& file)
      : bytes_(bytes), offset_(offset), file_(file) {}

  // Goes to the next field; false at the end. Fields nobody takes are skipped.
  bool next();
  uint32_t field() const { return field_; }

  // The field's value when it has the right wire type. Others are not ours: protocol buffers treat
  // them as unknown fields, and so do we.
  bool take(bool& value) const;
  bool take(int32_t& value) const;
  bool take(float& value) const;
  bool take(std::string_view& value) const;  // strings, bytes, messages

  size_t place() const { return offset_ + value_at_; }  // byte of the value in the file
  ProtoReader message() const { return {payload_, place(), file_}; }

  template <class... Parts>
  [[noreturn]] void wrong(size_t place, const Parts&... parts) const {
    fail<FormatError>(file_, ": byte ", place, ": ", parts...);
  }

 private:
  enum class Wire : uint32_t {
    varint = 0,
    fixed64 = 1,
    bytes = 2,
    start = 3,
    end = 4,
    fixed32 = 5
  };

  uint64_t varint();
  void read_tag();
  void read_value();
  void skip_group();

  std::string_view bytes_;
  size_t offset_;
  std::string file_;
  size_t at_ = 0, tag_at_ = 0, value_at_ = 0;
  uint32_t field_ = 0;
  Wire wire_ = Wire::varint;
  uint64_t number_ = 0;
  std::string_view payload_;
};

}  // namespace jogak::text
