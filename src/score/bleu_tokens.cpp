#include "score/bleu_tokens.h"

#include "base/error.h"
#include "base/terminal.h"
#include "base/utf8.h"

namespace jogak {
namespace {

bool is_space(char32_t c) {
  return c == ' ' || (c >= 9 && c <= 13) || (c >= 0x1C && c <= 0x1F) || c == 0x85 || c == 0xA0 ||
         c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
         c == 0x205F || c == 0x3000;
}

// Calls use(code, begin, end) for every character; a broken byte is U+FFFD.
template <class Use>
void each_character(std::string_view text, Use use) {
  for (size_t at = 0; at < text.size();) {
    const utf8::Decoded next = utf8::decode(text, at);
    const size_t end = at + static_cast<size_t>(next.size > 0 ? next.size : 1);
    use(next.size > 0 ? next.code : utf8::kReplacement, at, end);
    at = end;
  }
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  std::string out;
  size_t at = 0;
  for (size_t next = 0; (next = text.find(from, at)) != text.npos; at = next + from.size()) {
    out.append(text, at, next - at);
    out += to;
  }
  if (at > 0) text = out.append(text, at);
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_point(char c) { return c == '.' || c == ','; }

// Every sign of ASCII but ' , - and .
bool stands_alone(char c) {
  return (c >= ' ' && c <= '&') || (c >= '(' && c <= '+') || c == '/' || (c >= ':' && c <= '@') ||
         (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

std::string signs_apart(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (stands_alone(c))
      (((out += ' ') += c) += ' ');
    else
      out += c;
  }
  return out;
}

// Rewrites neighbours that match, from the left, each byte taken once: what a regular expression of
// two characters replaces. Bytes of one character beyond ASCII are never told apart by the tests.
template <class Matches, class Rewrite>
std::string pairs_rewritten(std::string_view text, Matches matches, Rewrite rewrite) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (i + 1 < text.size() && matches(text[i], text[i + 1])) {
      rewrite(out, text[i], text[i + 1]);
      ++i;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string_view trimmed(std::string_view line) {  // without white space at the end
  size_t size = 0;
  each_character(line, [&](char32_t code, size_t, size_t end) {
    if (!is_space(code)) size = end;
  });
  return line.substr(0, size);
}

std::string cut_13a(std::string_view line) {
  std::string text(line);
  replace_all(text, "<skipped>", "");
  replace_all(text, "-\n", "");
  replace_all(text, "\n", " ");
  replace_all(text, "&quot;", "\"");
  replace_all(text, "&amp;", "&");  // before the next two: "&amp;lt;" becomes "<"
  replace_all(text, "&lt;", "<");
  replace_all(text, "&gt;", ">");
  text = signs_apart(" " + text + " ");
  text = pairs_rewritten(
      text, [](char a, char b) { return !is_digit(a) && is_point(b); },
      [](std::string& out, char a, char b) { ((((out += a) += ' ') += b) += ' '); });
  text = pairs_rewritten(
      text, [](char a, char b) { return is_point(a) && !is_digit(b); },
      [](std::string& out, char a, char b) { ((((out += ' ') += a) += ' ') += b); });
  return pairs_rewritten(
      text, [](char a, char b) { return is_digit(a) && b == '-'; },
      [](std::string& out, char a, char b) { ((((out += a) += ' ') += b) += ' '); });
}

}  // namespace

BleuTokens parse_bleu_tokens(std::string_view name) {
  for (const BleuTokens one : {BleuTokens::t13a, BleuTokens::characters, BleuTokens::none})
    if (name == name_of(one)) return one;
  fail<UsageError>("found the tokenizer ", quoted(name), " for BLEU, wanted 13a, char or none");
}

const char* name_of(BleuTokens tokens) {
  switch (tokens) {
    case BleuTokens::t13a: return "13a";
    case BleuTokens::characters: return "char";
    case BleuTokens::none: return "none";
  }
  return "";
}

std::vector<uint32_t> visible_characters(std::string_view text) {
  std::vector<uint32_t> out;
  size_t count = 0;  // first: growing would take as much again
  const auto each = [&](const auto& use) {
    each_character(text, [&](char32_t code, size_t, size_t) {
      if (!is_space(code)) use(code);
    });
  };
  each([&](char32_t) { ++count; });
  out.reserve(count);
  each([&](char32_t code) { out.push_back(code); });
  return out;
}

void each_bleu_token(std::string_view line, BleuTokens tokens,
                     const std::function<void(std::string_view)>& use) {
  const std::string cut = tokens == BleuTokens::t13a ? cut_13a(trimmed(line)) : std::string();
  const std::string_view text = tokens == BleuTokens::t13a ? std::string_view(cut) : line;
  std::string character;
  size_t begin = 0;
  each_character(text, [&](char32_t code, size_t at, size_t end) {
    const bool space = is_space(code);
    if (tokens == BleuTokens::characters) {
      character.clear();
      utf8::append(character, code);
      if (!space) use(character);
    } else if (space) {
      if (at > begin) use(text.substr(begin, at - begin));
      begin = end;
    }
  });
  if (tokens != BleuTokens::characters && begin < text.size()) use(text.substr(begin));
}

std::vector<std::string> bleu_tokens(std::string_view line, BleuTokens tokens) {
  std::vector<std::string> out;
  each_bleu_token(line, tokens, [&](std::string_view token) { out.emplace_back(token); });
  return out;
}

}  // namespace jogak
