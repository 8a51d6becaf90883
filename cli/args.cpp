#include "cli/args.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/error.h"
#include "base/suggest.h"
#include "base/terminal.h"
#include "cli/complain.h"

namespace jogak::cli {
namespace {

bool same_name(std::string_view typed, std::string_view name) {
  return std::equal(typed.begin(), typed.end(), name.begin(), name.end(),
                    [](char a, char b) { return a == b || (a == '_' && b == '-'); });
}

template <class T>
bool parse(std::string_view text, T& value) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.begin(), text.end(), value);
  return error == std::errc() && end == text.end() && !text.empty();
}

bool in_range(const Option& option, double value) {
  return std::isfinite(value) && value >= option.low && value <= option.high;
}

void check_value(const Option& option, const std::string& typed, const std::string& value,
                 Lang lang) {
  const Complaint complain{lang};
  int64_t whole = 0;
  double number = 0;
  switch (option.kind) {
    case Kind::integer:
      if (!parse(value, whole) || !in_range(option, static_cast<double>(whole)))
        complain.value(typed, value, complain.number_wanted(option));
      return;
    case Kind::number:
      if (!parse(value, number) || !in_range(option, number))
        complain.value(typed, value, complain.number_wanted(option));
      return;
    default: break;
  }
  if (!option.choices.empty() &&
      std::find(option.choices.begin(), option.choices.end(), value) == option.choices.end())
    complain.choice(typed, value, option.choices);
}

}  // namespace

struct Args::Reading {
  const std::vector<std::string>& words;
  size_t at = 0;
  bool more() const { return at < words.size(); }
};

Args::Args(const std::vector<Option>& options, const std::vector<Operand>& operands,
           const std::vector<std::string>& arguments, Lang lang)
    : options_(options), operands_(operands), lang_(lang) {
  Reading in{arguments};
  bool options_end = false;
  while (in.more()) {
    const std::string& word = in.words[in.at++];
    if (options_end || word == "-" || !word.starts_with('-'))
      take_operand(word);
    else if (word == "--")
      options_end = true;
    else if (word.starts_with("--"))
      take_option(in, word);
    else
      take_letter(in, word);
  }
  for (size_t i = found_operands_.size(); i < operands_.size(); ++i)
    if (!operands_[i].optional) Complaint{lang_}.missing_operand(operands_[i]);
}

const Option* Args::find(std::string_view name) const {
  for (const auto* table : {&options_, &common_options()})
    for (const Option& option : *table)
      if (same_name(name, option.name)) return &option;
  return nullptr;
}

const Option* Args::find(char letter) const {
  for (const auto* table : {&options_, &common_options()})
    for (const Option& option : *table)
      if (option.letter == letter) return &option;
  return nullptr;
}

// A value may begin with '-', as negative numbers do; but what is an option is not a value.
bool Args::is_option(const std::string& word) const {
  if (word.starts_with("--")) {
    const std::string_view name = std::string_view(word).substr(2);
    return word == "--" || find(name.substr(0, name.find('='))) != nullptr;
  }
  return word.size() == 2 && word[0] == '-' && find(word[1]) != nullptr;
}

void Args::take_option(Reading& in, const std::string& word) {
  const size_t equals = word.find('=');
  const std::string typed = word.substr(0, equals);
  const Option* option = find(std::string_view(typed).substr(2));
  if (!option) {
    std::vector<std::string> names;
    for (const auto* table : {&options_, &common_options()})
      for (const Option& known : *table) names.push_back(known.name);
    Complaint{lang_}.unknown_option(typed, nearest(typed.substr(2), names));
  }
  const std::string attached = equals == std::string::npos ? "" : word.substr(equals + 1);
  take_values(in, *option, equals == std::string::npos ? nullptr : &attached, typed);
}

void Args::take_letter(Reading& in, const std::string& word) {
  const std::string typed = word.substr(0, 2);
  const Option* option = find(word[1]);
  if (!option) Complaint{lang_}.unknown_option(word, "");
  const std::string attached = word.substr(2);  // -n5
  take_values(in, *option, attached.empty() ? nullptr : &attached, typed);
}

