#include "app/train/study_runs.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <thread>

#include "app/models/target.h"
#include "app/train/train.h"
#include "base/error.h"
#include "base/file.h"
#include "base/launched.h"
#include "base/log.h"
#include "base/parallel.h"
#include "base/progress.h"
#include "base/stop.h"
#include "base/terminal.h"

namespace jogak {
namespace {

std::string last_line(const std::string& text) {
  const size_t end = text.find_last_not_of('\n');
  if (end == std::string::npos) return "";
  const size_t begin = text.find_last_of('\n', end);
  return text.substr(begin == std::string::npos ? 0 : begin + 1,
                     end - (begin == std::string::npos ? size_t{0} : begin + 1) + 1);
}

constexpr char kSpeaker[] = "jogak: ";  // with which a program's error begins

Json failure(const std::string& message) { return std::move(Json::object().set("error", message)); }

// Whether an earlier study finished this run. What it was asked for must be what is asked now.
bool finished_before(StudyRun& run) {
  if (!file_exists(run.recipe_file())) return false;
  ensure<UsageError>(read_file(run.recipe_file()) == to_toml(run.recipe), run.recipe_file(),
                     ": holds another recipe, wanted that of the study that --resume goes on with");
  if (!file_exists(run.result_file())) return false;
  run.result = read_json_file(run.result_file());
  return true;
}

void check_place(const StudyRun& run, const StudyWork& how) {
  if (how.resume || how.overwrite) return;
  const std::string there = what_is_there(run.path);
  if (!there.empty() && there != kUnbegunRun)
    refuse_target({run.path}, there, "--resume goes on with it; or choose another --out");
}

void finish(StudyRun& run, Json result) {
  run.result = std::move(result);
  write_file(run.result_file(), run.result.dump() + "\n");
}

bool goes_on(const StudyRun& run, const StudyWork& how) {
  return how.resume && newest_checkpoint(run.path) >= 0;
}

void train_here(StudyRun& run, const StudyWork& how) {
  log_info(run.title);
  TrainRequest request{.recipe = run.recipe,
                       .out = run.path,
                       .resume = goes_on(run, how),
                       .overwrite = how.overwrite,
                       .stop = how.stop,
                       .lang = how.lang,
                       .quiet = true};
  TrainSummary result;
  try {
    result = run_training(request);
  } catch (const Stopped&) {
    throw;
  } catch (const Error& error) {  // a loss that is not finite, too little memory: others may do
    return finish(run, failure(error.what()));
  }
  ensure<Stopped>(result.end != TrainEnd::stopped, "stopped");
  finish(run, to_json(result));
}

// The last step a run has told of, in place or beside what it replaces.
int64_t reached(const StudyRun& run) {
  for (const char* ending : {".new", ""}) {
    const std::string metrics = join_path(run.path + ending, "metrics.jsonl");
    if (!file_exists(metrics)) continue;
    try {
      const Json line = parse_json(last_line(read_file(metrics)), metrics);
      if (const Json* step = line.find("step")) return step->integer();
    } catch (const Error&) {  // half a line: the next look will do
    }
  }
  return 0;
}

class Running {
 public:
  Running(StudyRun& run, const StudyWork& how, int threads)
      : run_(&run), program_(words(run, how, threads), output(), run.path + ".log") {}

  // True once it has ended, its result written.
  bool ended() {
    const std::optional<int> status = program_.ended();
    if (!status) return false;
    if (*status == 0) {
      finish(*run_, parse_json(last_line(read_file(output())), output()));
    } else if (!stopped(*status)) {
      std::string said = last_line(read_file(run_->path + ".log"));
      if (said.starts_with(kSpeaker)) said.erase(0, sizeof kSpeaker - 1);
      finish(*run_, std::move(failure(said.empty() ? text_of("ended with status ", *status) : said)
                                  .set("status", *status)));
    }
    std::filesystem::remove(output());
    return true;
  }
  void ask_to_stop() const { program_.ask_to_stop(); }
  const StudyRun& run() const { return *run_; }

 private:
  static bool stopped(int status) { return status == 75 || status == 130 || status > 128; }
  std::string output() const { return run_->path + ".out"; }
  static std::vector<std::string> words(const StudyRun& run, const StudyWork& how, int threads) {
    std::vector<std::string> out = {
        how.program, "train",  run.recipe_file(), "--out",
        run.path,    "--json", "--threads",       std::to_string(threads)};
    if (goes_on(run, how))
      out.emplace_back("--resume");
    else if (how.overwrite)
      out.emplace_back("--overwrite");
    return out;
  }

  StudyRun* run_;
  Launched program_;
};

void train_beside(std::vector<StudyRun*> waiting, const StudyWork& how) {
  using Clock = std::chrono::steady_clock;
  const EndsItself after_its_runs;  // which end within a second, or save first
  int64_t total = 0, done = 0;
  for (const StudyRun* run : waiting) total += run->recipe.train.steps;
  const size_t all = waiting.size();
  const int threads = std::max(1, thread_count() / static_cast<int>(how.jobs));
  const bool ko = how.lang == Lang::ko;
  Progress progress(ko ? "연구" : "study", total, how.lang);
  std::reverse(waiting.begin(), waiting.end());
  std::vector<std::unique_ptr<Running>> running;
  Clock::time_point look = Clock::now();
  while (!waiting.empty() || !running.empty()) {
    const bool stop = how.stop && how.stop->load();
    if (stop) waiting.clear();
    while (!waiting.empty() && std::ssize(running) < how.jobs) {
      running.push_back(std::make_unique<Running>(*waiting.back(), how, threads));
      waiting.pop_back();
    }
    std::erase_if(running, [&](const std::unique_ptr<Running>& one) {
      if (stop) one->ask_to_stop();
      if (!one->ended()) return false;
      done += one->run().recipe.train.steps;
      return true;
    });
    if (Clock::now() >= look) {
      look = Clock::now() + std::chrono::milliseconds(500);
      int64_t steps = done;
      for (const auto& one : running) steps += reached(one->run());
      const size_t ended = all - waiting.size() - running.size();
      progress.update(steps, {{ko ? "실행" : "runs", text_of(ended, "/", all)},
                              {"", running.empty() ? "" : running[0]->run().title}});
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(stop ? 10 : 50));
  }
  progress.finish();
  ensure<Stopped>(!how.stop || !how.stop->load(), "stopped");
}

}  // namespace

std::string StudyRun::command() const {
  return "jogak train " + shell_quoted(recipe_file()) + " --out " + shell_quoted(path + "-again");
}

void train_runs(std::vector<StudyRun>& runs, const StudyWork& how) {
  std::vector<StudyRun*> waiting;
  for (StudyRun& run : runs) {
    check_place(run, how);
    if (how.resume && finished_before(run)) continue;
    waiting.push_back(&run);
  }
  for (const StudyRun* run : waiting) {
    std::filesystem::remove(run->result_file());
    write_file(run->recipe_file(), to_toml(run->recipe));
  }
  if (!how.program.empty()) return train_beside(std::move(waiting), how);
  for (StudyRun* run : waiting) train_here(*run, how);
}

}  // namespace jogak
