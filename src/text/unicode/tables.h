// What the reference says about every code point (generated data). The tables are numbers in base
// 32, lowest digit first: '0' to 'O' end a number, 'P' to 'o' are digits that more follow.
//
// Runs:     gap from the start of the run before, label; a run lasts until the next one starts.
// Mappings: gap from the code point before, how many code points follow, these.
#pragma once

#include <cstdint>
#include <string_view>

namespace jogak::text::tables {

extern const std::string_view kCategories;           // runs: index in kCategoryNames
extern const std::string_view kProperties;           // runs of flags: Property
extern const std::string_view kScripts;              // runs: 0 or 1 + index in kScriptNames
extern const std::string_view kRustClasses;          // runs of flags: RustClass
extern const std::string_view kPreTokenizerScripts;  // runs: a number for each script, 0: any
extern const std::string_view kLowercase;            // mappings
extern const std::string_view kUppercase;            // mappings, beyond ASCII
extern const std::string_view kTitlecase;            // mappings: those that differ from kUppercase
extern const std::string_view kCanonical;            // mappings: full decompositions
extern const std::string_view kCompatible;           // mappings: those that differ from kCanonical
extern const std::string_view kCombiningOrder;       // runs: place of its combining class
extern const std::string_view kCompositions;         // gap, first, second
extern const std::string_view kCaseFolds;            // mappings: the others that (?i) takes for it
extern const std::string_view kFoldStrings;          // mappings: what (?i) takes for one character

// Of the regular expressions.
inline constexpr std::string_view kCategoryNames[] = {
    "Cn", "Cc", "Cf", "Co", "Cs", "Ll", "Lm", "Lo", "Lt", "Lu", "Mc", "Me", "Mn", "Nd", "Nl",
    "No", "Pc", "Pd", "Pe", "Pf", "Pi", "Po", "Ps", "Sc", "Sk", "Sm", "So", "Zl", "Zp", "Zs"};
enum Property : uint8_t {
  kAlphabetic = 1,
  kLowercaseProperty = 2,
  kUppercaseProperty = 4,
  kEmoji = 8,
  kExtendedPictographic = 16
};
inline constexpr std::string_view kScriptNames[] = {"Common",
                                                    "Inherited",
                                                    "Latin",
                                                    "Greek",
                                                    "Cyrillic",
                                                    "Armenian",
                                                    "Hebrew",
                                                    "Arabic",
                                                    "Syriac",
                                                    "Thaana",
                                                    "Nko",
                                                    "Samaritan",
                                                    "Devanagari",
                                                    "Bengali",
                                                    "Gurmukhi",
                                                    "Gujarati",
                                                    "Oriya",
                                                    "Tamil",
                                                    "Telugu",
                                                    "Kannada",
                                                    "Malayalam",
                                                    "Sinhala",
                                                    "Thai",
                                                    "Lao",
                                                    "Tibetan",
                                                    "Myanmar",
                                                    "Georgian",
                                                    "Hangul",
                                                    "Ethiopic",
                                                    "Cherokee",
                                                    "Canadian_Aboriginal",
                                                    "Ogham",
                                                    "Runic",
                                                    "Khmer",
                                                    "Mongolian",
                                                    "Hiragana",
                                                    "Katakana",
                                                    "Bopomofo",
                                                    "Han",
                                                    "Yi",
                                                    "Gothic",
                                                    "Tifinagh",
                                                    "Coptic",
                                                    "Glagolitic",
                                                    "Javanese",
                                                    "Balinese",
                                                    "Sundanese"};

// Of the parts that do not use regular expressions.
enum RustClass : uint8_t {
  kRustWord = 1,
  kRustNumeric = 2,
  kRustPunctuation = 4,
  kRustOther = 8,
  kRustNonspacing = 16,
  kRustMark = 32
};

class Numbers {
 public:
  explicit Numbers(std::string_view table) : table_(table) {}
  bool more() const { return at_ < table_.size(); }
  uint32_t next() {
    uint32_t value = 0;
    for (int shift = 0;; shift += 5) {
      const auto digit = static_cast<uint32_t>(table_[at_++] - '0');
      value |= (digit & 31) << shift;
      if (digit < 32) return value;
    }
  }

 private:
  std::string_view table_;
  size_t at_ = 0;
};

// Calls use(from, to, label) for every run of a table of runs.
template <class Use>
void each_run(std::string_view table, Use&& use) {
  Numbers numbers(table);
  uint32_t from = 0, label = 0;
  while (numbers.more()) {
    const uint32_t next = from + numbers.next();
    if (next > from) use(char32_t{from}, char32_t{next}, label);
    from = next;
    label = numbers.next();
  }
  use(char32_t{from}, char32_t{0x110000}, label);
}

}  // namespace jogak::text::tables
