#include <unistd.h>

#include "app/data/line_reader.h"
#include "app/train/demo.h"
#include "app/use/translator.h"
#include "base/terminal.h"
#include "cli/command.h"
#include "cli/program.h"
#include "cli/signals.h"

namespace jogak::cli {
namespace {

// "Type your own date": only where a person sits at both ends.
void ask_for_dates(const Context& c, const std::string& directory) {
  const bool ko = c.lang() == Lang::ko;
  const Translator reader(directory);
  TranslateOptions how;
  how.beam.beams = 1, how.stop = &stop_flag();
  LineReader in(STDIN_FILENO, "standard input", &stop_flag());
  in.before_waiting([&] { c.out.flush(); });
  c.out.line(ko ? "\n날짜를 직접 써 보세요. 빈 줄은 끝."
                : "\nType your own date. An empty line ends.");
  c.out.write("> ");
  for (std::string_view line; in.next(line) && !line.empty();) {
    ensure_utf8(in, line);
    try {
      c.out.line(std::string(line) + " → " +
                 reader.translate({std::string(line)}, how)[0].texts[0].text);
    } catch (const Stopped&) {
      throw;
    } catch (const Error& error) {  // a letter it never saw: say so and go on
      c.out.line(error.what());
    }
    c.out.write("> ");
  }
  c.out.line("");
}

int do_demo(const Context& c) {
  const bool ko = c.lang() == Lang::ko, json = c.args.flag("json");
  use_threads(c.args);
  DemoOptions command;
  command.out = c.args.text("out");
  command.overwrite = c.args.flag("overwrite");
  command.seed = static_cast<uint64_t>(c.args.integer("seed"));
  command.steps = c.args.integer("steps");
  command.stop = &stop_flag();
  command.lang = c.lang();
  command.colour = Output::colour();
  command.columns = Output::columns();
  command.say = [&](const std::string& line) {
    if (!json) c.out.line(line);
  };
  const DemoResult result = run_demo(command);
  if (json) {
    c.out.line(to_json(result).dump());
    return 0;
  }
  if (isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1) ask_for_dates(c, command.out);
  c.out.line(
      ko ? "\n다음에 해 볼 것: 날짜를 직접 써 보고, 숫자로 보고, 브라우저에서 들여다보기"
         : "\nWhat to do next: type your own date, see the numbers, open the page (the last line)");
  const std::string date = ko ? "2031년 5월 9일 금요일" : "Friday, May 9th, 2031";
  const std::string model = shell_quoted(command.out);
  for (const std::string& line :
       {"echo \"" + date + "\" | jogak translate " + model + " --alignment",
        "jogak inspect attention " + model + " --text \"" + date +
            "\" --kind cross --out cross.png",
        std::string("jogak explain attention"), "jogak info " + model, "jogak serve " + model})
    c.out.line("  " + as_called(line));
  return 0;
}

}  // namespace

Command demo_command() {
  Command out{
      .name = "demo",
      .group = Group::learn,
      .summary = {"작은 트랜스포머가 날짜 번역을 처음부터 배우고 시험을 봅니다",
                  "a small Transformer learns to translate dates from nothing, and is tested"}};
  out.options = {
      {.name = "out",
       .help = {"모델과 result.json을 쓸 디렉터리", "where the model and result.json go"},
       .value = "DIR",
       .fallback = "runs/quickstart"},
      overwrite_option(),
      seed_option("1"),
      {.name = "steps",
       .help = {"학습 스텝 수, 0은 정해진 대로", "training steps, 0 for the usual number"},
       .kind = Kind::integer,
       .value = "N",
       .fallback = "0",
       .low = 0},
      threads_option(),
      json_option(),
  };
  out.examples = {{"jogak demo", {"1분 남짓 걸립니다", "takes a minute or so"}}};
  out.run = do_demo;
  return out;
}

}  // namespace jogak::cli
