// What a shell offers after TAB, from the same tables that read the command line.
#include "cli/completion.h"

namespace jogak::cli {
namespace {

void add_runnable(const std::string& before, const std::vector<Command>& among,
                  std::vector<NamedCommand>& out) {
  for (const Command& command : among) {
    if (command.run) out.push_back({before + command.name, &command});
    add_runnable(before + command.name + " ", command.parts, out);
  }
}

std::string spaced(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

// Words that may stand where an operand is wanted.
std::vector<std::string> operand_words(const Command& command) {
  std::vector<std::string> out;
  for (const Operand& operand : command.operands)
    out.insert(out.end(), operand.choices.begin(), operand.choices.end());
  for (const Command& part : command.parts) out.push_back(part.name);
  return out;
}

std::string bash_case(const NamedCommand& one) {
  std::vector<std::string> names;
  std::string values;
  for (const Option* o : options_of(*one.command)) {
    names.push_back("--" + o->name);
    if (!o->choices.empty())
      values += "        --" + o->name + ") words=\"" + spaced(o->choices) + "\" ;;\n";
  }
  std::string out = "    \"" + one.words + "\")\n      options=\"" + spaced(names) + "\"\n";
  const std::vector<std::string> operands = operand_words(*one.command);
  if (!operands.empty()) out += "      words=\"" + spaced(operands) + "\"\n";
  if (!values.empty()) out += "      case \"$before\" in\n" + values + "      esac\n";
  return out + "      ;;\n";
}

std::string zsh_escaped(std::string_view text, std::string_view special) {
  std::string out;
  for (const char c : text) {
    if (c == '\'')
      out += "'\\''";
    else
      out += special.find(c) == std::string_view::npos ? std::string(1, c) : std::string("\\") + c;
  }
  return out;
}

std::string zsh_option(const Option& o, Lang lang) {
  std::string out = o.times == Times::once ? "'--" : "'*--";
  out += o.name + "[" + zsh_escaped(o.help(lang), "[]\\:") + "]";
  if (o.kind == Kind::flag) return out + "'";
  out += ":" + zsh_escaped(o.value.empty() ? "VALUE" : o.value, "\\:");
  return out + (o.choices.empty() ? ":_files'" : ":(" + spaced(o.choices) + ")'");
}

std::string zsh_case(const NamedCommand& one, Lang lang) {
  std::string out = "    '" + one.words + "')\n      _arguments";
  for (const Option* o : options_of(*one.command)) out += " \\\n        " + zsh_option(*o, lang);
  const std::vector<std::string> words = operand_words(*one.command);
  out += words.empty() ? " \\\n        '*:file:_files'"
                       : " \\\n        '*:word:{compadd -- " + spaced(words) + "; _files}'";
  return out + "\n      ;;\n";
}

}  // namespace

std::vector<NamedCommand> runnable_commands() {
  std::vector<NamedCommand> out;
  add_runnable("", commands(), out);
  return out;
}

std::vector<const Option*> options_of(const Command& command) {
  std::vector<const Option*> out;
  for (const Option& o : command.options) out.push_back(&o);
  for (const Option& o : common_options()) out.push_back(&o);
  return out;
}

std::string bash_completion(Lang) {
  std::string out =
      "# bash completion of jogak\n"
      "_jogak() {\n"
      "  local current=\"${COMP_WORDS[COMP_CWORD]}\" before=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
      "  local command=\"${COMP_WORDS[1]}\" options=\"\" words=\"\"\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W \"";
  std::vector<std::string> names = {"--help", "--version", "--lang"};
  std::string with_parts;
  for (const Command& command : commands()) {
    names.push_back(command.name);
    if (!command.parts.empty()) with_parts += (with_parts.empty() ? "" : "|") + command.name;
  }
  out += spaced(names) + "\" -- \"$current\"))\n    return\n  fi\n";
  out += "  case \"$command\" in\n    " + with_parts +
         ")\n      [ \"$COMP_CWORD\" -gt 2 ] && command=\"$command ${COMP_WORDS[2]}\" ;;\n  esac\n";
  out += "  case \"$command\" in\n";
  for (const Command& command : commands())
    if (!command.parts.empty())
      out += "    \"" + command.name + "\") words=\"" + spaced(operand_words(command)) + "\" ;;\n";
  for (const NamedCommand& one : runnable_commands()) out += bash_case(one);
  return out +
         "  esac\n"
         "  if [[ \"$current\" == -* ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$options\" -- \"$current\"))\n"
         "  else\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\") $(compgen -f -- \"$current\"))\n"
         "  fi\n"
         "}\n"
         "complete -o filenames -F _jogak jogak\n";
}

std::string zsh_completion(Lang lang) {
  std::string out =
      "#compdef jogak\n\n_jogak() {\n  if (( CURRENT == 2 )); then\n"
      "    local -a all=(\n";
  std::string with_parts;
  for (const Command& command : commands()) {
    out += "      '" + command.name + ":" + zsh_escaped(command.summary(lang), "\\:") + "'\n";
    if (!command.parts.empty()) with_parts += (with_parts.empty() ? "" : "|") + command.name;
  }
  out +=
      "    )\n    _describe 'command' all\n    return\n  fi\n"
      "  local command=$words[2]\n  case $command in\n    " +
      with_parts + ")\n      if (( CURRENT == 3 )); then\n        case $command in\n";
  for (const Command& command : commands())
    if (!command.parts.empty())
      out +=
          "          " + command.name + ") compadd -- " + spaced(operand_words(command)) + " ;;\n";
  out +=
      "        esac\n        return\n      fi\n      command=\"$command $words[3]\" ;;\n  esac\n"
      "  case $command in\n";
  for (const NamedCommand& one : runnable_commands()) out += zsh_case(one, lang);
  return out + "  esac\n}\n\n_jogak \"$@\"\n";
}

}  // namespace jogak::cli
