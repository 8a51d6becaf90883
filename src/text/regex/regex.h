// Regular expressions as the reference understands them (Oniguruma's syntax and Unicode tables).
// The time to go through a text grows with its length, whatever the expression.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/function_ref.h"
#include "text/aligned_text.h"

namespace jogak::text {

namespace regex {
class Program;
class Dfa;
}  // namespace regex

class Regex {
 public:
  // Throws FormatError for what is wrong or not supported; `place` opens the message.
  Regex(std::string pattern, const std::string& place);
  ~Regex();
  Regex(Regex&&) noexcept;
  Regex& operator=(Regex&&) noexcept;

  // Every match in order, as if one were searched after the other; some may be empty.
  void find(std::string_view text, FunctionRef<void(Span)> match) const;
  const std::string& pattern() const { return pattern_; }

 private:
  std::string pattern_;
  std::unique_ptr<regex::Program> program_;
  std::unique_ptr<regex::Dfa> dfa_;  // null: the slow way only
};

}  // namespace jogak::text
