// A command: what it is called, what it takes, how it is told about, and what it does.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "cli/args.h"
#include "cli/output.h"

namespace jogak::cli {

enum class Group : uint8_t { learn, look, make, use, ship };

struct Example {
  std::string line;
  Words meaning;
};

struct Context {
  const Args& args;
  Output& out;
  Lang lang() const { return args.lang(); }
};

struct Command {
  std::string name;
  Group group = Group::learn;
  Words summary;
  std::vector<Operand> operands = {};
  std::vector<Option> options = {};
  std::vector<Example> examples = {};
  int (*run)(const Context&) = nullptr;      // gives the exit code
  std::string (*more_help)(Lang) = nullptr;  // stands between the options and the examples
  std::vector<Command> parts = {};           // "train" of "tokenizer train"
};

const std::vector<Command>& commands();  // in the order of the help

Command demo_command();
Command explain_command();
Command inspect_command();
Command ablate_command();
Command serve_command();
Command study_command();
Command new_command();
Command data_command();
Command tokenizer_command();
Command train_command();
Command merge_command();
Command export_command();
Command eval_command();
Command generate_command();
Command chat_command();
Command translate_command();
Command fill_command();
Command classify_command();
Command embed_command();
Command answer_command();
Command rank_command();
Command forecast_command();
Command info_command();
Command bench_command();
Command convert_command();
Command quantize_command();
Command plan_command();
Command forward_command();
Command completion_command();

// Options that several commands share.
Option json_option();
Option threads_option();
Option device_option();
Option dtype_option();  // of weights that are only read
Option cache_type_option();
Option seed_option(std::string fallback);
Option overwrite_option();
// UsageError when the file that OPTION names is there and is no drawing of ours, or one of those
// that the options `read` name.
void check_drawing(const Args& args, const char* option,
                   std::initializer_list<const char*> read = {});
// As --threads says. Called first of all by a command that computes: it may start the program anew.
void use_threads(const Args& args);
// As --device says: where models are opened from then on. One that cannot be used is a UsageError.
void use_device(const Args& args);
void use_cache_type(const Args& args);
std::vector<std::string> family_names();

std::string main_help(Lang lang, bool colour, int columns);
std::string five_examples(Lang lang, bool colour, int columns);
std::string command_help(const std::string& words, const Command& command, Lang lang, bool colour,
                         int columns);

}  // namespace jogak::cli
