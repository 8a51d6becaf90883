#include "base/log.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/korean/message.h"
#include "base/log_quiet.h"
#include "base/utf8.h"

namespace jogak {
namespace {

std::atomic<Lang> language{Lang::en};
std::atomic<bool> is_set{false};
std::atomic<bool> errors_only{false};

std::string in_language(std::string_view text) {
  return language == Lang::ko ? in_korean(text) : std::string(text);
}

}  // namespace

void set_log_language(Lang lang) {
  language = lang;
  is_set = true;
}

Lang log_language() { return is_set ? language.load() : language_from_environment(); }

void detail::write_stderr(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(STDERR_FILENO, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;  // nobody can be told that stderr is gone
    text.remove_prefix(static_cast<size_t>(n));
  }
}

namespace {

// A character as a message shows it: what steers a terminal or is no character in digits.
std::string shown_character(std::string_view bytes, char32_t code) {
  constexpr char kDigits[] = "0123456789abcdef";
  if (code == '\n') return "\\n";
  if (code == '\t') return "\\t";
  if (code >= 0x20 && code != 0x7F && (code < 0x80 || code >= 0xA0)) return std::string(bytes);
  std::string out;
  for (const char c : bytes)
    out += {'\\', 'x', kDigits[static_cast<unsigned char>(c) >> 4], kDigits[c & 15]};
  return out;
}

struct Repeated {
  std::mutex mutex;
  std::vector<std::pair<const char*, int64_t>> kinds;  // and how many came after the first
};

Repeated& repeated() {
  static auto* const all = new Repeated;
  return *all;
}

}  // namespace

std::string detail::shown_on_one_line(std::string_view text) {
  constexpr size_t kMost = 1960;  // characters; with what is said of the rest below 2,000
  std::string out;
  size_t characters = 0;
  for (size_t at = 0; at < text.size();) {
    const utf8::Decoded one = utf8::decode(text, at);
    const auto size = static_cast<size_t>(std::max(one.size, 1));
    const std::string shown = shown_character(text.substr(at, size), one.size > 0 ? one.code : 0);
    characters += utf8::count(shown);
    if (characters > kMost) return out + text_of(" ... (", text.size(), " bytes in all)");
    out += shown;
    at += size;
  }
  return out;
}

bool detail::is_first(const char* kind) {
  const std::scoped_lock lock(repeated().mutex);
  for (auto& [known, more] : repeated().kinds)
    if (std::string_view(known) == kind) return ++more, false;
  repeated().kinds.emplace_back(kind, 0);
  return true;
}

void tell_repeated() {
  const std::scoped_lock lock(repeated().mutex);
  for (const auto& [kind, more] : repeated().kinds)
    if (more > 0)
      log_warning("the same ", more, more == 1 ? " more time: " : " more times: ", kind);
  repeated().kinds.clear();
}

void say_errors_only() { errors_only = true; }

void detail::write_note(std::string_view text) {
  if (!errors_only) write_log_line("", in_language(text));
}

void detail::write_warning(std::string_view text) {
  if (errors_only) return;
  write_log_line(language == Lang::ko ? "jogak: 경고: " : "jogak: warning: ", in_language(text));
}

void detail::write_log_line(std::string_view prefix, std::string_view text) {
  std::string line = isatty(STDERR_FILENO) == 1 ? "\r\x1b[K" : "";
  line += prefix;
  // A file name may hold line ends or terminal commands; in a message they are only shown.
  write_stderr(line + shown_on_one_line(text) + '\n');
}

}  // namespace jogak
