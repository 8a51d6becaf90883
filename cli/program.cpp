#include "cli/program.h"

#include "base/terminal.h"

namespace jogak::cli {
namespace {

std::string& kept() {
  static std::string name = "jogak";
  return name;
}

constexpr std::string_view kName = "jogak ";

// Where a command may begin: at the start of the line and behind a pipe or a semicolon.
bool begins_command(std::string_view before) {
  while (before.ends_with(' ')) before.remove_suffix(1);
  return before.empty() || before.ends_with('|') || before.ends_with(';') ||
         before.ends_with("&&") || before.ends_with('(');
}

}  // namespace

void keep_program(const char* called) {
  if (called && std::string_view(called).find('/') != std::string_view::npos)
    kept() = shell_quoted(called);
}

const std::string& program() { return kept(); }

std::string as_called(std::string_view line) {
  std::string out;
  for (size_t at = 0; at < line.size();) {
    if (line.substr(at).starts_with(kName) && begins_command(line.substr(0, at))) {
      out += program() + " ";
      at += kName.size();
    } else {
      out += line[at++];
    }
  }
  return out;
}

}  // namespace jogak::cli
