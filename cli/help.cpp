#include <algorithm>

#include "base/terminal.h"
#include "cli/command.h"
#include "cli/complain.h"
#include "cli/program.h"

namespace jogak::cli {
namespace {

struct Page {
  Lang lang;
  bool colour;
  size_t columns;
  std::string text = {};

  void heading(Words words) {
    if (!text.empty()) text += '\n';
    text += bold(std::string(words(lang))) + '\n';
  }
  std::string bold(const std::string& words) const {
    return colour ? "\x1b[1m" + words + "\x1b[0m" : words;
  }
  void entry(const std::string& left, std::string_view right, size_t width);
  void wrapped(std::string_view words, size_t indent, size_t at);
};

// Words from column `at` on; further lines begin at `indent`.
void Page::wrapped(std::string_view words, size_t indent, size_t at) {
  bool first = true;
  while (!words.empty()) {
    const size_t end = std::min(words.find(' '), words.size());
    const std::string_view word = words.substr(0, end);
    const size_t width = display_width(word);
    if (!first && at + 1 + width > columns) {
      text += '\n' + std::string(indent, ' ');
      at = indent;
    } else if (!first) {
      text += ' ';
      ++at;
    }
    text += word;
    at += width;
    first = false;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  text += '\n';
}

void Page::entry(const std::string& left, std::string_view right, size_t width) {
  const size_t indent = 2 + width + 2;
  text += "  " + left;
  const size_t used = 2 + display_width(left);
  if (used + 2 > indent)
    text += '\n' + std::string(indent, ' ');
  else
    text += std::string(indent - used, ' ');
  wrapped(right, indent, indent);
}

constexpr size_t kWidestLeft = 26;

size_t left_width(const std::vector<std::string>& left) {
  size_t width = 0;
  for (const std::string& one : left)
    if (display_width(one) <= kWidestLeft) width = std::max(width, display_width(one));
  return width;
}

std::string option_left(const Option& o) {
  std::string out = o.letter ? std::string("-") + o.letter + ", --" : "--";
  out += o.name;
  if (o.kind != Kind::flag) out += " " + (o.value.empty() ? "VALUE" : o.value);
  return out + (o.times == Times::list ? "…" : "");
}

std::string option_right(const Option& o, Lang lang) {
  std::string out(o.help(lang));
  if (!o.choices.empty() && o.name != "lang") out += ": " + joined(o.choices, lang);
  if (o.times != Times::once) out += lang == Lang::ko ? " (여러 번 가능)" : " (may be repeated)";
  if (!o.fallback.empty()) out += (lang == Lang::ko ? " (기본 " : " (default ") + o.fallback + ")";
  return out;
}

std::string usage(const std::string& words, const Command& command) {
  std::string out = program() + " " + words;
  for (const Operand& operand : command.operands)
    out += (operand.optional ? " [" : " ") + operand.name + (operand.repeated ? "…" : "") +
           (operand.optional ? "]" : "");
  if (!command.parts.empty()) {
    out += " ";
    for (const Command& part : command.parts)
      out += (&part == &command.parts[0] ? "" : "|") + part.name;
  }
  return out;
}

void show_options(Page& page, const Command& command) {
  std::vector<const Option*> all;
  for (const Option& o : command.options) all.push_back(&o);
  for (const Option& o : common_options()) all.push_back(&o);
  std::vector<std::string> left;
  for (const Option* o : all) left.push_back(option_left(*o));
  page.heading({"옵션", "Options"});
  for (size_t i = 0; i < all.size(); ++i)
    page.entry(left[i], option_right(*all[i], page.lang), left_width(left));
}

void show_operands(Page& page, const Command& command) {
  if (command.operands.empty()) return;
  std::vector<std::string> left;
  for (const Operand& operand : command.operands) left.push_back(operand.name);
  page.text += '\n';
  for (const Operand& operand : command.operands) {
    std::string right(operand.help(page.lang));
    if (!operand.choices.empty()) right += ": " + joined(operand.choices, page.lang);
    page.entry(operand.name, right, left_width(left));
  }
}

void show_examples(Page& page, const std::vector<Example>& examples) {
  for (const Example& example : examples) {
    page.text += "  " + as_called(example.line) + "\n      ";
    page.wrapped(example.meaning(page.lang), 6, 6);
  }
}

constexpr Words kGroups[] = {{"배우기", "Learn"},
                             {"들여다보기", "Look"},
                             {"만들기", "Make"},
                             {"쓰기", "Use"},
                             {"내보내기", "Ship"}};
constexpr Words kWhat = {"트랜스포머를 배우고, 만들고, 쓰는 하나의 프로그램",
                         "one program to learn, make and use Transformers"};

}  // namespace

std::string main_help(Lang lang, bool colour, int columns) {
  Page page{lang, colour, static_cast<size_t>(columns)};
  page.text = page.bold("jogak") + " (조각): " + std::string(kWhat(lang)) + "\n";
  std::vector<std::string> names;
  for (const Command& command : commands()) names.push_back(command.name);
  for (size_t g = 0; g < std::size(kGroups); ++g) {
    bool first = true;
    for (const Command& command : commands()) {
      if (static_cast<size_t>(command.group) != g) continue;
      if (first) page.heading(kGroups[g]);
      first = false;
      page.entry(command.name, command.summary(lang), left_width(names));
    }
  }
  page.text += lang == Lang::ko
                   ? "\n" + program() +
                         " 명령 --help: 그 명령의 옵션과 예시\n--version: 판 번호\n" +
                         "--lang ko|en: 언어\n"
                   : "\n" + program() + " COMMAND --help: its options, with examples\n" +
                         "--version: the version\n--lang ko|en: the language\n";
  return page.text;
}

std::string five_examples(Lang lang, bool colour, int columns) {
  static const std::vector<Example> examples = {
      {"jogak demo",
       {"작은 트랜스포머가 날짜 번역을 배우는 것을 1분 남짓 지켜봅니다",
        "watch a small Transformer learn to translate dates, in a minute or so"}},
      {"echo \"Friday, May 9th, 2031\" | jogak translate runs/quickstart",
       {"배운 모델이 날짜를 옮깁니다", "let it translate a date"}},
      {"jogak inspect attention runs/quickstart --text \"May 9th, 2031\" --kind cross --out "
       "cross.png",
       {"번역하며 어디를 보는지 그림으로", "where it looks while it translates, as a picture"}},
      {"jogak explain attention",
       {"어텐션을 수와 함께 한 단계씩", "attention, step by step, with numbers"}},
      {"jogak train recipes/sort-lines.toml --out runs/lines",
       {"작은 GPT를 처음부터 학습합니다", "train a small GPT from the start"}},
  };
  Page page{lang, colour, static_cast<size_t>(columns)};
  page.text = page.bold("jogak") + " (조각): " + std::string(kWhat(lang)) + "\n\n";
  show_examples(page, examples);
  page.text +=
      "\n" + program() + (lang == Lang::ko ? " --help: 모든 명령\n" : " --help: every command\n");
  return page.text;
}

std::string command_help(const std::string& words, const Command& command, Lang lang, bool colour,
                         int columns) {
  Page page{lang, colour, static_cast<size_t>(columns)};
  page.text = page.bold("jogak " + words) + ": ";
  page.wrapped(command.summary(lang), 2, 8 + words.size());
  page.text += "\n  " + usage(words, command) + (lang == Lang::ko ? " [옵션]\n" : " [options]\n");
  show_operands(page, command);
  if (!command.parts.empty()) {
    std::vector<std::string> names;
    for (const Command& part : command.parts) names.push_back(part.name);
    page.text += '\n';
    for (const Command& part : command.parts)
      page.entry(part.name, part.summary(lang), left_width(names));
  }
  if (command.run) show_options(page, command);
  if (command.more_help) page.text += "\n" + command.more_help(lang);
  if (!command.examples.empty()) {
    page.heading({"예시", "Examples"});
    show_examples(page, command.examples);
  }
  return page.text;
}

}  // namespace jogak::cli
