#include "text/stages/normalizer_steps.h"

#include <utility>

#include "text/stages/byte_level.h"
#include "text/unicode/case.h"
#include "text/unicode/normal.h"
#include "text/unicode/unicode.h"

namespace jogak::text {
namespace {

constexpr char32_t kDrop = 0xFFFFFFFF;

// Every character becomes what `map` says, or goes away with kDrop.
template <class Map>
AlignedText mapped(AlignedText in, Map&& map) {
  const std::string_view text = in.text();
  const auto next_change = [&](size_t at) {
    while (at < text.size()) {
      const Code next = code_at(text.data() + at);
      if (map(next.value) != next.value) break;
      at += next.size;
    }
    return at;
  };
  size_t at = next_change(0), done = 0;
  if (at == text.size()) return in;
  Rewriter out(whole(in));
  while (at < text.size()) {
    out.keep(done, at);
    const Code next = code_at(text.data() + at);
    const char32_t code = map(next.value);
    if (code != kDrop) out.put(code, at);
    done = at + next.size;
    at = next_change(done);
  }
  out.keep(done, text.size());
  return out.done();
}

bool within(char32_t code, char32_t low, char32_t high) { return code >= low && code <= high; }

bool is_chinese(char32_t c) {
  return within(c, 0x4E00, 0x9FFF) || within(c, 0x3400, 0x4DBF) || within(c, 0x20000, 0x2A6DF) ||
         within(c, 0x2A700, 0x2B81F) || within(c, 0x2B920, 0x2CEAF) || within(c, 0xF900, 0xFAFF) ||
         within(c, 0x2F800, 0x2FA1F);
}

AlignedText cleaned(AlignedText in) {
  const ClassTable& classes = class_table();
  return mapped(std::move(in), [&](char32_t c) -> char32_t {
    if (c == '\t' || c == '\n' || c == '\r') return ' ';
    if (c == 0 || c == 0xFFFD || classes[c] & kHidden) return kDrop;
    return classes[c] & kSpace ? U' ' : c;
  });
}

AlignedText spaced_chinese(AlignedText in) {
  const std::string_view text = in.text();
  const auto next_chinese = [&](size_t at) {
    while (at < text.size()) {
      const Code next = code_at(text.data() + at);
      if (is_chinese(next.value)) break;
      at += next.size;
    }
    return at;
  };
  size_t at = next_chinese(0), done = 0;
  if (at == text.size()) return in;
  Rewriter out(whole(in));
  while (at < text.size()) {
    out.keep(done, at);
    done = at + size_from_first(text[at]);
    out.put(" ", at);
    out.keep(at, done);
    out.put(" ", at);
    at = next_chinese(done);
  }
  out.keep(done, text.size());
  return out.done();
}

}  // namespace

AlignedText stripped(AlignedText in, bool left, bool right) {
  const std::string_view text = in.text();
  const size_t from = left ? leading_space(text) : 0;
  const size_t to = right && from < text.size() ? text.size() - trailing_space(text) : text.size();
  if (from == 0 && to == text.size()) return in;
  Rewriter out(whole(in));
  out.keep(from, to);
  return out.done();
}

AlignedText without_marks(AlignedText in) {
  return mapped(std::move(in), [](char32_t c) { return is_mark(c) ? kDrop : c; });
}

AlignedText nmt(AlignedText in) {
  return mapped(std::move(in), [](char32_t c) -> char32_t {
    if (within(c, 0x01, 0x08) || c == 0x0B || within(c, 0x0E, 0x1F) || c == 0x7F || c == 0x8F ||
        c == 0x9F)
      return kDrop;
    const bool space = c == 0x09 || c == 0x0A || c == 0x0C || c == 0x0D || c == 0x1680 ||
                       within(c, 0x200B, 0x200F) || c == 0x2028 || c == 0x2029 || c == 0x2581 ||
                       c == 0xFEFF || c == 0xFFFD;
    return space ? U' ' : c;
  });
}

AlignedText in_byte_characters(AlignedText in) {
  if (in.text().empty()) return in;
  return spelled_out(whole(in));
}

AlignedText bert_normalized(AlignedText in, const BertOptions& options) {
  if (options.clean_text) in = cleaned(std::move(in));
  if (options.spaced_chinese) in = spaced_chinese(std::move(in));
  if (options.strip_accents) {
    const ClassTable& classes = class_table();
    in = mapped(normalized(std::move(in), NormalForm::nfd),
                [&](char32_t c) { return classes[c] & kNonspacing ? kDrop : c; });
  }
  if (options.lowercase) in = lowercased(std::move(in));
  return in;
}

}  // namespace jogak::text
