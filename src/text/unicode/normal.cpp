#include "text/unicode/normal.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include "base/flat_map.h"
#include "text/unicode/code_table.h"
#include "text/unicode/tables.h"
#include "text/unicode/unicode.h"

namespace jogak::text {
namespace {

// Hangul syllables are taken apart and put together by arithmetic.
constexpr char32_t kSyllables = 0xAC00, kLeads = 0x1100, kVowels = 0x1161, kTrails = 0x11A7;
constexpr char32_t kLeadCount = 19, kVowelCount = 21, kTrailCount = 28;
constexpr char32_t kSyllableCount = kLeadCount * kVowelCount * kTrailCount;

constexpr bool is_syllable(char32_t code) { return code - kSyllables < kSyllableCount; }

// Why a character may not stand as it is.
enum Reason : uint8_t {
  kDecomposes = 1,
  kDecomposesCompatibly = 2,  // and not canonically
  kChangesAlone = 4,          // canonical composition does not give it back
  kCombines = 8,              // has a place among the marks behind a character
  kJoinsBefore = 16           // composes with a character before it
};
constexpr std::array<uint8_t, 4> kReasons = {
    kChangesAlone | kCombines | kJoinsBefore, kDecomposes | kCombines,
    kChangesAlone | kDecomposesCompatibly | kCombines | kJoinsBefore,
    kDecomposes | kDecomposesCompatibly | kCombines};

class NormalTables {
 public:
  static const NormalTables& get() {
    static const NormalTables tables;
    return tables;
  }

  uint8_t reasons(char32_t code) const { return reasons_[code]; }
  uint8_t order(char32_t code) const { return order_[code]; }

  // The parts of a character that is not a syllable; empty: itself.
  std::span<const char32_t> parts(char32_t code, bool compatible) const {
    uint32_t at = compatible ? compatible_[code] : 0;
    if (at == 0) at = canonical_[code];
    if (at == 0) return {};
    return std::span(parts_).subspan(at, parts_[at - 1]);
  }

  char32_t composed(char32_t first, char32_t second) const {  // 0: they do not compose
    if (first - kLeads < kLeadCount && second - kVowels < kVowelCount)
      return kSyllables + ((first - kLeads) * kVowelCount + (second - kVowels)) * kTrailCount;
    if (is_syllable(first) && (first - kSyllables) % kTrailCount == 0 && second > kTrails &&
        second - kTrails < kTrailCount)
      return first + (second - kTrails);
    const uint32_t found =
        compositions_.find(pair_key(static_cast<int>(first), static_cast<int>(second)));
    return found == kNone ? 0 : found;
  }

 private:
  NormalTables() {
    read_parts(tables::kCanonical, canonical_, kDecomposes | kChangesAlone);
    read_parts(tables::kCompatible, compatible_, kDecomposesCompatibly);
    tables::Numbers numbers(tables::kCompositions);
    for (char32_t code = 0; numbers.more();) {
      code += numbers.next();
      const auto first = static_cast<int>(numbers.next()),
                 second = static_cast<int>(numbers.next());
      compositions_.insert(pair_key(first, second), code);
      reasons_.at(code) &= static_cast<uint8_t>(~kChangesAlone);
      reasons_.at(static_cast<char32_t>(second)) |= kJoinsBefore;
    }
    for (char32_t i = 0; i < kVowelCount; ++i) reasons_.at(kVowels + i) |= kJoinsBefore;
    for (char32_t i = 1; i < kTrailCount; ++i) reasons_.at(kTrails + i) |= kJoinsBefore;
    for (char32_t i = 0; i < kSyllableCount; ++i) reasons_.at(kSyllables + i) |= kDecomposes;
    tables::each_run(tables::kCombiningOrder, [&](char32_t from, char32_t to, uint32_t label) {
      for (char32_t code = from; label != 0 && code < to; ++code) {
        order_.at(code) = static_cast<uint8_t>(label);
        reasons_.at(code) |= kCombines;
      }
    });
  }

  void read_parts(std::string_view table, CodeTable<uint32_t>& where, uint8_t reason) {
    tables::Numbers numbers(table);
    for (char32_t code = 0; numbers.more();) {
      code += numbers.next();
      const uint32_t count = numbers.next();
      parts_.push_back(count);
      where.at(code) = static_cast<uint32_t>(parts_.size());
      for (uint32_t i = 0; i < count; ++i) parts_.push_back(numbers.next());
      reasons_.at(code) |= reason;
    }
  }

