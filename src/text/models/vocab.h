// Tokens and their ids, both ways.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/flat_map.h"
#include "base/json_document.h"

namespace jogak::text {

class Vocab {
 public:
  // Ids may leave gaps, but not more than this many numbers in all.
  static constexpr int64_t kMaxGap = 1'000'000;
  static constexpr size_t kBatch = 32;  // the most tokens expect() takes

  // The object {"token": id, ...} of a tokenizer.json or vocab.json.
  static Vocab read(const JsonView& object);
  Json to_json() const;  // in the order of ids

  void reserve(size_t tokens);
  void add(std::string_view token, int id);      // both must be new
  bool try_add(std::string_view token, int id);  // false, and nothing added, when one is not
  int find(std::string_view token) const;        // -1 when absent
  // Some tokens will be looked for next: brings what that takes into the cache, all at once.
  void expect(std::span<const std::string_view> tokens) const;
  bool has(int id) const { return id >= 0 && id < size() && entry_of_[id] != kNone; }
  std::string_view token(int id) const { return text_at(entry_of_[id]); }  // of an id it has
  int size() const { return static_cast<int>(entry_of_.size()); }          // largest id + 1
  size_t count() const { return entries_.size(); }

 private:
  struct Entry {
    size_t from;
    uint32_t size;
    int id;
  };
  std::string_view text_at(uint32_t entry) const {
    return std::string_view(bytes_).substr(entries_[entry].from, entries_[entry].size);
  }

  std::string bytes_;  // all tokens end to end
  std::vector<Entry> entries_;
  std::vector<uint32_t> entry_of_;  // by id; kNone in gaps
  StringIndex index_;
};

}  // namespace jogak::text
