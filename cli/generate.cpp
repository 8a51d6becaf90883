#include <unistd.h>

#include "app/data/line_reader.h"
#include "app/use/generate.h"
#include "cli/command.h"
#include "cli/complain.h"
#include "cli/signals.h"

namespace jogak::cli {
namespace {

std::string prompt_of(const Context& c) {
  if (c.args.given("prompt")) return c.args.text("prompt");
  if (isatty(STDIN_FILENO) == 1) Complaint{c.lang()}.missing_option("--prompt");
  LineReader in(STDIN_FILENO, "standard input", &stop_flag());
  return read_everything(in);
}

int do_generate(const Context& c) {
  const Args& args = c.args;
  use_threads(args);
  const bool json = args.flag("json");
  if (json && args.flag("stream")) Complaint{c.lang()}.together("--json", "--stream");
  GenerateCommand command;
  command.directory = args.operand("DIR");
  command.prompt = prompt_of(c);
  command.predict = args.integer("predict");
  command.temperature = args.number("temp");
  command.top_k = args.integer("top-k");
  command.top_p = args.number("top-p");
  command.min_p = args.number("min-p");
  command.repeat_penalty = args.number("repeat-penalty");
  command.seed = static_cast<uint64_t>(args.integer("seed"));
  command.stop = args.list("stop");
  command.beams = static_cast<int>(args.integer("beams"));
  command.dtype = args.text("dtype");
  command.stop_flag = &stop_flag();
  const bool stream = args.flag("stream") || isatty(STDOUT_FILENO) == 1;
  if (stream && !json)
    command.on_text = [&](std::string_view piece) {
      c.out.write(piece);
      c.out.flush();
    };
  const Json result = generate_text(command);
  if (json)
    c.out.line(result.dump());
  else
    c.out.line(command.on_text ? "" : result.find("text")->text());
  return 0;
}

std::vector<Option> generate_options() {
  const auto number = [](const char* name, Words help, const char* fallback, double low,
                         double high = std::numeric_limits<double>::infinity()) {
    return Option{.name = name,
                  .help = help,
                  .kind = Kind::number,
                  .value = "X",
                  .fallback = fallback,
                  .low = low,
                  .high = high};
  };
  const auto count = [](const char* name, Words help, const char* fallback, double low,
                        double high = 1e9) {
    return Option{.name = name,
                  .help = help,
                  .kind = Kind::integer,
                  .value = "N",
                  .fallback = fallback,
                  .low = low,
                  .high = high};
  };
  std::vector<Option> out = {
      {.name = "prompt",
       .help = {"이어 쓸 글; 없으면 표준 입력", "the text to continue; without it standard input"},
       .value = "TEXT",
       .letter = 'p'},
      count("predict", {"새 토큰의 최대 수", "most new tokens"}, "128", 1),
      number("temp",
             {"온도: 0은 늘 가장 그럴듯한 토큰", "temperature: 0 always takes the likeliest token"},
             "0.8", 0),
      count("top-k", {"가장 그럴듯한 N개 중에서, 0은 모두", "among the N likeliest, 0 for all"},
            "40", 0),
      number("top-p",
             {"확률의 합이 이만큼 되는 토큰 중에서", "among the likeliest that hold this share"},
             "0.95", 0, 1),
      number(
          "min-p",
          {"가장 그럴듯한 것의 이 비율 이상만", "only what is this fraction as likely as the best"},
          "0", 0, 1),
      number("repeat-penalty",
             {"이미 나온 토큰의 벌점, 1은 없음", "penalty of tokens seen before, 1 for none"}, "1",
             0),
      seed_option("0"),
      {.name = "stop",
       .help = {"이 글이 나오면 끝", "text that ends it and is not shown"},
       .value = "TEXT",
       .times = Times::repeated},
      count("beams", {"빔 탐색의 폭, 1은 없음", "width of the beam search, 1 for none"}, "1", 1,
            1024),
      {.name = "stream",
       .help = {"나오는 대로 보입니다", "show text as it comes"},
       .kind = Kind::flag},
      dtype_option(),
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
  out.operands = {{"DIR", {"모델 디렉터리", "a model directory"}}};
  out.options = generate_options();
  out.examples = {{"jogak generate runs/quickstart --temp 0 -p \"2031년 5월 9일 금요일 = \"",
                   {"날짜 하나를 읽습니다", "reads one date"}},
                  {"jogak generate runs/s -p \"ROMEO:\" -n 300 --stop $'\\n\\n'",
                   {"빈 줄까지", "up to an empty line"}},
                  {"jogak generate runs/s -p \"ROMEO:\" --beams 4 --json",
                   {"빔 탐색, 결과는 JSON", "beam search, the result as JSON"}}};
  out.run = do_generate;
  return out;
}

}  // namespace jogak::cli
