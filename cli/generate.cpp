#include <unistd.h>

#include "app/data/line_reader.h"
#include "app/use/generator.h"
#include "cli/command.h"
#include "cli/complain.h"
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

SamplingOptions sampling_of(const Args& args) {
  return {.temperature = args.number("temp"),
          .top_k = args.integer("top-k"),
          .top_p = args.number("top-p"),
          .min_p = args.number("min-p"),
          .repeat_penalty = args.number("repeat-penalty"),
          .seed = static_cast<uint64_t>(args.integer("seed"))};
}

int do_generate(const Context& c) {
  const Args& args = c.args;
  use_threads(args);
  use_device(args);
  const bool json = args.flag("json");
  if (json && args.flag("stream")) Complaint{c.lang()}.together("--json", "--stream");
  const std::vector<std::string> prompts = prompts_of(c);
  GenerateOptions options{.predict = args.integer("predict"),
                          .sampling = sampling_of(args),
                          .beams = static_cast<int>(args.integer("beams")),
                          .stop = args.list("stop"),
                          .stop_flag = &stop_flag()};
  const bool stream = args.flag("stream") || isatty(STDOUT_FILENO) == 1;
  if (stream && !json)
    options.on_text = [&](std::string_view piece) {
      c.out.write(piece);
      c.out.flush();
    };
  const Generator generator(args.operand("DIR"), args.text("dtype"));
  for (const std::string& prompt : prompts) {
    const Generated result = generator.generate(prompt, options);
    c.out.line(json ? to_json(result).dump() : options.on_text ? "" : result.text);
  }
  return 0;
}

std::vector<Option> generate_options() {
  const GenerateOptions usual;
  const auto number = [](const char* name, Words help, double fallback, double low,
                         double high = std::numeric_limits<double>::infinity()) {
    return Option{.name = name,
                  .help = help,
                  .kind = Kind::number,
                  .value = "X",
                  .fallback = text_of(fallback),
                  .low = low,
                  .high = high};
  };
  const auto count = [](const char* name, Words help, int64_t fallback, double low,
                        double high = 1e9) {
    return Option{.name = name,
                  .help = help,
                  .kind = Kind::integer,
                  .value = "N",
                  .fallback = std::to_string(fallback),
                  .low = low,
                  .high = high};
  };
  std::vector<Option> out = {
      {.name = "prompt",
       .help = {"이어 쓸 글; 없으면 표준 입력", "the text to continue; without it standard input"},
       .value = "TEXT",
       .letter = 'p'},
      count("predict", {"새 토큰의 최대 수", "most new tokens"}, usual.predict, 1),
      number("temp",
             {"온도: 0은 늘 가장 그럴듯한 토큰", "temperature: 0 always takes the likeliest token"},
             usual.sampling.temperature, 0),
      count("top-k", {"가장 그럴듯한 N개 중에서, 0은 모두", "among the N likeliest, 0 for all"},
            usual.sampling.top_k, 0),
      number("top-p",
             {"확률의 합이 이만큼 되는 토큰 중에서", "among the likeliest that hold this share"},
             usual.sampling.top_p, 0, 1),
      number(
          "min-p",
          {"가장 그럴듯한 것의 이 비율 이상만", "only what is this fraction as likely as the best"},
          usual.sampling.min_p, 0, 1),
      number("repeat-penalty",
             {"이미 나온 토큰의 벌점, 1은 없음", "penalty of tokens seen before, 1 for none"},
             usual.sampling.repeat_penalty, 0),
      seed_option(std::to_string(usual.sampling.seed)),
      {.name = "stop",
       .help = {"이 글이 나오면 끝", "text that ends it and is not shown"},
       .value = "TEXT",
       .times = Times::repeated},
      count("beams", {"빔 탐색의 폭, 1은 없음", "width of the beam search, 1 for none"},
            usual.beams, 1, 1024),
      {.name = "stream",
       .help = {"나오는 대로 보입니다", "show text as it comes"},
       .kind = Kind::flag},
      dtype_option(),
      device_option(),
      threads_option(),
      json_option(),
  };
  out[1].letter = 'n';
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
  out.examples = {
      {"jogak train recipes/sort-lines.toml --out runs/lines",
       {"글자를 차례대로 늘어놓는 작은 GPT", "a small GPT that puts characters in order"}},
      {"jogak generate runs/lines --temp 0 -p \"3 1 2 = \"",
       {"가장 그럴듯한 글자만", "only the likeliest characters"}},
      {"jogak generate runs/lines -p \"b a c = \" -n 30 --stop $'\\n'",
       {"줄 끝까지", "up to the end of the line"}},
      {"jogak generate runs/lines -p \"3 1 2 = \" --beams 4 --json",
       {"빔 탐색, 결과는 JSON", "beam search, the result as JSON"}},
  };
  out.run = do_generate;
  return out;
}

}  // namespace jogak::cli
