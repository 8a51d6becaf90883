// The manual page, from the same tables that read the command line.
#include "base/version.h"
#include "cli/complain.h"
#include "cli/completion.h"

namespace jogak::cli {
namespace {

// Text as roff takes it: backslashes and hyphens kept, no line begins with a request.
std::string roff(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool at_start = i == 0 || text[i - 1] == '\n';
    if (at_start && (text[i] == '.' || text[i] == '\'')) out += "\\&";
    if (text[i] == '\\')
      out += "\\e";
    else if (text[i] == '-')
      out += "\\-";
    else
      out += text[i];
  }
  return out;
}

std::string section(Words title, Lang lang) { return ".SH \"" + std::string(title(lang)) + "\"\n"; }

std::string option_entry(const Option& o, Lang lang) {
  std::string out = ".TP\n.B ";
  if (o.letter) out += std::string("\\-") + o.letter + ", ";
  out += roff("--" + o.name);
  if (o.kind != Kind::flag) out += " \\fI" + roff(o.value.empty() ? "VALUE" : o.value) + "\\fR";
  out += "\n" + roff(o.help(lang));
  if (!o.choices.empty() && o.name != "lang") out += roff(": " + joined(o.choices, lang));
  if (!o.fallback.empty())
    out += roff((lang == Lang::ko ? " (기본 " : " (default ") + o.fallback + ")");
  return out + "\n";
}

std::string command_entry(const NamedCommand& one, Lang lang) {
  std::string out = ".SS \"jogak " + one.words + "\"\n" + roff(one.command->summary(lang)) + "\n";
  for (const Operand& operand : one.command->operands)
    out += ".TP\n.I " + roff(operand.name) + "\n" + roff(operand.help(lang)) + "\n";
  for (const Option& o : one.command->options) out += option_entry(o, lang);
  for (const Example& example : one.command->examples)
    out += ".PP\n" + roff(example.meaning(lang)) + ":\n.RS\n.nf\n" + roff(example.line) +
           "\n.fi\n.RE\n";
  return out;
}

struct Meaning {
  const char* name;
  Words words;
};
constexpr Meaning kExits[] = {
    {"0", {"끝까지 했음", "done"}},
    {"1", {"하지 못했음", "failed"}},
    {"2", {"잘못된 사용", "wrong usage"}},
    {"65", {"잘못된 입력", "malformed input"}},
    {"66", {"입력이 없음", "input missing"}},
    {"70", {"jogak의 결함", "a bug in jogak"}},
    {"74", {"입출력 오류(가득 찬 디스크 등)", "I/O, such as a full disk"}},
    {"75", {"SIGTERM에 저장하고 멈춘 학습", "training stopped by SIGTERM after saving"}},
    {"130", {"Ctrl-C에 저장하고 멈춤", "stopped by Ctrl-C after saving"}},
};
constexpr Meaning kEnvironment[] = {
    {"JOGAK_DATA",
     {"레시피가 말하는 데이터를 찾을 디렉터리", "where data that a recipe names is looked for"}},
    {"OMP_NUM_THREADS", {"CPU 스레드 수", "CPU threads"}},
    {"NO_COLOR", {"비어 있지 않으면 색을 쓰지 않음", "set to something: no colour"}},
    {"LANG", {"ko_KR이면 한국어", "ko_KR: Korean"}},
};

template <size_t N>
std::string entries(const Meaning (&all)[N], Lang lang) {
  std::string out;
  for (const Meaning& one : all)
    out += std::string(".TP\n.B ") + one.name + "\n" + roff(one.words(lang)) + "\n";
  return out;
}

}  // namespace

std::string manual_page(Lang lang) {
  constexpr Words kWhat{"트랜스포머를 배우고, 만들고, 쓰는 하나의 프로그램",
                        "one program to learn, make and use Transformers"};
  std::string out = std::string(".TH JOGAK 1 \"\" \"jogak ") + kVersion + "\"\n";
  out += section({"이름", "NAME"}, lang) + "jogak \\- " + roff(kWhat(lang)) + "\n";
  out += section({"사용법", "SYNOPSIS"}, lang) + ".B jogak\n.I COMMAND\n[\\fIoptions\\fR]\n";
  out += section({"명령", "COMMANDS"}, lang);
  for (const NamedCommand& one : runnable_commands()) out += command_entry(one, lang);
  out += section({"모든 명령의 옵션", "OPTIONS OF EVERY COMMAND"}, lang);
  for (const Option& o : common_options()) out += option_entry(o, lang);
  out += section({"종료 코드", "EXIT STATUS"}, lang) + entries(kExits, lang);
  out += section({"환경 변수", "ENVIRONMENT"}, lang) + entries(kEnvironment, lang);
  return out;
}

}  // namespace jogak::cli
