// Small checks shared by everything that is read from a tokenizer.json.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "base/json.h"

namespace jogak::text {

// More steps than this in a Sequence is not a tokenizer; it also bounds the recursion over them.
inline constexpr size_t kMaxSteps = 64;

// Text from a file as an error shows it: quoted, cut when long.
std::string shown(std::string_view text);

// An unknown key would be a wish silently ignored, so it is an error.
void only_keys(const Fields& fields, std::initializer_list<std::string_view> known);

// The "type" of a component; `what` is what errors call it ("pre_tokenizer").
const std::string& type_of(const Fields& fields, std::string_view what);
[[noreturn]] void unsupported_type(const Fields& fields, std::string_view what);

// The members of a Sequence, at most kMaxSteps.
const std::vector<Json>& steps_of(const Fields& fields, std::string_view key);

// `key` may be missing, null, or the one value that needs no support.
void must_be_off(const Fields& fields, std::string_view key);

}  // namespace jogak::text
