// The classes of characters that a regular expression can name.
#pragma once

#include <optional>
#include <string_view>

#include "text/unicode/code_set.h"

namespace jogak::text::regex {

// \p{name}: a general category, a script, or one of the other properties. Case, spaces, '-' and
// '_' in the name do not count. Nothing when the name is not known.
std::optional<CodeSet> property(std::string_view name);

// [:name:] in brackets; it differs from the property for "punct" only.
std::optional<CodeSet> posix_class(std::string_view name);

// \d \s \w \h, alone or in brackets: a lone \w also takes a few small digits.
CodeSet escape_class(char letter, bool in_brackets);

// The set and all that (?i) takes for its members.
CodeSet with_other_case(const CodeSet& set);

// Whether (?i) would take the character for several others, or these two for the start of such a
// string: "ss" also finds one sharp s. That is not supported.
bool folds_to_string(const CodeSet& set);
bool starts_fold(char32_t first, char32_t second);

}  // namespace jogak::text::regex
