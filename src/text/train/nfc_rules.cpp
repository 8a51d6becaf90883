#include "text/train/nfc_rules.h"

#include <cstdint>
#include <set>
#include <sstream>
#include <vector>

#include "base/utf8.h"
#include "text/unicode/normal.h"
#include "text/unicode/unicode.h"

namespace jogak::text {
namespace {

std::string in_form(const std::string& text, NormalForm form) {
  return std::string(normalized(AlignedText(text, {0, text.size()}, false), form).text());
}

std::vector<std::string> characters_of(const std::string& text) {
  std::vector<std::string> out;
  for (size_t at = 0; at < text.size(); at += size_from_first(text[at]))
    out.push_back(text.substr(at, size_from_first(text[at])));
  return out;
}

void write_codes(std::ostringstream& out, const std::string& text) {
  const char* between = "";
  for (const std::string& one : characters_of(text)) {
    out << between << static_cast<uint32_t>(code_at(one.data()).value);
    between = " ";
  }
}

}  // namespace

std::string nfc_rules() {
  std::ostringstream out;
  out << std::hex << std::uppercase << "9\t20\nA\t20\nD\t20\n";
  std::set<std::string> seen;
  const auto rule = [&](const std::string& from, const std::string& to) {
    if (from == to || !seen.insert(from).second) return;
    write_codes(out, from);
    out << '\t';
    write_codes(out, to);
    out << '\n';
  };
  for (char32_t code = 0x80; code < 0x110000; ++code) {
    if (code >= 0xD800 && code < 0xE000) continue;
    std::string character;
    utf8::append(character, code);
    const std::string apart = in_form(character, NormalForm::nfd);
    if (apart == character) continue;
    const std::string wanted = in_form(character, NormalForm::nfc);
    rule(character, wanted);
    // All taken apart, then with ever more of its first characters composed.
    const std::vector<std::string> parts = characters_of(apart);
    std::string head;
    for (size_t i = 0; i < parts.size(); ++i) {
      head = i == 0 ? parts[0] : in_form(head + parts[i], NormalForm::nfc);
      std::string spelled = head;
      for (size_t j = i + 1; j < parts.size(); ++j) spelled += parts[j];
      rule(spelled, wanted);
    }
  }
  return out.str();
}

}  // namespace jogak::text
