#include "app/eval_app.h"

#include "base/format.h"
#include "cli/command.h"
#include "cli/complain.h"
#include "cli/signals.h"

namespace jogak::cli {
namespace {

int run(const Context& c) {
  const Args& args = c.args;
  use_threads(args);
  if (args.given("data") == args.given("make")) {
    if (args.given("data")) Complaint{c.lang()}.together("--data", "--make");
    Complaint{c.lang()}.missing_option("--data");
  }
  EvalCommand command;
  command.directory = args.operand("DIR");
  command.data = args.text("data");
  command.make = args.text("make");
  command.count = args.integer("count");
  command.seed = static_cast<uint64_t>(args.integer("seed"));
  command.kind = args.text("kind");
  command.separator = args.text("separator");
  command.batch = args.integer("batch");
  command.from = args.number("from");
  command.lang = c.lang();
  command.stop = &stop_flag();
  const Json result = evaluate(command);
  if (args.flag("json")) {
    c.out.line(result.dump());
    return 0;
  }
  const bool ko = c.lang() == Lang::ko;
  TextTable table({ko ? "항목" : "item", ko ? "값" : "value"});
  const auto row = [&](const char* key, Words name, int digits) {
    const Json* value = result.find(key);
    if (value && value->is_number())
      table.row({std::string(name(c.lang())), value->is_integer()
                                                  ? format_count(value->integer())
                                                  : fixed(value->number(), digits)});
  };
  row("loss", {"손실", "loss"}, 4);
  row("perplexity", {"퍼플렉시티", "perplexity"}, 3);
  row("tokens", {"토큰", "tokens"}, 0);
  row("exact_match", {"정확히 맞은 비율", "exact match"}, 4);
  row("lines", {"줄", "lines"}, 0);
  c.out.write(table.text());
  return 0;
}

}  // namespace

Command eval_command() {
  Command out{.name = "eval",
              .group = Group::make,
              .summary = {"모델이 자료에서 얼마나 잘하는지 잽니다", "scores a model on data"}};
  out.operands = {{"DIR", {"모델 디렉터리", "a model directory"}}};
  out.options = {
      {.name = "data",
       .help = {"평가할 글, .gz와 .zst도", "the text to score on, .gz and .zst too"},
       .value = "FILE"},
      {.name = "make",
       .help = {"만들어 낸 자료 중 학습에 없는 줄", "generated lines that training never held"},
       .value = "KIND",
       .choices = {"dates", "sort"}},
      {.name = "count",
       .help = {"--make의 줄 수", "lines of --make"},
       .kind = Kind::integer,
       .value = "N",
       .fallback = "500",
       .low = 1,
       .high = 10'000'000},
      seed_option("1"),
      {.name = "kind",
       .help = {"자료의 모양", "shape of the data"},
       .value = "KIND",
       .fallback = "text",
       .choices = {"text", "lines"}},
      {.name = "separator",
       .help = {"lines: 물음과 답 사이", "lines: between prompt and answer"},
       .value = "TEXT",
       .fallback = " = "},
      {.name = "from",
       .help = {"text: 앞에서 이만큼은 건너뜁니다", "text: the share to leave out at the start"},
       .kind = Kind::number,
       .value = "SHARE",
       .fallback = "0",
       .low = 0,
       .high = 1},
      {.name = "batch",
       .help = {"한 번에 계산할 예", "examples at once"},
       .kind = Kind::integer,
       .value = "N",
       .fallback = "16",
       .low = 1,
       .high = 65536},
      threads_option(),
      json_option(),
  };
  out.examples = {{"jogak eval runs/s --data text-tinyshakespeare/input.txt --from 0.9",
                   {"글의 마지막 10분의 1에서", "on the last tenth of a text"}},
                  {"jogak eval runs/quickstart --make dates --json",
                   {"본 적 없는 날짜 500줄", "500 lines of dates it never saw"}}};
  out.run = run;
  return out;
}

}  // namespace jogak::cli
