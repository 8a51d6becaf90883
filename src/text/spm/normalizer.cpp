#include "text/spm/normalizer.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/utf8.h"
#include "text/unicode/unicode.h"

namespace jogak::text {
namespace {

// The new text and, byte by byte, where in the old text it begins.
struct TracedText {
  std::string text{};
  std::vector<Span> origins{};
  void add(std::string_view more, size_t at) {
    text += more;
    origins.resize(text.size(), {at, at});
  }
  void copy(std::string_view same, size_t at) {
    text += same;
    for (size_t i = 0, start = at; i < same.size(); ++i) {
      if (!continues(same[i])) start = at + i;
      origins.push_back({start, start});
    }
  }
  size_t cut(size_t size) {  // to the first `size` bytes; gives where the next one began
    const size_t at = origins[size].from;
    text.erase(size);
    origins.resize(size);
    return at;
  }
};

struct PlainText {
  std::string text{};
  void add(std::string_view more, size_t) { text += more; }
  void copy(std::string_view same, size_t) { text += same; }
  size_t cut(size_t size) {
    text.erase(size);
    return 0;
  }
};

}  // namespace

SpmNormalizer::SpmNormalizer(SpmNormalizing how, PieceTrie kept)
    : how_(std::move(how)), kept_(std::move(kept)) {
  for (size_t byte = 0; byte < 256; ++byte)
    plain_[byte] = byte != ' ' &&
                   kept_.step(PieceTrie::kRoot, static_cast<unsigned char>(byte)) == kNone &&
                   !(how_.charsmap && how_.charsmap->starts_with(static_cast<uint8_t>(byte)));
}

// Bytes of the characters in front that stay as they are.
size_t SpmNormalizer::plain_size(std::string_view text) const {
  size_t at = 0;
  while (at < text.size() && plain_[static_cast<unsigned char>(text[at])])
    at += static_cast<size_t>(code_at(text.data() + at).size);
  return at;
}

// What the start of the text becomes, and how much of it that takes.
Charsmap::Rule SpmNormalizer::start_of(std::string_view text) const {
  if (const auto match = kept_.longest(text); match.size > 0)
    return {match.size, text.substr(0, match.size)};
  if (how_.charsmap)
    if (const Charsmap::Rule rule = how_.charsmap->longest(text); rule.size > 0) return rule;
  const size_t size = code_at(text.data()).size;
  return {size, text.substr(0, size)};
}

// Gives how much of the text has been used up: what the end of the new text stands for.
template <class Out>
size_t SpmNormalizer::run(std::string_view text, Out& out) const {
  const bool squeeze = how_.remove_extra_whitespaces;
  const std::string_view space = how_.escape_whitespaces ? kSpmSpace : " ";
  size_t at = 0;
  while (squeeze && at < text.size()) {  // spaces in front
    const Charsmap::Rule next = start_of(text.substr(at));
    if (next.text != " ") break;
    at += next.size;
  }
  if (at == text.size()) return at;
  const bool suffix = how_.treat_whitespace_as_suffix;
  if (how_.add_dummy_prefix && !suffix) out.add(space, at);
  bool after_space = squeeze;
  while (at < text.size()) {
    if (const size_t plain = plain_size(text.substr(at)); plain > 0) {
      out.copy(text.substr(at, plain), at);
      after_space = false;
      at += plain;
      continue;
    }
    const Charsmap::Rule next = start_of(text.substr(at));
    std::string_view part = next.text;
    while (after_space && part.starts_with(' ')) part.remove_prefix(1);
    if (!part.empty()) {
      after_space = squeeze && part.ends_with(' ');
      for (size_t i = 0; i < part.size();) {
        const size_t end = std::min(part.find(' ', i), part.size());
        if (end > i) out.add(part.substr(i, end - i), at);
        if (end < part.size()) out.add(space, at);
        i = end + 1;
      }
    }
    at += next.size;
  }
  while (squeeze && out.text.ends_with(space)) at = out.cut(out.text.size() - space.size());
  if (how_.add_dummy_prefix && suffix) out.add(space, at);
  return at;
}

AlignedText SpmNormalizer::apply(AlignedText in) const {
  const std::string_view text = in.text();
  if (text.empty()) return in;
  if (!in.tracks()) return {in, apply(text), {}};
  TracedText out;
  out.text.reserve(text.size() + text.size() / 2);
  out.origins.reserve(text.size() + text.size() / 2);
  const size_t used = run(text, out);
  // A byte reaches to where the next one begins, so what was left out in between belongs to it.
  const auto place = [&](size_t at) {
    return at < text.size() ? in.origin(at, at + 1).from : in.origin(at - 1, at).to;
  };
  size_t end = place(used);
  for (size_t i = out.origins.size(); i-- > 0;)
    out.origins[i] = {place(out.origins[i].from), std::exchange(end, place(out.origins[i].from))};
  return {in, std::move(out.text), std::move(out.origins)};
}

std::string SpmNormalizer::apply(std::string_view text) const {
  PlainText out;
  run(text, out);
  return std::move(out.text);
}

PieceTrie user_defined(const SpmFile& spm) {
  std::vector<PieceTrie::Entry> entries;
  for (uint32_t id = 0; id < spm.pieces.size(); ++id)
    if (spm.pieces[id].kind == SpmKind::user_defined) entries.push_back({spm.pieces[id].text, id});
  return PieceTrie(std::move(entries));
}

// Every character beyond ASCII that becomes a space, as the class of a regular expression. The
// reference drops the marks behind one: it looks a cluster of less than six bytes up as a whole and
// takes the rule of its start for all of it.
std::string SpmNormalizer::spaces() const {
  std::string out;
  for (char32_t code = 0x80; code < 0x10000; ++code) {
    if (code >= 0xD800 && code < 0xE000) continue;
    std::string text;
    utf8::append(text, code);
    const Charsmap::Rule rule = how_.charsmap->longest(text);
    if (rule.size == text.size() && rule.text == " ") out += text;
  }
  return out.empty() ? out : "[" + out + "]";
}

// In the words of a tokenizer.json. Pieces that users defined are not among them, and replacements
// go by grapheme clusters there.
Json SpmNormalizer::to_json() const {
  ensure<UsageError>(!how_.treat_whitespace_as_suffix,
                     "tokenizer.json: found a space behind every word, wanted it before: this "
                     ".model cannot be written as a tokenizer.json");
  const auto replace = [](Json pattern, std::string_view with) {
    return Json::object({{"type", "Replace"}, {"pattern", std::move(pattern)}, {"content", with}});
  };
  const auto regex = [](const char* text) { return Json::object({{"Regex", text}}); };
  Json steps = Json::array();
  // The reference looks for rules within five bytes; a Korean syllable taken apart has six or more.
  const std::string apart = "\u1112\u1161\u11ab", whole_syllable = "\ud55c";
  if (how_.charsmap && apply(std::string_view(apart)).find(whole_syllable) != std::string::npos)
    steps.push(Json::object({{"type", "NFC"}}));
  if (const std::string blanks = how_.charsmap ? spaces() : ""; !blanks.empty())
    steps.push(replace(regex(blanks.c_str()), " "));
  if (how_.charsmap)
    steps.push(Json::object(
        {{"type", "Precompiled"}, {"precompiled_charsmap", how_.charsmap->to_base64()}}));
  if (how_.remove_extra_whitespaces) {
    steps.push(replace(regex("^ +| +$"), ""));
    steps.push(replace(regex(" {2,}"), " "));
  }
  if (how_.add_dummy_prefix)
    steps.push(Json::object(
        {{"type", "Prepend"}, {"prepend", how_.escape_whitespaces ? kSpmSpace : " "}}));
  if (how_.escape_whitespaces) steps.push(replace(Json::object({{"String", " "}}), kSpmSpace));
  return Json::object({{"type", "Sequence"}, {"normalizers", std::move(steps)}});
}

}  // namespace jogak::text
