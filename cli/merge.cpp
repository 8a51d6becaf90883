#include "app/tools/merge.h"

#include "base/error.h"
#include "cli/command.h"

namespace jogak::cli {
namespace {

int do_merge(const Context& c) {
  const std::string out = c.args.text("out");
  ensure<UsageError>(!out.empty(), c.lang() == Lang::ko ? "--out DIR이 필요합니다: 쓸 디렉터리"
                                                        : "--out DIR is needed: where to write");
  merge_adapters({c.args.operand("DIR"), out, c.args.flag("overwrite")});
  c.out.line(out);
  return 0;
}

}  // namespace

Command merge_command() {
  Command out{.name = "merge",
              .group = Group::make,
              .summary = {"어댑터(LoRA)를 그 모델에 합칩니다",
                          "makes adapters (LoRA) part of their model"}};
  out.operands = {{"DIR", {"어댑터 디렉터리", "a directory of adapters"}}};
  out.options = {
      {.name = "out", .help = {"쓸 모델 디렉터리", "the model directory to write"}, .value = "DIR"},
      overwrite_option()};
  out.examples = {
      {"jogak train recipes/sort-lines.toml --out runs/lines",
       {"바탕이 될 모델", "a model to start from"}},
      {"jogak train recipes/sort-lines.toml --set model.from=runs/lines --lora-rank 4 --out "
       "runs/tuned",
       {"그 위의 어댑터", "adapters over it"}},
      {"jogak merge runs/tuned --out runs/merged",
       {"어댑터 없이 쓰는 모델로", "a model that needs no adapters"}},
  };
  out.run = do_merge;
  return out;
}

}  // namespace jogak::cli
