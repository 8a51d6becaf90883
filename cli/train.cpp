#include "app/train/train.h"

#include <algorithm>
#include <cmath>

#include "app/train/processes.h"
#include "app/train/recipe_keys.h"
#include "base/file.h"
#include "base/format.h"
#include "base/log.h"
#include "cli/command.h"
#include "cli/complain.h"
#include "cli/divided.h"
#include "cli/signals.h"

namespace jogak::cli {
namespace {

// Options that are another way to write --set train.KEY=VALUE.
struct Shortcut {
  const char* name;
  const char* key;
};
constexpr Shortcut kShortcuts[] = {
    {"steps", "steps"},     {"batch", "batch"},
    {"lr", "lr"},           {"seed", "seed"},
    {"dtype", "dtype"},     {"eval-every", "eval_every"},
    {"keep", "keep"},       {"checkpoint-every", "checkpoint_every"},
    {"average", "average"}, {"lora-rank", "lora_rank"},
};

std::string name_without_ending(const std::string& path) {
  const std::string name = file_name(path);
  return name.ends_with(".toml") ? name.substr(0, name.size() - 5) : name;
}

TrainRequest request_of(const Context& c) {
  const Args& args = c.args;
  TrainRequest out;
  std::string recipe = args.operand("RECIPE");
  out.out = args.text("out");
  out.resume = args.flag("resume");
  out.overwrite = args.flag("overwrite");
  out.accept_changes = args.flag("accept-changes");
  out.force = args.flag("force");
  if (out.resume && out.overwrite) Complaint{c.lang()}.together("--resume", "--overwrite");
  if (recipe.empty() && out.resume && !out.out.empty()) recipe = join_path(out.out, "recipe.toml");
  if (recipe.empty()) Complaint{c.lang()}.missing_operand(train_command().operands[0]);
  out.recipe = read_recipe(recipe);
  if (out.out.empty()) out.out = join_path("runs", name_without_ending(recipe));
  std::vector<std::string> settings;
  for (const Shortcut& shortcut : kShortcuts)
    if (args.given(shortcut.name))
      settings.push_back(std::string("train.") + shortcut.key + "=" + args.text(shortcut.name));
  if (args.flag("recompute")) settings.emplace_back("train.recompute=true");
  for (const std::string& setting : args.list("set")) settings.push_back(setting);
  apply_settings(out.recipe, settings);
  out.stop = &stop_flag();
  out.lang = c.lang();
  return out;
}

void show_prediction(const Context& c, const TrainPrediction& p) {
  const bool ko = c.lang() == Lang::ko;
  const auto mb = [](double megabytes) { return fixed(megabytes, 1) + " MB"; };
  TextTable table({ko ? "항목" : "item", ko ? "값" : "value"});
  table.row({ko ? "매개변수" : "parameters", format_count(p.parameters)});
  if (p.processes > 1)
    table.row({ko ? "프로세스 (아래는 하나의 몫)" : "processes (below: of one)",
               format_count(p.processes)});
  table.row({ko ? "한 스텝의 토큰" : "tokens per step", format_count(p.tokens_per_step)});
  table.row({ko ? "텐서" : "tensors", mb(p.tensors_mb)});
  table.row({ko ? "예상 최대 메모리" : "predicted peak memory", mb(p.predicted_peak_mb)});
  table.row({ko ? "쓸 수 있는 메모리" : "memory that is free", mb(p.free_mb)});
  const double saved = p.kept_peak_mb - p.recomputed_peak_mb;
  const std::string share = fixed(100 * saved / p.kept_peak_mb, 0) + " %";
  table.row({ko ? "다시 계산하지 않으면" : "without --recompute", mb(p.kept_peak_mb)});
  table.row({ko ? "--recompute를 쓰면" : "with --recompute", mb(p.recomputed_peak_mb)});
  table.row({ko ? "줄어드는 메모리" : "what it saves", mb(saved) + ", " + share});
  c.out.write(table.text());
}

void show_result(const Context& c, const TrainSummary& result) {
  const bool ko = c.lang() == Lang::ko;
  const auto loss = [&](double value) {
    return std::isfinite(value) ? fixed(value, 4) : std::string("-");
  };
  c.out.line(
      (ko ? "스텝 " : "step ") + format_count(result.step) +
      (ko ? "  학습 손실 " : "  train loss ") + loss(result.train_loss) +
      (ko ? "  검증 손실 " : "  valid loss ") + loss(result.valid_loss) +
      (result.examples_per_s ? (ko ? "  초당 예 " : "  examples/s ")
                             : (ko ? "  초당 토큰 " : "  tokens/s ")) +
      format_count(static_cast<int64_t>(result.examples_per_s.value_or(result.tokens_per_s))));
  c.out.line(result.out);
}

int do_train(const Context& c) {
  if (c.args.flag("keys")) {
    c.out.write(recipe_keys_page(c.lang()));
    return 0;
  }
  use_threads(c.args);
  use_device(c.args);
  TrainRequest request = request_of(c);
  const ProcessRequest processes = processes_of(c.args);
  const bool json = c.args.flag("json");
  if (c.args.flag("dry-run")) {
    const int64_t count = std::max<int64_t>(processes.processes, 1);
    cut_steps(request.recipe, count);
    const TrainPrediction predicted = predict_training(request, count);
    if (json)
      c.out.line(to_json(predicted).dump());
    else
      show_prediction(c, predicted);
    return 0;
  }
  if (const auto code = start_others(c.args)) return *code;
  const Joined joined = join_processes(processes, request);
  const TrainSummary result = run_training(request);
  const int stopped = stop_flag() ? stop_exit_code() : 75;  // 75: another process was told to
  if (!joined.first) return result.end == TrainEnd::stopped ? stopped : 0;
  if (json)
    c.out.line(to_json(result).dump());
  else
    show_result(c, result);
  if (result.end != TrainEnd::stopped) return 0;
  log_info(c.lang() == Lang::ko ? "멈추었고 저장했습니다. 이어서: jogak train --resume --out "
                                : "stopped and saved; to go on: jogak train --resume --out ",
           result.out);
  return stopped;
}

std::vector<Option> train_options() {
  const auto count = [](const char* name, Words help, double low) {
    return Option{.name = name, .help = help, .kind = Kind::integer, .value = "N", .low = low};
  };
  return {
      {.name = "out",
       .help = {"쓸 디렉터리 (기본: runs/레시피 이름)",
                "the run's directory (default: runs/ and the recipe's name)"},
       .value = "DIR"},
      {.name = "resume",
       .help = {"멈춘 곳에서 이어서", "go on where the run stopped"},
       .kind = Kind::flag},
      {.name = "accept-changes",
       .help = {"--resume: 데이터가 처음과 달라도 이어서, 그 사실은 기록합니다",
                "--resume: go on although the data is not what it was; it is recorded"},
       .kind = Kind::flag},
      overwrite_option(),
      {.name = "set",
       .help = {"레시피의 값 하나", "one value of the recipe"},
       .value = "SECTION.KEY=VALUE",
       .times = Times::repeated},
      count("steps", {"스텝 수", "steps"}, 1),
      count("batch", {"한 스텝의 예 수", "examples a step"}, 1),
      {.name = "lr",
       .help = {"학습률", "learning rate"},
       .kind = Kind::number,
       .value = "X",
       .low = 0},
      count("seed", {"난수 시드", "of the random numbers"}, 0),
      device_option(),
      threads_option(),
      count(
          "processes",
          {"한 모델을 이 기계의 프로세스 N개로 학습합니다: 하나일 때와 비트까지 같은 결과. "
           "mpirun과 "
           "srun이 시작한 것은 이 옵션 없이도 함께합니다",
           "train one model with N processes on this machine, to the same bits as with one; those "
           "that mpirun or srun started work together without it"},
          1),
      count("process",
            {"여러 기계에서 손으로 시작할 때: 이것이 몇 번째인지, 1부터",
             "started by hand on several machines: which of them this is, from 1"},
            1),
      {.name = "first",
       .help = {"여러 기계에서 손으로 시작할 때: 첫 프로세스가 기다리는 곳",
                "started by hand on several machines: where the first waits for the others"},
       .value = "HOST:PORT"},
      {.name = "dtype",
       .help = {"계산하는 수의 형식", "numbers to compute with"},
       .value = "TYPE",
       .choices = {"f32", "bf16"}},
      count("eval-every", {"검증 사이의 스텝", "steps between validations"}, 0),
      count("checkpoint-every", {"저장 사이의 스텝", "steps between checkpoints"}, 0),
      count("keep", {"남길 체크포인트 수", "checkpoints to keep"}, 1),
      count("average",
            {"끝에 최근 체크포인트 N개의 평균도 시험해, 나으면 그것을",
             "at the end try the mean of the N newest checkpoints, and keep it if better"},
            0),
      count("lora-rank",
            {"model.from의 가중치는 그대로 두고 이 계수의 어댑터(LoRA)만 학습",
             "keep the weights of model.from and train adapters (LoRA) of this rank"},
            1),
      {.name = "recompute",
       .help = {"블록마다 입력만 두고 뒤로 갈 때 다시 계산: 결과는 같고 메모리는 적게, 시간은 더",
                "keep of each block its input alone and compute it again on the way back: the same "
                "results, less memory, more time"},
       .kind = Kind::flag},
      {.name = "force",
       .help = {"메모리가 모자라 보여도 시작합니다",
                "begin although there seems to be too little memory"},
       .kind = Kind::flag},
      {.name = "keys",
       .help = {"레시피의 모든 키: 종류, 기본값, 뜻, 예",
                "every key of a recipe: kind, default, meaning, example"},
       .kind = Kind::flag},
      {.name = "dry-run",
       .help = {"학습하지 않고 매개변수와 예상 메모리만, --recompute를 쓸 때와 안 쓸 때",
                "no training: parameters and predicted memory, with and without --recompute"},
       .kind = Kind::flag},
      json_option(),
  };
}

}  // namespace

Command train_command() {
  Command out{.name = "train",
              .group = Group::make,
              .summary = {"레시피대로 모델을 학습합니다", "trains a model as a recipe says"}};
  out.operands = {{"RECIPE", {"레시피 파일, recipes/*.toml", "a recipe, recipes/*.toml"}, true}};
  out.options = train_options();
  out.examples = {
      {"jogak train recipes/sort-lines.toml --out runs/lines", {"처음부터", "from the start"}},
      {"jogak train --resume --out runs/lines --steps 2000",
       {"멈춘 곳에서 이어서, 더 길게", "on from where it stopped, and further"}},
      {"jogak train recipes/sort-lines.toml --set model.n_layer=4 --lr 3e-4 --dry-run",
       {"바꾼 설정이 얼마나 큰지만", "only how large changed settings would be"}},
      {"jogak train recipes/sort-lines.toml --processes 2",
       {"프로세스 둘로, 하나일 때와 같은 비트", "with two processes, to the bits of one"}},
  };
  out.run = do_train;
  return out;
}

}  // namespace jogak::cli
