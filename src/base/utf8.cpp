#include "base/utf8.h"

#include <cstring>

namespace jogak::utf8 {
namespace {

constexpr bool continues(unsigned char byte) { return (byte & 0xC0) == 0x80; }

// What the first byte promises: total length, and the range its second byte must lie in.
struct Lead {
  int size;
  unsigned char low, high;
};

constexpr Lead lead(unsigned char b) {
  if (b < 0x80) return {1, 0, 0};
  if (b < 0xC2) return {0, 0, 0};
  if (b < 0xE0) return {2, 0x80, 0xBF};
  if (b == 0xE0) return {3, 0xA0, 0xBF};
  if (b == 0xED) return {3, 0x80, 0x9F};  // no surrogates
  if (b < 0xF0) return {3, 0x80, 0xBF};
  if (b == 0xF0) return {4, 0x90, 0xBF};
  if (b < 0xF4) return {4, 0x80, 0xBF};
  if (b == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

// How many bytes at `at` are a valid beginning of a character (the whole of it when complete).
int valid_part(std::string_view text, size_t at, Lead first) {
  if (first.size == 0) return 0;
  int got = 1;
  while (got < first.size && at + got < text.size()) {
    const auto byte = static_cast<unsigned char>(text[at + got]);
    const bool fits = got == 1 ? byte >= first.low && byte <= first.high : continues(byte);
    if (!fits) break;
    ++got;
  }
  return got;
}

}  // namespace

Decoded decode(std::string_view text, size_t at) {
  if (at >= text.size()) return {};
  const auto byte = static_cast<unsigned char>(text[at]);
  const Lead first = lead(byte);
  if (first.size == 1) return {byte, 1};
  if (first.size == 0 || valid_part(text, at, first) < first.size) return {};
  char32_t code = byte & (0xFF >> (first.size + 1));
  for (int i = 1; i < first.size; ++i)
    code = (code << 6) | (static_cast<unsigned char>(text[at + i]) & 0x3F);
  return {code, first.size};
}

void append(std::string& out, char32_t code) {
  if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) code = kReplacement;
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (code >> 18));
    out += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

size_t first_invalid(std::string_view text) {
  const auto byte = [&](size_t at) { return static_cast<unsigned char>(text[at]); };
  size_t at = 0;
  while (at < text.size()) {
    for (uint64_t word = 0; at + 8 <= text.size(); at += 8) {
      std::memcpy(&word, text.data() + at, 8);
      if (word & 0x8080808080808080u) break;
    }
    if (at == text.size()) break;
    const unsigned char first = byte(at);
    const size_t left = text.size() - at;
    if (first < 0x80) {
      ++at;
    } else if (first >= 0xC2 && first < 0xE0 && left > 1 && continues(byte(at + 1))) {
      at += 2;
    } else if (first > 0xE0 && first < 0xF0 && first != 0xED && left > 2 &&
               continues(byte(at + 1)) && continues(byte(at + 2))) {
      at += 3;
    } else {  // the rare ones, where more has to be looked at
      const Decoded next = decode(text, at);
      if (next.size == 0) return at;
      at += static_cast<size_t>(next.size);
    }
  }
  return std::string_view::npos;
}

size_t count(std::string_view valid_text) {
  size_t n = 0;
  for (const char c : valid_text) n += !continues(static_cast<unsigned char>(c));
  return n;
}

size_t whole_prefix(std::string_view text) {
  const size_t reach = text.size() < 3 ? text.size() : 3;
  for (size_t back = 1; back <= reach; ++back) {
    const size_t at = text.size() - back;
    const auto byte = static_cast<unsigned char>(text[at]);
    if (continues(byte)) continue;
    const Lead first = lead(byte);
    const bool open = first.size > static_cast<int>(back) &&
                      valid_part(text, at, first) == static_cast<int>(back);
    return open ? at : text.size();
  }
  return text.size();
}

std::string lossy(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  for (size_t at = 0; at < bytes.size();) {
    const Decoded next = decode(bytes, at);
    if (next.size > 0) {
      out.append(bytes.substr(at, next.size));
      at += next.size;
      continue;
    }
    append(out, kReplacement);
    const int part = valid_part(bytes, at, lead(static_cast<unsigned char>(bytes[at])));
    at += part > 0 ? part : 1;
  }
  return out;
}

}  // namespace jogak::utf8
