// Text that knows of every byte whether a user wrote it. A special token is never made of such
// bytes, whatever they spell.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace jogak {

class MarkedText {
 public:
  MarkedText() = default;
  explicit MarkedText(std::string bytes, bool user = false)
      : bytes_(std::move(bytes)), marks_(user ? bytes_.size() : 0, kUser) {}

  std::string_view view() const { return bytes_; }
  const std::string& bytes() const { return bytes_; }
  size_t size() const { return bytes_.size(); }
  bool empty() const { return bytes_.empty(); }

  bool is_user(size_t at) const { return !marks_.empty() && marks_[at] == kUser; }
  bool has_user(size_t from, size_t to) const {
    return !marks_.empty() &&
           std::string_view(marks_).substr(from, to - from).find(kUser) != std::string_view::npos;
  }

  void append(std::string_view bytes, bool user = false);
  void append(const MarkedText& other, size_t from = 0, size_t to = std::string::npos);
  MarkedText part(size_t from, size_t to) const;

  // Equal text is equal whoever wrote it.
  bool operator==(const MarkedText& other) const { return bytes_ == other.bytes_; }

 private:
  static constexpr char kUser = 'u', kOurs = '-';

  std::string bytes_;
  std::string marks_;  // as long as the bytes, or empty: none is the user's
};

}  // namespace jogak
