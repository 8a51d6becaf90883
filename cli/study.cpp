#include "app/train/study.h"

#include "base/file.h"
#include "base/launched.h"
#include "base/log.h"
#include "cli/command.h"
#include "cli/complain.h"
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
  if (c.args.given("seeds")) command.seeds = c.args.integer("seeds");
  command.test = c.args.list("test");
  command.fit = c.args.flag("fit");
  command.predict = c.args.list("predict");
  command.out = c.args.text("out");
  command.resume = c.args.flag("resume");
  command.overwrite = c.args.flag("overwrite");
  if (command.resume && command.overwrite) Complaint{c.lang()}.together("--resume", "--overwrite");
  command.program = own_program();
  command.jobs = c.args.integer("jobs");
  command.stop = &stop_flag();
  command.lang = c.lang();
  const Study study = run_study(command);
  if (c.args.flag("json"))
    c.out.line(to_json(study).dump());
  else
    c.out.write(study_text(study, c.lang()));
  log_info(c.lang() == Lang::ko ? "그림과 표: " : "pictures and tables: ",
           join_path(command.out, "study.html"));
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
       .help = {"바꿀 값들; 여러 번 쓰면 모든 조합; 없으면 레시피의 study.vary, 그것도 없으면 "
                "train.off=none,mask",
                "values to try; given twice: every combination; none: the recipe's study.vary, or "
                "train.off=none,mask"},
       .value = "SECTION.KEY=A,B,C",
       .times = Times::repeated},
      {.name = "seeds",
       .help = {"변형마다 몇 번 (기본: 레시피의 study.seeds, 또는 1)",
                "runs of each variant (default: the recipe's study.seeds, or 1)"},
       .kind = Kind::integer,
       .value = "N",
       .low = 1,
       .high = 100},
      {.name = "test",
       .help = {"학습한 모델을 이 설정으로 한 번 더 잽니다: train.context=64",
                "measure trained models once more with this setting: train.context=64"},
       .value = "SECTION.KEY=VALUE",
       .times = Times::repeated},
      {.name = "fit",
       .help = {"손실에 E + A / N^a + B / D^b를 맞추고(N 매개변수, D 토큰) 더 큰 모델의 손실을 "
                "미리 말합니다; 크기와 데이터를 셋 이상씩 바꿉니다",
                "fit E + A / N^a + B / D^b to the losses (N parameters, D tokens) and foretell a "
                "larger model's; vary three or more sizes and amounts of data"},
       .kind = Kind::flag},
      {.name = "predict",
       .help =
           {"--fit가 미리 말할 실행의 설정: 그 실행을 학습해 예측을 확인합니다 (없으면 레시피의 "
            "study.predict)",
            "with --fit: settings of the run to foretell, which is then trained to check it "
            "(default: the recipe's study.predict)"},
       .value = "SECTION.KEY=VALUE",
       .times = Times::repeated},
      {.name = "jobs",
       .help = {"한꺼번에 학습할 실행 수; 스레드를 나누어 씁니다",
                "runs at a time; they share the threads"},
       .kind = Kind::integer,
       .value = "N",
       .fallback = "1",
       .low = 1,
       .high = 64},
      {.name = "resume",
       .help = {"멈춘 연구를 이어서: 끝난 실행은 두고, 나머지만 학습합니다",
                "go on with a study that was stopped: finished runs stay, the others are trained"},
       .kind = Kind::flag},
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
      {"jogak study recipes/study.toml --vary model.n_head=1,8 --seeds 3 --jobs 2 --out runs/heads",
       {"헤드 하나와 여덟, 세 번씩, 두 실행을 한꺼번에",
        "one head against eight, three times each, two runs at a time"}},
      {"jogak study recipes/study.toml --vary model.n_head=1,8 --seeds 3 --resume --out runs/heads",
       {"멈춘 곳에서 이어서", "on from where it was stopped"}},
      {"jogak study recipes/study.toml --fit --vary model.n_embd=16,24,32 --vary "
       "train.batch=8,16,32 --out runs/law",
       {"크기와 데이터에서 손실의 법칙을 맞추고, 네 배 큰 모델의 손실을 미리 말하기",
        "fit a law of size and data, and foretell the loss of a model four times larger"}},
  };
  out.run = do_study;
  return out;
}

}  // namespace jogak::cli
