#include "text/regex/class.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "text/unicode/tables.h"

namespace jogak::text::regex {
namespace {

using tables::each_run;

template <class Wanted>
CodeSet from_runs(std::string_view table, Wanted&& wanted) {
  CodeSet out;
  each_run(table, [&](char32_t from, char32_t to, uint32_t label) {
    if (wanted(label)) out.add(from, to - 1);
  });
  return out;
}

// "L": all whose name starts so. Several names are separated by spaces.
CodeSet category(std::string_view names) {
  return from_runs(tables::kCategories, [&](uint32_t label) {
    for (size_t at = 0; at < names.size();) {
      const size_t end = std::min(names.find(' ', at), names.size());
      if (tables::kCategoryNames[label].starts_with(names.substr(at, end - at))) return true;
      at = end + 1;
    }
    return false;
  });
}

CodeSet flagged(tables::Property flag) {
  return from_runs(tables::kProperties, [&](uint32_t label) { return (label & flag) != 0; });
}

CodeSet joined(CodeSet a, const CodeSet& b) {
  a.add(b);
  return a;
}

CodeSet spaces() {
  CodeSet out = category("Z");
  out.add(0x09, 0x0D);
  out.add(0x85, 0x85);
  return out;
}

CodeSet visible() { return joined(spaces(), category("Cn Cc Cs")).inverted(); }

CodeSet hex_digits() {
  CodeSet out('0', '9');
  out.add('A', 'F');
  out.add('a', 'f');
  return out;
}

std::string plain(std::string_view name) {
  std::string out;
  for (const char c : name)
    if (c != ' ' && c != '-' && c != '_')
      out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

constexpr std::pair<std::string_view, std::string_view> kLongNames[] = {
    {"letter", "L"},
    {"casedletter", "Ll Lt Lu"},
    {"lc", "Ll Lt Lu"},
    {"uppercaseletter", "Lu"},
    {"lowercaseletter", "Ll"},
    {"titlecaseletter", "Lt"},
    {"modifierletter", "Lm"},
    {"otherletter", "Lo"},
    {"mark", "M"},
    {"combiningmark", "M"},
    {"nonspacingmark", "Mn"},
    {"spacingmark", "Mc"},
    {"enclosingmark", "Me"},
    {"number", "N"},
    {"decimalnumber", "Nd"},
    {"letternumber", "Nl"},
    {"othernumber", "No"},
    {"punctuation", "P"},
    {"punct", "P"},
    {"connectorpunctuation", "Pc"},
    {"dashpunctuation", "Pd"},
    {"openpunctuation", "Ps"},
    {"closepunctuation", "Pe"},
    {"initialpunctuation", "Pi"},
    {"finalpunctuation", "Pf"},
    {"otherpunctuation", "Po"},
    {"symbol", "S"},
    {"mathsymbol", "Sm"},
    {"currencysymbol", "Sc"},
    {"modifiersymbol", "Sk"},
    {"othersymbol", "So"},
    {"separator", "Z"},
    {"spaceseparator", "Zs"},
    {"lineseparator", "Zl"},
    {"paragraphseparator", "Zp"},
    {"other", "C"},
    {"control", "Cc"},
    {"cntrl", "Cc"},
    {"format", "Cf"},
    {"privateuse", "Co"},
    {"surrogate", "Cs"},
    {"unassigned", "Cn"},
    {"digit", "Nd"}};

CodeSet other_property(const std::string& name, bool& known) {
  known = true;
  if (name == "any") return CodeSet::all();
  if (name == "assigned") return category("Cn").inverted();
  if (name == "ascii") return {0, 0x7F};
  if (name == "alpha" || name == "alphabetic") return flagged(tables::kAlphabetic);
  if (name == "alnum") return joined(flagged(tables::kAlphabetic), category("Nd"));
  if (name == "lower" || name == "lowercase") return flagged(tables::kLowercaseProperty);
  if (name == "upper" || name == "uppercase") return flagged(tables::kUppercaseProperty);
  if (name == "word") return escape_class('w', true);
  if (name == "space" || name == "whitespace") return spaces();
  if (name == "blank") return joined(category("Zs"), {'\t', '\t'});
  if (name == "graph") return visible();
  if (name == "print") return joined(visible(), category("Zs"));
  if (name == "xdigit") return hex_digits();
  if (name == "emoji") return flagged(tables::kEmoji);
  if (name == "extendedpictographic") return flagged(tables::kExtendedPictographic);
  known = false;
  return {};
}

const std::map<char32_t, std::vector<char32_t>>& case_groups() {
  static const std::map<char32_t, std::vector<char32_t>> groups = [] {
    std::map<char32_t, std::vector<char32_t>> out;
    tables::Numbers numbers(tables::kCaseFolds);
    for (char32_t code = 0; numbers.more();) {
      code += numbers.next();
      std::vector<char32_t> group = {code};
      for (uint32_t left = numbers.next(); left > 0; --left) group.push_back(numbers.next());
      for (const char32_t member : group) out[member] = group;
    }
    return out;
  }();
  return groups;
}

char32_t folded(char32_t code) {
  const auto found = case_groups().find(code);
  return found == case_groups().end() ? code : found->second.front();
}

struct Folds {
  CodeSet characters;
  std::vector<std::pair<char32_t, char32_t>> starts;  // folded
};

const Folds& fold_strings() {
  static const Folds folds = [] {
    Folds out;
    tables::Numbers numbers(tables::kFoldStrings);
    for (char32_t code = 0; numbers.more();) {
      code += numbers.next();
      out.characters.add(code, code);
      uint32_t left = numbers.next() - 2;
      const char32_t first = folded(numbers.next());
      out.starts.emplace_back(first, folded(numbers.next()));
      for (; left > 0; --left) numbers.next();
    }
    return out;
  }();
  return folds;
}

}  // namespace

std::optional<CodeSet> property(std::string_view written) {
  const std::string name = plain(written);
  for (const std::string_view category_name : tables::kCategoryNames)
    if (name == plain(category_name)) return category(category_name);
  if (name.size() == 1 && std::string_view("clmnpsz").find(name[0]) != std::string_view::npos)
    return category(std::string(1, static_cast<char>(name[0] - 'a' + 'A')));
  for (const auto& [long_name, categories] : kLongNames)
    if (name == long_name) return category(categories);
  for (size_t i = 0; i < std::size(tables::kScriptNames); ++i)
    if (name == plain(tables::kScriptNames[i]))
      return from_runs(tables::kScripts, [&](uint32_t label) { return label == i + 1; });
  bool known = false;
  CodeSet out = other_property(name, known);
  return known ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<CodeSet> posix_class(std::string_view name) {
  constexpr std::string_view kNames[] = {"alnum", "alpha", "ascii",  "blank", "cntrl",
                                         "digit", "graph", "lower",  "print", "punct",
                                         "space", "upper", "xdigit", "word"};
  if (std::find(std::begin(kNames), std::end(kNames), name) == std::end(kNames)) return {};
  return name == "punct" ? category("P S") : property(name);
}

CodeSet escape_class(char letter, bool in_brackets) {
  switch (letter) {
    case 'd': return category("Nd");
    case 's': return spaces();
    case 'h': return hex_digits();
    default: break;
  }
  CodeSet word = joined(flagged(tables::kAlphabetic), category("M Nd Pc"));
  if (!in_brackets)
    for (const char32_t digit : {0xB2, 0xB3, 0xB9, 0xBC, 0xBD, 0xBE}) word.add(digit, digit);
  return word;
}

CodeSet with_other_case(const CodeSet& set) {
  CodeSet out = set;
  for (const auto& [code, group] : case_groups())
    if (set.contains(code))
      for (const char32_t member : group) out.add(member, member);
  return out;
}

bool folds_to_string(const CodeSet& set) { return !set.common(fold_strings().characters).empty(); }

bool starts_fold(char32_t first, char32_t second) {
  const auto& starts = fold_strings().starts;
  return std::find(starts.begin(), starts.end(), std::pair(folded(first), folded(second))) !=
         starts.end();
}

}  // namespace jogak::text::regex
