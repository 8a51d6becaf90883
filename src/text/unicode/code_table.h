// A value for every code point, in pages of 256: pages that nobody wrote to are shared.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace jogak::text {

template <class Value>
class CodeTable {
 public:
  CodeTable() : values_(kPage) {}

  Value operator[](char32_t code) const { return values_[page_of_[code >> 8] + (code & 0xFF)]; }

  Value& at(char32_t code) {  // to be written to
    uint32_t& page = page_of_[code >> 8];
    if (page == 0) {
      page = static_cast<uint32_t>(values_.size());
      values_.resize(values_.size() + kPage);
    }
    return values_[page + (code & 0xFF)];
  }

 private:
  static constexpr size_t kPage = 256;
  std::array<uint32_t, 0x1100> page_of_{};  // where the page starts; page 0 is all Value()
  std::vector<Value> values_;
};

}  // namespace jogak::text
