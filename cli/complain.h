// What is wrong with a command line, in both languages. Each function throws a UsageError.
#pragma once

#include <string>
#include <vector>

#include "cli/option.h"

namespace jogak::cli {

struct Complaint {
  Lang lang;

  [[noreturn]] void unknown_option(const std::string& typed, const std::string& nearest) const;
  [[noreturn]] void unknown_command(const std::string& before, const std::string& typed,
                                    const std::vector<std::string>& known) const;
  [[noreturn]] void missing_part(const std::string& command,
                                 const std::vector<std::string>& parts) const;
  [[noreturn]] void missing_value(const std::string& typed, const Option& option) const;
  [[noreturn]] void needless_value(const std::string& typed, const std::string& value) const;
  [[noreturn]] void value(const std::string& typed, const std::string& found,
                          const std::string& wanted) const;
  [[noreturn]] void choice(const std::string& typed, const std::string& found,
                           const std::vector<std::string>& choices) const;
  [[noreturn]] void missing_operand(const Operand& operand) const;
  [[noreturn]] void needless_operand(const std::string& found) const;
  [[noreturn]] void together(const std::string& one, const std::string& other) const;
  [[noreturn]] void missing_option(const std::string& name) const;

  std::string number_wanted(const Option& option) const;  // "a whole number from 0"
  std::string suggestion(const std::string& nearest) const;
};

std::string joined(const std::vector<std::string>& words, Lang lang);  // "a, b or c"

}  // namespace jogak::cli
