#include "app/tools/export_model.h"
#include "cli/command.h"

namespace jogak::cli {
namespace {

int do_export(const Context& c) {
  const std::string out = c.args.operand("OUT");
  export_model({c.args.operand("DIR"), out, c.args.flag("overwrite")});
  c.out.line(out);
  return 0;
}

}  // namespace

Command export_command() {
  Command out{.name = "export",
              .group = Group::ship,
              .summary = {"실험실 모델을 읽을 수 있는 PyTorch 파일 하나로 씁니다",
                          "writes a laboratory model as one readable PyTorch file"}};
  out.operands = {{"DIR", {"jogak-lab 모델 디렉터리", "a jogak-lab model directory"}},
                  {"OUT", {"쓸 파일, .py", "the file to write, .py"}}};
  out.options = {{.name = "as",
                  .help = {"무엇으로", "as what"},
                  .value = "KIND",
                  .fallback = "pytorch",
                  .choices = {"pytorch"}},
                 overwrite_option()};
  out.examples = {
      {"jogak new models/lab --family lab --preset tiny --set wiring=decoder --set positions=rope",
       {"실험실 모델 하나", "a laboratory model"}},
      {"jogak export models/lab model.py --as pytorch",
       {"PyTorch로: from model import load", "in PyTorch: from model import load"}},
  };
  out.run = do_export;
  return out;
}

}  // namespace jogak::cli
