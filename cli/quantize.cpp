#include "app/tools/quantize.h"

#include "cli/command.h"

namespace jogak::cli {
namespace {

int do_quantize(const Context& c) {
  use_threads(c.args);
  const QuantizeReport report =
      quantize({.directory = c.args.operand("DIR"),
                .out = c.args.operand("OUT"),
                .type = c.args.text("type"),
                .group = c.args.given("group") ? c.args.integer("group") : 0,
                .values = c.args.text("values") == "8" ? 8 : 16,
                .data = c.args.given("data") ? c.args.text("data") : "",
                .overwrite = c.args.flag("overwrite"),
                .lang = c.lang()});
  c.out.line(c.args.flag("json") ? to_json(report).dump() : quantize_table(report, c.lang()));
  return 0;
}

}  // namespace

Command quantize_command() {
  Command out{.name = "quantize",
              .group = Group::ship,
              .summary = {"모델을 8비트나 4비트 정수로 줄이기",
                          "shrink a model to integers of 8 or 4 bits"}};
  out.operands = {{"DIR", {"모델 디렉터리", "a model directory"}},
                  {"OUT", {"쓸 모델 디렉터리", "the model directory to write"}}};
  out.options = {
      {.name = "type",
       .help = {"가중치의 비트: q8은 8, q4는 4 (임베딩과 출력층은 8)",
                "bits of the weights: q8 has 8, q4 has 4 (embeddings and the head 8)"},
       .value = "TYPE",
       .fallback = "q8",
       .choices = {"q8", "q4"}},
      {.name = "group",
       .help = {"배율 하나를 나누는 열의 수: 16, 32, 64, 128 (기본: q8은 한 행, q4는 64)",
                "columns that share a scale: 16, 32, 64 or 128 (default: q8 a row, q4 64)"},
       .kind = Kind::integer,
       .value = "N",
       .low = 16,
       .high = 128},
      {.name = "values",
       .help = {"가중치와 만나는 값의 비트: 8은 여러 행의 곱이 두 배 빠르고 덜 정확함",
                "bits of the values that meet the weights: with 8 products of many rows are twice "
                "as fast, and less exact"},
       .value = "BITS",
       .fallback = "16",
       .choices = {"16", "8"}},
      {.name = "data",
       .help = {"이 데이터에서 층의 출력이 가장 덜 변하게 반올림하고 손실을 앞뒤로 잴 파일",
                "a file: round so that layers' outputs on it change least, and measure the loss "
                "before and after"},
       .value = "FILE"},
      overwrite_option(),
      threads_option(),
      json_option(),
  };
  out.examples = {
      {"jogak quantize runs/quickstart models/small-q8",
       {"네 배 작게, 거의 같은 답", "four times smaller, nearly the same answers"}},
      {"jogak quantize runs/quickstart models/small-q4 --type q4 --json",
       {"더 작게, 층마다 얼마나 변했는지와 함께", "smaller still, with the change of every layer"}},
  };
  out.run = do_quantize;
  return out;
}

}  // namespace jogak::cli
