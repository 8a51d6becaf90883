// jogak: finds the command, runs it, and turns what went wrong into one line and an exit code.
#include <new>
#include <stdexcept>
#include <system_error>

#include "base/error.h"
#include "base/korean/message.h"
#include "base/log.h"
#include "base/shortage.h"
#include "base/stop.h"
#include "base/terminal.h"
#include "base/version.h"
#include "cli/command.h"
#include "cli/complain.h"
#include "cli/environment.h"
#include "cli/program.h"
#include "cli/signals.h"

namespace jogak::cli {
namespace {

enum Exit {
  kDone = 0,
  kFailed = 1,
  kUsage = 2,
  kMalformed = 65,
  kMissing = 66,
  kBug = 70,
  kIo = 74,
  kLater = 75
};

std::vector<std::string> names_of(const std::vector<Command>& all) {
  std::vector<std::string> out;
  for (const Command& command : all) out.push_back(command.name);
  return out;
}

const Command* find(const std::vector<Command>& all, const std::string& name) {
  for (const Command& command : all)
    if (command.name == name) return &command;
  return nullptr;
}

// The words before the command's own: "--lang ko" may stand first, then "tokenizer train".
struct Call {
  const Command* command = nullptr;
  std::string words;                   // "tokenizer train"
  std::vector<std::string> arguments;  // the rest
};

Call find_command(std::vector<std::string> arguments, Lang lang) {
  Call call;
  size_t at = 0;
  while (at < arguments.size() && arguments[at].starts_with("--lang")) {
    const size_t count = arguments[at] == "--lang" && at + 1 < arguments.size() ? 2 : 1;
    for (size_t i = 0; i < count; ++i) call.arguments.push_back(arguments[at++]);
  }
  const std::vector<Command>* among = &commands();
  while (at < arguments.size() && (!call.command || !call.command->parts.empty())) {
    const std::string& word = arguments[at];
    if (word.starts_with('-')) break;
    const Command* found = find(*among, word);
    const std::string before = call.words.empty() ? "" : call.words + " ";
    if (!found) Complaint{lang}.unknown_command(before, word, names_of(*among));
    call.command = found;
    call.words = before + word;
    among = &found->parts;
    ++at;
  }
  call.arguments.insert(call.arguments.end(), arguments.begin() + static_cast<long>(at),
                        arguments.end());
  return call;
}

int run(std::vector<std::string> arguments, Output& out) {
  const Lang lang = language_of(arguments);
  const bool colour = Output::colour();
  const int columns = Output::columns();
  if (!arguments.empty() && arguments[0] == "help") {  // "help train" is "train --help"
    arguments.erase(arguments.begin());
    arguments.push_back("--help");
  }
  const Call call = find_command(std::move(arguments), lang);
  const bool help = wants_help(call.arguments);
  if (!call.command && !help) {
    static const std::vector<Option> known = {
        {.name = "version", .help = {"판 번호", "the version"}, .kind = Kind::flag}};
    const std::vector<Operand> none;
    const Args args(known, none, call.arguments, lang);
    out.write(args.flag("version") ? std::string("jogak ") + kVersion + "\n"
                                   : five_examples(lang, colour, columns));
    return kDone;
  }
  if (!call.command) {
    out.write(main_help(lang, colour, columns));
    return kDone;
  }
  if (help) {
    out.write(command_help(call.words, *call.command, lang, colour, columns));
    return kDone;
  }
  if (!call.command->run) {
    if (!call.arguments.empty()) Args({}, {}, call.arguments, lang);
    Complaint{lang}.missing_part(call.words, names_of(call.command->parts));
  }
  const Args args(call.command->options, call.command->operands, call.arguments, lang);
  return call.command->run({args, out});
}

// What is wrong with --lang itself is said in the language of the environment.
Lang language_of_errors(const std::vector<std::string>& arguments) {
  try {
    return language_of(arguments);
  } catch (const Error&) {
    return language_from_environment();
  }
}

struct Failure {
  Output& out;
  Lang lang;

  // Results that were finished before the failure are still results.
  int operator()(int code, const std::string& text) const {
    try {
      out.flush();
    } catch (...) {
      // The first failure is the one to tell about.
    }
    tell_repeated();
    detail::write_log_line("jogak: ", lang == Lang::ko ? in_korean(text) : text);
    return code;
  }
};

int guarded(std::vector<std::string> arguments) {
  Output out;
  const Failure report{out, language_of_errors(arguments)};
  set_log_language(report.lang);
  try {
    check_environment(arguments);
    const int code = run(std::move(arguments), out);
    out.flush();
    tell_repeated();
    // Done: from here nobody ends it from outside, with another code, however long leaving takes.
    static const auto* const leaving = new EndsItself;
    (void)leaving;
    return code;
  } catch (const ReaderGone&) {
    return kDone;
  } catch (const UsageError& error) {
    return report(kUsage, error.what());
  } catch (const FormatError& error) {
    return report(kMalformed, error.what());
  } catch (const MissingError& error) {
    return report(kMissing, error.what());
  } catch (const IoError& error) {
    return report(kIo, error.what());
  } catch (const Stopped& error) {
    return report(stop_exit_code(), error.what());
  } catch (const InUse& error) {
    return report(kLater, error.what());
  } catch (const ProcessLost& error) {
    return report(kLater, error.what());
  } catch (const OutOfMemory& error) {
    return report(kIo, error.what());
  } catch (const Error& error) {
    return report(kFailed, error.what());
  } catch (const std::bad_alloc&) {
    return report(kIo, "out of memory");
  } catch (const std::system_error& error) {
    return report(kIo, error.what());
  } catch (const std::exception& error) {
    return report(kBug, std::string("a bug in jogak, please report it: ") + error.what());
  } catch (...) {
    return report(kBug, "a bug in jogak, please report it: an unknown exception");
  }
}

}  // namespace
}  // namespace jogak::cli

int main(int count, char** words) {
  jogak::cli::open_standard_files();
  jogak::cli::handle_signals();
  jogak::cli::keep_program(count > 0 ? words[0] : nullptr);
  std::vector<std::string> arguments;
  for (int i = 1; i < count; ++i) arguments.emplace_back(words[i]);
  return jogak::cli::guarded(std::move(arguments));
}
