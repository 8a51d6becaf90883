// How long an encoding may be and how it is filled up: "truncation" and "padding" of a
// tokenizer.json.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/json.h"
#include "text/encoding.h"

namespace jogak::text {

struct Truncation {
  enum class Strategy { longest_first, only_first, only_second };
  bool from_left = false;  // the start of the text goes, not its end
  size_t max_length = 512;
  Strategy strategy = Strategy::longest_first;
  size_t stride = 0;  // of the parts that do not fit, which are not kept here

  static Truncation read(const Json& json, const std::string& file);
  Json to_json() const;

  // Cuts one or two encodings so that `added` tokens more still fit.
  void apply(std::span<Encoding> encodings, size_t added) const;

 private:
  void shorten(Encoding& encoding, size_t length) const;
  void shorten_longest(std::span<Encoding> encodings, size_t length) const;
};

struct Padding {
  size_t fixed = 0;  // 0: as long as the longest of the batch
  bool is_fixed = false, on_left = false;
  std::optional<size_t> multiple_of{};
  int id = 0, type_id = 0;
  std::string token = "[PAD]";

  static Padding read(const Json& json, const std::string& file);
  Json to_json() const;

  void apply(std::span<Encoding> batch) const;
};

}  // namespace jogak::text
