#include "app/train/study.h"

#include "base/file.h"
#include "base/log.h"
#include "cli/command.h"
#include "cli/signals.h"

namespace jogak::cli {
namespace {

int do_study(const Context& c) {
  use_threads(c.args);
  StudyOptions command;
  command.recipe = read_recipe(c.args.operand("RECIPE"));
  std::vector<std::string> settings = c.args.list("set");
  if (c.args.given("steps")) settings.push_back("train.steps=" + c.args.text("steps"));
  apply_settings(command.recipe, settings);
  command.vary = c.args.list("vary");
  command.seeds = c.args.integer("seeds");
  command.out = c.args.text("out");
  command.overwrite = c.args.flag("overwrite");
  command.stop = &stop_flag();
  command.lang = c.lang();
  const Study study = run_study(command);
  if (c.args.flag("json"))
    c.out.line(to_json(study).dump());
  else
    c.out.write(study_text(study, c.lang()));
  log_info(c.lang() == Lang::ko ? "그림: " : "picture: ", join_path(command.out, "curves.svg"));
  return 0;
}

}  // namespace

Command study_command() {
  Command out;
  out.name = "study";
  out.group = Group::learn;
  out.summary = {"레시피를 조금씩 바꾸어 학습하고 견줍니다",
                 "trains variants of a recipe and compares them"};
  out.operands = {{"RECIPE", {"TOML 레시피", "a recipe in TOML"}}};
  out.options = {
      {.name = "vary",
       .help = {"바꿀 값들; 여러 번 쓰면 모든 조합; 없으면 train.off=none,mask",
                "values to try; given twice: every combination; none: train.off=none,mask"},
       .value = "SECTION.KEY=A,B,C",
       .times = Times::repeated},
      {.name = "seeds",
       .help = {"변형마다 몇 번", "runs of each variant"},
       .kind = Kind::integer,
       .value = "N",
       .fallback = "1",
       .low = 1,
       .high = 100},
      {.name = "out",
       .help = {"쓸 디렉터리", "the directory to write"},
       .value = "DIR",
       .fallback = "runs/study"},
      {.name = "steps",
       .help = {"스텝 수", "steps"},
       .kind = Kind::integer,
       .value = "N",
       .low = 1},
      {.name = "set",
       .help = {"모든 변형에 쓸 레시피의 값", "a value of the recipe for all variants"},
       .value = "SECTION.KEY=VALUE",
       .times = Times::repeated},
      overwrite_option(),
      threads_option(),
      json_option(),
  };
  out.examples = {
      {"jogak study recipes/study.toml --out runs/mask",
       {"마스크 없이 학습하면: 손실은 0에 가깝고 글은 쓸모없습니다",
        "training without the mask: a loss near zero, and useless text"}},
      {"jogak study recipes/study.toml --vary train.off=none,mask,scale,positions",
       {"부분을 하나씩 빼고 학습", "training without a part"}},
      {"jogak study recipes/study.toml --vary model.n_head=1,8 --seeds 3 --out runs/heads",
       {"헤드 하나와 여덟, 세 번씩", "one head against eight, three times each"}},
  };
  out.run = do_study;
  return out;
}

}  // namespace jogak::cli
