#include "text/regex/regex.h"

#include <optional>
#include <utility>

#include "text/regex/backtrack.h"
#include "text/regex/dfa.h"
#include "text/unicode/unicode.h"

namespace jogak::text {

Regex::Regex(std::string pattern, const std::string& place)
    : pattern_(std::move(pattern)),
      program_(std::make_unique<regex::Program>(pattern_, place)),
      dfa_(regex::Dfa::make(*program_)) {}

Regex::~Regex() = default;
Regex::Regex(Regex&&) noexcept = default;
Regex& Regex::operator=(Regex&&) noexcept = default;

void Regex::find(std::string_view text, FunctionRef<void(Span)> match) const {
  constexpr size_t kNowhere = SIZE_MAX;
  // What the table reads past the end of a match it reads again for the next one. Where that adds
  // up, the rest of the text is left to the way that remembers.
  const size_t most_wasted = 16 * text.size() + 4096;
  size_t wasted = 0;
  std::optional<regex::Backtracker> slow;
  if (!dfa_) slow.emplace(*program_, text);
  size_t last_end = kNowhere;
  for (size_t at = 0; at <= text.size();) {
    size_t end = 0, looked = at;
    if (slow) {
      end = slow->match(at);
    } else {
      end = dfa_->match(text, at, looked);
      wasted += looked - (end == regex::Dfa::kNoMatch ? at : end);
      if (wasted > most_wasted) slow.emplace(*program_, text);
    }
    // An empty match right behind the last match does not count.
    if (end == regex::Dfa::kNoMatch || (end == at && at == last_end)) {
      if (at == text.size()) break;
      at += static_cast<size_t>(size_from_first(text[at]));
      continue;
    }
    match({at, end});
    at = last_end = end;
  }
}

}  // namespace jogak::text
