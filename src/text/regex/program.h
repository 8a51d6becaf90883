// A regular expression as small instructions, over classes of characters that it does not tell
// apart.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/regex/parse.h"
#include "text/unicode/code_table.h"

namespace jogak::text::regex {

struct Instruction {
  enum class Op : uint8_t {
    set,     // one character of a set
    check,   // what stands before and after this place
    split,   // goes on at `next`, or if that fails at `other`
    look,    // the program at `other` matches here, or `back` characters before
    atomic,  // takes what the program at `other` matches
    end      // of the whole or of the program of a look or atomic
  };
  Op op = Op::end;
  bool negated = false;
  uint32_t next = 0, other = 0;
  uint32_t index = 0;  // of the set or check; of a split: its number
  uint32_t back = 0;
};

struct Check {
  CodeSet before = CodeSet::all(), after = CodeSet::all();
  bool at_start = true, at_end = true;  // whether there may be nothing
  bool operator==(const Check&) const = default;
};

class Program {
 public:
  Program(std::string_view pattern, const std::string& place);

  const std::vector<Instruction>& code() const { return code_; }
  uint32_t start() const { return start_; }
  uint32_t splits() const { return splits_; }
  bool has_lookaround() const { return has_lookaround_; }  // or atomic groups
  bool looks_before() const { return looks_before_; }      // some check asks what stands before

  // Classes 0 ... classes() - 1, and classes() for the place before the start and at the end.
  uint32_t classes() const { return classes_; }
  uint8_t class_of(char32_t code) const { return class_of_[code]; }
  bool takes(uint32_t set, uint32_t char_class) const {
    return takes_[set * classes_ + char_class];
  }
  bool passes(uint32_t check, uint32_t before, uint32_t after) const {
    const size_t width = classes_ + 1;
    return before_[check * width + before] && after_[check * width + after];
  }

 private:
  friend class Compiler;
  void sort_characters(const std::vector<CodeSet>& sets, const std::vector<Check>& checks,
                       const std::string& place);

  std::vector<Instruction> code_;
  uint32_t start_ = 0, splits_ = 0, classes_ = 0;
  bool has_lookaround_ = false, looks_before_ = false;
  CodeTable<uint8_t> class_of_;
  std::vector<uint8_t> takes_, before_, after_;
};

}  // namespace jogak::text::regex