  std::vector<char32_t> parts_;  // of each character: how many, then they
  CodeTable<uint32_t> canonical_, compatible_;
  CodeTable<uint8_t> reasons_, order_;
  FlatMap compositions_;
};

struct Item {
  char32_t code;
  int32_t change;
  uint8_t order;
};

// Characters that depend on each other: a stretch of text from a character that nothing before it
// touches up to the next such one.
class Stretch {
 public:
  explicit Stretch(NormalForm form)
      : compatible_(form == NormalForm::nfkc || form == NormalForm::nfkd),
        composes_(form == NormalForm::nfc || form == NormalForm::nfkc) {}

  void add(char32_t code) {
    if (is_syllable(code)) {
      const char32_t index = code - kSyllables, trail = index % kTrailCount;
      push(kLeads + index / (kVowelCount * kTrailCount), 0);
      push(kVowels + index / kTrailCount % kVowelCount, 1);
      if (trail > 0) push(kTrails + trail, 1);
      return;
    }
    const auto parts = tables_.parts(code, compatible_);
    if (parts.empty()) return push(code, 0);
    for (size_t i = 0; i < parts.size(); ++i) push(parts[i], i > 0);
  }

  void write(Transformer& out) {
    sort_marks();
    composes_ ? compose(out) : put_all(items_, out);
    items_.clear();
    marks_from_ = 0;
  }

 private:
  void push(char32_t code, int32_t change) {
    const uint8_t order = tables_.order(code);
    if (order == 0) sort_marks();
    items_.push_back({code, change, order});
    if (order == 0) marks_from_ = items_.size();
  }

  // Marks behind a character stand by their order; equal ones stay as they came.
  void sort_marks() {
    const std::span<Item> marks = std::span(items_).subspan(marks_from_);
    if (marks.size() < 2) return;
    std::array<size_t, 257> place{};
    for (const Item& item : marks) ++place[item.order + 1];
    for (size_t i = 1; i < place.size(); ++i) place[i] += place[i - 1];
    sorted_.resize(marks.size());
    for (const Item& item : marks) sorted_[place[item.order]++] = item;
    std::copy(sorted_.begin(), sorted_.end(), marks.begin());
  }

  void compose(Transformer& out) {
    std::optional<Item> first;
    int last = -1;  // order of the last mark that stays behind `first`; -1: none does
    for (const Item& item : items_) {
      if (!first) {
        item.order == 0 ? void(first = item) : out.put(item.code, item.change);
        continue;
      }
      const char32_t joined = last < item.order ? tables_.composed(first->code, item.code) : 0;
      if (joined != 0) {
        first->code = joined;
        first->change += item.change - 1;
      } else if (item.order == 0) {
        out.put(first->code, first->change);
        put_all(behind_, out);
        behind_.clear();
        first = item;
        last = -1;
      } else {
        behind_.push_back(item);
        last = item.order;
      }
    }
    if (first) out.put(first->code, first->change);
    put_all(behind_, out);
    behind_.clear();
  }

  static void put_all(const std::vector<Item>& items, Transformer& out) {
    for (const Item& item : items) out.put(item.code, item.change);
  }

  const NormalTables& tables_ = NormalTables::get();
  bool compatible_, composes_;
  std::vector<Item> items_, sorted_, behind_;
  size_t marks_from_ = 0;
};

// The first character that may change or touch what is before it, from `at` on.
size_t next_active(std::string_view text, size_t at, uint8_t reasons) {
  const NormalTables& tables = NormalTables::get();
  while (at < text.size()) {
    if (static_cast<unsigned char>(text[at]) < 0x80) {
      ++at;
      continue;
    }
    const Code next = code_at(text.data() + at);
    if (tables.reasons(next.value) & reasons) break;
    at += next.size;
  }
  return at;
}

}  // namespace

AlignedText normalized(AlignedText in, NormalForm form) {
  const std::string_view text = in.text();
  const NormalTables& tables = NormalTables::get();
  const uint8_t reasons = kReasons[static_cast<size_t>(form)];
  size_t active = next_active(text, 0, reasons);
  if (active == text.size()) return in;
  Transformer out(whole(in));
  Stretch stretch(form);
  while (active < text.size()) {
    // The character before may be what the active one joins.
    const size_t from = active > out.at() ? last_character(text.substr(0, active)) : active;
    out.keep(from - out.at());
    size_t end = from;
    do {
      const Code next = code_at(text.data() + end);
      stretch.add(next.value);
      end += next.size;
    } while (end < text.size() &&
             (end <= active || tables.reasons(code_at(text.data() + end).value) & reasons));
    stretch.write(out);
    active = next_active(text, end, reasons);
  }
  out.keep(text.size() - out.at());
  return out.done();
}

}  // namespace jogak::text