void Args::take_values(Reading& in, const Option& option, const std::string* attached,
                       const std::string& typed) {
  const Complaint complain{lang_};
  if (option.kind == Kind::flag) {
    if (attached) complain.needless_value(typed, *attached);
    values_[option.name] = {"yes"};
    return;
  }
  if (attached) return add_value(option, typed, *attached);
  if (!in.more() || is_option(in.words[in.at])) complain.missing_value(typed, option);
  add_value(option, typed, in.words[in.at++]);
  while (option.times == Times::list && in.more() && !in.words[in.at].starts_with('-'))
    add_value(option, typed, in.words[in.at++]);
}

void Args::add_value(const Option& option, const std::string& typed, const std::string& value) {
  check_value(option, typed, value, lang_);
  std::vector<std::string>& held = values_[option.name];
  if (option.times == Times::once) held.clear();  // the last one counts
  held.push_back(value);
}

void Args::take_operand(const std::string& word) {
  const Complaint complain{lang_};
  const bool more = !operands_.empty() && operands_.back().repeated;
  if (found_operands_.size() >= operands_.size() && !more) complain.needless_operand(word);
  const Operand& operand = operands_[std::min(found_operands_.size(), operands_.size() - 1)];
  if (!operand.choices.empty() &&
      std::find(operand.choices.begin(), operand.choices.end(), word) == operand.choices.end())
    complain.choice(operand.name, word, operand.choices);
  found_operands_.push_back(word);
}

const Option& Args::option(std::string_view name) const {
  const Option* found = find(name);
  if (!found) throw std::logic_error(text_of("the option ", name, " is in no table"));
  return *found;
}

bool Args::given(std::string_view name) const { return values_.contains(option(name).name); }

std::string Args::text(std::string_view name) const {
  const Option& o = option(name);
  const auto found = values_.find(o.name);
  return found == values_.end() ? o.fallback : found->second.back();
}

int64_t Args::integer(std::string_view name) const {
  int64_t value = 0;
  if (!parse(text(name), value))
    throw std::logic_error(text_of("the option ", name, " has no whole number to fall back on"));
  return value;
}

double Args::number(std::string_view name) const {
  double value = 0;
  if (!parse(text(name), value))
    throw std::logic_error(text_of("the option ", name, " has no number to fall back on"));
  return value;
}

std::vector<std::string> Args::list(std::string_view name) const {
  const auto found = values_.find(option(name).name);
  return found == values_.end() ? std::vector<std::string>{} : found->second;
}

std::string Args::operand(std::string_view name) const {
  for (size_t i = 0; i < operands_.size(); ++i)
    if (operands_[i].name == name) return i < found_operands_.size() ? found_operands_[i] : "";
  throw std::logic_error(text_of("the operand ", name, " is in no table"));
}

std::vector<std::string> Args::operands(std::string_view name) const {
  for (size_t i = 0; i < operands_.size(); ++i)
    if (operands_[i].name == name && operands_[i].repeated)
      return {found_operands_.begin() + static_cast<ptrdiff_t>(std::min(i, found_operands_.size())),
              found_operands_.end()};
  throw std::logic_error(text_of("no operand ", name, " may be repeated"));
}

const std::vector<Option>& common_options() {
  static const std::vector<Option> table = {
      {.name = "help", .help = {"이 도움말", "this help"}, .kind = Kind::flag, .letter = 'h'},
      {.name = "lang",
       .help = {"언어: ko 또는 en", "language: ko or en"},
       .value = "LANG",
       .choices = {"ko", "en"}},
  };
  return table;
}

Lang language_of(const std::vector<std::string>& arguments) {
  Lang lang = language_from_environment();
  for (size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
    std::string_view code;
    if (arguments[i].starts_with("--lang=")) code = std::string_view(arguments[i]).substr(7);
    if (arguments[i] == "--lang" && i + 1 < arguments.size()) code = arguments[i + 1];
    if (code == "ko" || code == "en") lang = parse_lang(code);
  }
  return lang;
}

bool wants_help(const std::vector<std::string>& arguments) {
  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  return std::any_of(arguments.begin(), end,
                     [](const std::string& word) { return word == "-h" || word == "--help"; });
}

}  // namespace jogak::cli
