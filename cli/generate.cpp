#include <unistd.h>

#include "app/data/line_reader.h"
#include "app/models/divided_memory.h"
#include "app/use/chat.h"
#include "app/use/generator.h"
#include "base/format.h"
#include "cli/command.h"
#include "cli/complain.h"
#include "cli/divided.h"
#include "cli/generation_flags.h"
#include "cli/signals.h"
#include "cli/texts.h"

namespace jogak::cli {
namespace {

std::vector<std::string> prompts_of(const Context& c) {
  const std::vector<std::string> texts = c.args.operands("TEXT");
  if (c.args.given("prompt")) {
    if (!texts.empty()) Complaint{c.lang()}.together("TEXT", "--prompt");
    return {c.args.text("prompt")};
  }
  if (!texts.empty()) return texts;
  if (isatty(STDIN_FILENO) == 1) Complaint{c.lang()}.missing_option("--prompt");
  LineReader in(STDIN_FILENO, "standard input", &stop_flag());
  return {read_everything(in)};
}

GenerateOptions options_of(const Context& c, const Generator& generator) {
  const Args& args = c.args;
  GenerateOptions out{.seed = static_cast<uint64_t>(args.integer("seed")),
                      .candidates = static_cast<size_t>(args.integer("candidates")),
                      .stop_flag = &stop_flag()};
  out.settings = generation_settings(args, Writing::generate, generator.model().vocab);
  warn_of_idle(out.settings,
               plan_of(merged(generator.settings(), out.settings, usual_generation())));
  const bool stream = args.flag("stream") || isatty(STDOUT_FILENO) == 1;
  if (stream && !args.flag("json"))
    out.on_text = [&c](std::string_view piece) {
      c.out.write(piece);
      c.out.flush();
    };
  return out;
}

void write(const Context& c, const std::vector<Generated>& texts, bool streamed) {
  if (c.args.flag("json")) return c.out.line(to_json(texts).dump());
  for (const Generated& text : texts) c.out.line(streamed ? "" : text.text);
}

// Of each process, and of the longest text that was asked for.
int show_memory(const Context& c) {
  const Args& args = c.args;
  const int64_t processes = processes_of(args).processes;
  if (processes < 2) Complaint{c.lang()}.missing_option("--processes");
  const int64_t prompt = longest_prompt(args.operand("DIR"), prompts_of(c));
  const size_t bytes = predict_divided(args.operand("DIR"), args.text("dtype"), processes, prompt);
  const double mb = static_cast<double>(bytes) / 1e6;
  if (args.flag("json")) {
    Json out = Json::object({{"schema", 1}, {"processes", processes}, {"tokens", prompt}});
    c.out.line(out.set("predicted_peak_mb", mb).dump());
  } else {
    const bool ko = c.lang() == Lang::ko;
    c.out.line(
        text_of(ko ? "프로세스 하나의 예상 최대 메모리: " : "predicted peak memory of a process: ",
                fixed(mb, 1), " MB"));
  }
  return 0;
}

int do_generate(const Context& c) {
  const Args& args = c.args;
  use_threads(args);
  use_device(args);
  use_cache_type(args);
  if (args.flag("json") && args.flag("stream")) Complaint{c.lang()}.together("--json", "--stream");
  if (args.flag("dry-run")) return show_memory(c);
  if (const auto code = start_others(args)) return *code;
  const Division division(processes_of(args), &stop_flag());
  const std::vector<std::string> prompts =
      division.from_first(division.first() ? prompts_of(c) : std::vector<std::string>());
  if (args.given("system") && !args.flag("chat")) Complaint{c.lang()}.missing_option("--chat");
  const ChatTemplates templates =
      args.flag("chat") ? ChatTemplates::load(args.operand("DIR")) : ChatTemplates();
  const Generator generator(args.operand("DIR"), args.text("dtype"));
  const std::string system = args.given("system") ? args.text("system") : "";
  GenerateOptions options = options_of(c, generator);
  const bool streamed = options.on_text && !generator.gives_several(options);
  if (!streamed) options.on_text = {};
  for (const std::string& prompt : prompts) {
    const std::vector<int> ids =
        args.flag("chat") ? chat_prompt(templates, generator.tokenizer(), read_chat(prompt, system))
                          : generator.prompt_ids(prompt);
    write(c, generator.texts(ids, options), streamed);
  }
  return 0;
}

std::vector<Option> generate_options() {
  std::vector<Option> out = generation_options(Writing::generate);
  out.insert(out.begin(), {.name = "prompt",
                           .help = {"이어 쓸 글; 없으면 표준 입력",
                                    "the text to continue; without it standard input"},
                           .value = "TEXT",
                           .letter = 'p'});
  const std::vector<Option> more = {
      {.name = "chat",
       .help = {"글은 대화입니다: 사용자의 말 하나, 또는 JSON 메시지 목록",
                "the text is a conversation: one text of a user, or messages as JSON"},
       .kind = Kind::flag},
      system_option(),
      seed_option("0"),
      {.name = "stream",
       .help = {"나오는 대로 보입니다", "show text as it comes"},
       .kind = Kind::flag},
      candidates_option(),
      {.name = "dry-run",
       .help = {"쓰지 않고, 프로세스마다 들 메모리를 예측합니다",
                "write nothing, predict the memory of each of --processes"},
       .kind = Kind::flag},
      dtype_option(),
      cache_type_option(),
      device_option(),
      threads_option(),
      json_option(),
  };
  out.insert(out.end(), more.begin(), more.end());
  const std::vector<Option> division = division_options();
  out.insert(out.end(), division.begin(), division.end());
  return out;
}

}  // namespace

Command generate_command() {
  Command out{
      .name = "generate", .group = Group::use, .summary = {"글을 이어 씁니다", "continues a text"}};
  out.operands = {
      {"DIR", {"모델 디렉터리", "a model directory"}},
      texts_operand({"이어 쓸 글; 없으면 --prompt나 표준 입력",
                     "texts to continue; without them --prompt or standard input"}),
  };
  out.options = generate_options();
  out.more_help = [](Lang lang) { return generation_help(Writing::generate, lang); };
  out.examples = {
      {"jogak train recipes/sort-lines.toml --out runs/lines",
       {"글자를 차례대로 늘어놓는 작은 GPT", "a small GPT that puts characters in order"}},
      {"jogak generate runs/lines --temp 0 -p \"3 1 2 = \"",
       {"가장 그럴듯한 글자만", "only the likeliest characters"}},
      {"jogak generate runs/lines -p \"b a c = \" -n 30 --stop $'\\n'",
       {"줄 끝까지", "up to the end of the line"}},
      {"jogak generate runs/lines -p \"3 1 2 = \" --beams 4 --json",
       {"빔 탐색, 결과는 JSON", "beam search, the result as JSON"}},
      {"jogak generate models/chat --chat -p \"Why is the sky blue?\"",
       {"모델의 대화 틀로 묻기", "a question, put as the model's chat template says"}},
  };
  out.run = do_generate;
  return out;
}

}  // namespace jogak::cli
