#include "app/info_app.h"

#include "cli/command.h"

namespace jogak::cli {
namespace {

int run(const Context& c) {
  const Json info = model_info(c.args.operand("DIR"));
  if (c.args.flag("json"))
    c.out.line(info.dump());
  else
    c.out.write(info_table(info));
  return 0;
}

}  // namespace

Command info_command() {
  Command out{.name = "info",
              .group = Group::ship,
              .summary = {"모델의 매개변수, 메모리, 층, 토크나이저",
                          "parameters, memory, layers and tokenizer of a model"}};
  out.operands = {{"DIR", {"모델 디렉터리", "a model directory"}}};
  out.options = {json_option()};
  out.examples = {{"jogak info runs/quickstart", {"표로", "as a table"}}};
  out.run = run;
  return out;
}

}  // namespace jogak::cli
