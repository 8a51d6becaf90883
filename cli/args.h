// The command line, declared as a table and read by it. Every complaint names what was found and
// what was wanted, in the user's language.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cli/option.h"

namespace jogak::cli {

class Args {
 public:
  // UsageError for anything the tables do not allow. `arguments` come after the command's words.
  Args(const std::vector<Option>& options, const std::vector<Operand>& operands,
       const std::vector<std::string>& arguments, Lang lang);

  // By the names of the table; another name is a bug and throws std::logic_error.
  bool given(std::string_view name) const;  // typed by the user
  bool flag(std::string_view name) const { return given(name); }
  std::string text(std::string_view name) const;  // the last one, or the fallback
  int64_t integer(std::string_view name) const;
  double number(std::string_view name) const;
  std::vector<std::string> list(std::string_view name) const;

  std::string operand(std::string_view name) const;                // empty when left out
  std::vector<std::string> operands(std::string_view name) const;  // of one that is repeated
  Lang lang() const { return lang_; }

 private:
  struct Reading;
  const Option& option(std::string_view name) const;
  void take_option(Reading& in, const std::string& word);
  void take_letter(Reading& in, const std::string& word);
  void take_values(Reading& in, const Option& option, const std::string* attached,
                   const std::string& typed);
  void add_value(const Option& option, const std::string& typed, const std::string& value);
  void take_operand(const std::string& word);
  const Option* find(std::string_view name) const;
  const Option* find(char letter) const;
  bool is_option(const std::string& word) const;

  const std::vector<Option>& options_;
  const std::vector<Operand>& operands_;
  Lang lang_;
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
  std::vector<std::string> found_operands_;
};

// Options every command has: --help, --lang.
const std::vector<Option>& common_options();

// The language before anything else is read: --lang, where it stands with a known code, else the
// environment's.
Lang language_of(const std::vector<std::string>& arguments);

// True when -h or --help stands before "--".
bool wants_help(const std::vector<std::string>& arguments);

}  // namespace jogak::cli
