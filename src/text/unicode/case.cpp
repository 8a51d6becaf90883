#include "text/unicode/case.h"

#include "text/unicode/code_table.h"
#include "text/unicode/tables.h"
#include "text/unicode/unicode.h"

namespace jogak::text {
namespace {

class LowercaseTable {
 public:
  static const LowercaseTable& get() {
    static const LowercaseTable table;
    return table;
  }

  char32_t first(char32_t code) const { return first_[code] != 0 ? first_[code] : code; }
  char32_t second(char32_t code) const { return second_[code]; }  // 0: there is none
  bool changes(char32_t code) const { return first_[code] != 0; }

 private:
  LowercaseTable() {
    tables::Numbers numbers(tables::kLowercase);
    for (char32_t code = 0; numbers.more();) {
      code += numbers.next();
      const uint32_t count = numbers.next();
      first_.at(code) = numbers.next();
      if (count > 1) second_.at(code) = numbers.next();
    }
  }
  CodeTable<char32_t> first_, second_;
};

size_t next_upper(std::string_view text, size_t at, const LowercaseTable& table) {
  while (at < text.size()) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte < 0x80) {
      if (byte >= 'A' && byte <= 'Z') break;
      ++at;
      continue;
    }
    const Code next = code_at(text.data() + at);
    if (table.changes(next.value)) break;
    at += next.size;
  }
  return at;
}

}  // namespace

AlignedText lowercased(AlignedText in) {
  const LowercaseTable& table = LowercaseTable::get();
  const std::string_view text = in.text();
  size_t at = next_upper(text, 0, table);
  if (at == text.size()) return in;
  Transformer out(whole(in));
  while (at < text.size()) {
    out.keep(at - out.at());
    const Code upper = code_at(text.data() + at);
    out.put(table.first(upper.value), 0);
    if (const char32_t second = table.second(upper.value)) out.put(second, 1);
    at = next_upper(text, at + upper.size, table);
  }
  out.keep(text.size() - out.at());
  return out.done();
}

}  // namespace jogak::text
