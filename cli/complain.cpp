#include "cli/complain.h"

#include <cmath>

#include "base/error.h"
#include "base/suggest.h"
#include "base/terminal.h"

namespace jogak::cli {
namespace {

// Fills %1, %2 of the sentence in the user's language.
[[noreturn]] void raise(Lang lang, Words sentence, const std::vector<std::string>& parts) {
  std::string out;
  const std::string_view pattern = sentence(lang);
  for (size_t i = 0; i < pattern.size(); ++i) {
    const bool marked = pattern[i] == '%' && i + 1 < pattern.size() && pattern[i + 1] >= '1' &&
                        pattern[i + 1] <= '9';
    if (marked)
      out += parts.at(static_cast<size_t>(pattern[++i] - '1'));
    else
      out += pattern[i];
  }
  throw UsageError(out);
}

std::string plain(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15)
    return std::to_string(static_cast<int64_t>(value));
  return text_of(value);
}

}  // namespace

std::string joined(const std::vector<std::string>& words, Lang lang) {
  std::string out;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 < words.size() ? ", " : lang == Lang::ko ? ", " : " or ";
    out += words[i];
  }
  return out;
}

std::string Complaint::suggestion(const std::string& nearest_word) const {
  if (nearest_word.empty()) return "";
  if (lang == Lang::ko) return " (혹시 \"" + nearest_word + "\"?)";
  return " (did you mean \"" + nearest_word + "\"?)";
}

void Complaint::unknown_option(const std::string& typed, const std::string& nearest_name) const {
  const std::string known = nearest_name.empty() ? "" : "--" + nearest_name;
  raise(lang, {"모르는 옵션 %1%2", "unknown option %1%2"}, {quoted(typed), suggestion(known)});
}

void Complaint::unknown_command(const std::string& before, const std::string& typed,
                                const std::vector<std::string>& known) const {
  raise(lang, {"모르는 명령 %1. 있는 명령: %2%3", "unknown command %1, wanted %2%3"},
        {quoted(before + typed), joined(known, lang), suggestion(nearest(typed, known))});
}

void Complaint::missing_part(const std::string& command,
                             const std::vector<std::string>& parts) const {
  raise(lang, {"%1: 다음 중 하나가 더 필요합니다: %2", "%1: found nothing more, wanted %2"},
        {command, joined(parts, lang)});
}

void Complaint::missing_value(const std::string& typed, const Option& option) const {
  raise(lang, {"%1: 값이 없습니다. 필요한 값: %2", "%1: found no value, wanted %2"},
        {typed, option.value.empty() ? "VALUE" : option.value});
}

void Complaint::needless_value(const std::string& typed, const std::string& found) const {
  raise(lang,
        {"%1: 값을 받지 않는 옵션입니다. 주어진 값: %2", "%1: found the value %2, wanted none"},
        {typed, quoted(found)});
}

void Complaint::value(const std::string& typed, const std::string& found,
                      const std::string& wanted) const {
  raise(lang, {"%1: %2. 필요한 값: %3", "%1: found %2, wanted %3"}, {typed, quoted(found), wanted});
}

void Complaint::choice(const std::string& typed, const std::string& found,
                       const std::vector<std::string>& choices) const {
  raise(lang, {"%1: %2. 가능한 값: %3%4", "%1: found %2, wanted %3%4"},
        {typed, quoted(found), joined(choices, lang), suggestion(nearest(found, choices))});
}

void Complaint::missing_operand(const Operand& operand) const {
  raise(lang, {"빠진 인자 %1: %2", "found no %1, wanted %2"},
        {operand.name, std::string(operand.help(lang))});
}

void Complaint::needless_operand(const std::string& found) const {
  raise(lang, {"%1: 인자가 너무 많습니다", "found %1, wanted no more arguments"}, {quoted(found)});
}

void Complaint::together(const std::string& one, const std::string& other) const {
  raise(lang, {"함께 쓸 수 없는 옵션: %1, %2", "%1 does not go with %2"}, {one, other});
}

void Complaint::missing_option(const std::string& name) const {
  raise(lang, {"빠진 옵션: %1", "%1 is missing"}, {name});
}

std::string Complaint::number_wanted(const Option& o) const {
  const bool whole = o.kind == Kind::integer, low = std::isfinite(o.low),
             high = std::isfinite(o.high);
  if (lang == Lang::ko) {
    std::string out = low ? plain(o.low) + " 이상 " : "";
    if (high) out += plain(o.high) + " 이하 ";
    return out + (whole ? "정수" : "수");
  }
  std::string out = whole ? "a whole number" : "a number";
  if (low) out += " from " + plain(o.low);
  if (high) out += (low ? " to " : " up to ") + plain(o.high);
  return out;
}

}  // namespace jogak::cli
