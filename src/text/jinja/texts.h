// What Python's strings can do, on text that keeps its marks. Places count characters where a
// template sees them, bytes inside.
#pragma once

#include <ctime>
#include <string_view>
#include <vector>

#include "text/jinja/machine.h"

namespace jogak::jinja {

// Places of a slice [from:to:step] of `count` items.
std::vector<int64_t> slice_places(int64_t count, const int64_t (&parts)[3], const bool (&given)[3]);
Value slice_text(Machine& machine, const Value& of, const int64_t (&parts)[3],
                 const bool (&given)[3]);
Value character(Machine& machine, const Value& of, int64_t at);

std::vector<std::string_view> split_plain(std::string_view text, char at);

// Spaces as str.strip() and str.split() see them, or the characters of `chars`.
bool python_space(char32_t code);
enum class Side { left, right, both };
MarkedText stripped(const MarkedText& text, Side side, const MarkedText* chars);

MarkedText replaced(const MarkedText& text, std::string_view old, const MarkedText& by,
                    int64_t count);
std::vector<MarkedText> split_at(const MarkedText& text, std::string_view by, int64_t most);
std::vector<MarkedText> split_at_from_end(const MarkedText& text, std::string_view by,
                                          int64_t most);
std::vector<MarkedText> split_words(const MarkedText& text, int64_t most);
std::vector<MarkedText> split_lines(const MarkedText& text, bool keep_ends);

MarkedText escaped(const MarkedText& text);  // & < > " ' for HTML
MarkedText upper(const MarkedText& text);
MarkedText lower(const MarkedText& text);
MarkedText capitalized(const MarkedText& text);
MarkedText titled(const MarkedText& text);  // as str.title()

MarkedText date_text(const Value& format, const std::tm& now);

}  // namespace jogak::jinja
