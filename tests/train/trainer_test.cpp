#include "train/trainer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "base/file.h"
#include "base/json.h"
#include "base/parallel.h"
#include "tests/support/expect.h"
#include "tests/support/temp_dir.h"
#include "tests/train/toy.h"
#include "train/checkpoint.h"

namespace jogak {
namespace {

using test::checkpoint_sha256;
using test::Toy;
using test::toy_training;

constexpr test::ToyOptions kFull{.dropout = true, .with_buffer = true};

std::vector<Json> metrics_of(const std::string& run) {
  std::vector<Json> out;
  const std::string text = read_file(join_path(run, "metrics.jsonl"));
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    out.push_back(parse_json(text.substr(at, end - at), "metrics.jsonl"));
    at = end + 1;
  }
  return out;
}

// Without what depends on the clock.
std::string timeless(const std::vector<Json>& lines) {
  std::string out;
  for (const Json& line : lines) {
    Json kept = Json::object();
    for (const auto& [key, value] : line.members())
      if (key != "tokens_per_s") kept.set(key, value);
    out += kept.dump() + "\n";
  }
  return out;
}

TrainResult train_toy(const TrainOptions& options, test::ToyOptions toy_options = kFull) {
  Toy toy(toy_options);
  return train(toy.params, toy.task(), options);
}

// Sets the stop flag after a step.
struct StopAfter {
  std::atomic<bool> flag{false};
  void use(TrainOptions& o, int64_t step) {
    o.stop = &flag;
    o.on_step = [this, step](int64_t at, const StepResult&) { flag = at == step; };
  }
};

TEST(Trainer, Learns) {
  const TempDir dir;
  Toy toy;
  jogak::Run quiet;
  const double before = toy.validation_loss(quiet);
  const TrainResult r = train(toy.params, toy.task(), toy_training(dir / "run", 120));
  EXPECT_EQ(r.end, TrainEnd::finished);
  EXPECT_EQ(r.step, 120);
  EXPECT_LT(r.valid_loss, before / 2);
  EXPECT_EQ(r.valid_loss, toy.validation_loss(quiet));
  EXPECT_EQ(r.best_step, 120);
  EXPECT_GT(r.tokens_per_s, 0);
  EXPECT_EQ(r.checkpoint, dir / "run/checkpoints/step-00000120");
}

TEST(Trainer, TenStepsEqualFiveAndFive) {
  for (const auto kind : {OptimizerKind::adamw, OptimizerKind::sgd}) {
    const TempDir dir;
    TrainOptions options = toy_training(dir / "whole", 10);
    options.optimizer.kind = kind;
    options.eval_every = 3;
    train_toy(options);
    const std::string metrics = timeless(metrics_of(options.out));

    options.out = dir / "parts";
    StopAfter stop;
    stop.use(options, 5);
    const TrainResult first = train_toy(options);
    EXPECT_EQ(first.end, TrainEnd::stopped);
    EXPECT_EQ(first.step, 5);
    EXPECT_EQ(first.checkpoint, dir / "parts/checkpoints/step-00000005");
    EXPECT_NE(checkpoint_sha256(dir / "whole"), checkpoint_sha256(dir / "parts"));

    options.stop = nullptr;
    options.on_step = nullptr;
    options.resume = true;
    const TrainResult second = train_toy(options);
    EXPECT_EQ(second.end, TrainEnd::finished);
    EXPECT_EQ(checkpoint_sha256(dir / "whole"), checkpoint_sha256(dir / "parts"));
    EXPECT_EQ(timeless(metrics_of(options.out)), metrics);
    EXPECT_EQ(read_file(dir / "whole/model.txt"), read_file(dir / "parts/model.txt"));
  }
}

TEST(Trainer, SameBitsForAnyThreadCount) {
  const TempDir dir;
  const int before = thread_count();
  std::string first;
  for (const int threads : {1, 2, 4}) {
    set_thread_count(threads);
    const std::string out = dir / text_of(threads);
    train_toy(toy_training(out, 6));
    if (first.empty()) first = checkpoint_sha256(out);
    EXPECT_EQ(checkpoint_sha256(out), first) << threads;
  }
  set_thread_count(before);
}

TEST(Trainer, StoppingInTheMiddleOfAStepOrAValidationLosesNothing) {
  const TempDir dir;
  TrainOptions options = toy_training(dir / "whole", 8);
  options.eval_every = 4;
  train_toy(options);
  options.out = dir / "parts";
  options.resume = true;
  int stops = 0;
  for (int place = 1; place < 60; place += 4) {  // after so many batches the user asks to stop
    Toy toy(kFull);
    std::atomic<bool> flag{false};
    options.stop = &flag;
    TrainTask task = toy.task();
    int calls = 0;
    task.prepare = [&, good = task.prepare](std::span<const Pick> picks) {
      if (++calls == place) flag = true;
      return good(picks);
    };
    task.validate = [&](jogak::Run& run) {
      if (++calls == place) flag = true;
      run.layer(0);
      return toy.validation_loss(run);
    };
    const TrainResult r = train(toy.params, task, options);
    if (r.end == TrainEnd::finished) break;
    ++stops;
  }
  EXPECT_GE(stops, 3);
  EXPECT_EQ(checkpoint_sha256(dir / "whole"), checkpoint_sha256(dir / "parts"));
  EXPECT_EQ(timeless(metrics_of(dir / "whole")), timeless(metrics_of(dir / "parts")));
  const auto state = [&](const std::string& run) {
    return read_file(dir / (run + "/checkpoints/step-00000008/state.json"));
  };
  EXPECT_EQ(state("whole"), state("parts"));
}

TEST(Trainer, BestAndNewestAreKept) {
  const TempDir dir;
  Toy toy;
  TrainOptions options = toy_training(dir / "run", 10);
  options.eval_every = 2;
  options.checkpoint_every = 2;
  options.keep = 3;
  TrainTask task = toy.task();
  int64_t step = 0;
  std::string best;
  options.on_step = [&](int64_t at, const StepResult&) { step = at; };
  task.validate = [&](jogak::Run&) {
    if (step == 4) best = test::weights_sha256(toy.params);
    return std::fabs(static_cast<double>(step) - 4);
  };
  const TrainResult r = train(toy.params, task, options);
  EXPECT_EQ(r.best_step, 4);
  EXPECT_EQ(r.best_loss, 0);
  EXPECT_EQ(r.valid_loss, 6);
  EXPECT_EQ(read_file(dir / "run/model.txt"), best);
  EXPECT_EQ(list_directory(dir / "run/checkpoints"),
            (std::vector<std::string>{"step-00000006", "step-00000008", "step-00000010"}));
}

// Killed after its last commit, before the old ones went.
TEST(Trainer, AFinishedRunThatIsResumedKeepsNoMoreThanItShould) {
  const TempDir dir;
  TrainOptions options = toy_training(dir / "run", 4);
  options.checkpoint_every = 1;
  options.keep = 3;
  train_toy(options);
  EXPECT_EQ(list_directory(dir / "run/checkpoints").size(), 3u);
  options.keep = 2;
  options.resume = true;
  train_toy(options);
  EXPECT_EQ(list_directory(dir / "run/checkpoints"),
            (std::vector<std::string>{"step-00000003", "step-00000004"}));
}

TEST(Trainer, PatienceEndsARunEarlyAndItStaysEnded) {
  const TempDir dir;
  Toy toy;
  TrainOptions options = toy_training(dir / "run", 100);
  options.eval_every = 2;
  options.patience = 3;
  TrainTask task = toy.task();
  int asked = 0;
  task.validate = [&](jogak::Run&) { return ++asked == 2 ? 1.0 : 5.0; };
  TrainResult r = train(toy.params, task, options);
  EXPECT_EQ(r.end, TrainEnd::early);
  EXPECT_EQ(r.step, 10);  // best at 4, worse at 6, 8 and 10
  EXPECT_EQ(r.best_step, 4);
  options.resume = true;
  Toy again;
  r = train(again.params, task, options);
  EXPECT_EQ(r.end, TrainEnd::early);
  EXPECT_EQ(r.step, 10);
  EXPECT_EQ(asked, 5);
}

TEST(Trainer, MetricsHaveTheirNames) {
  const TempDir dir;
  TrainOptions options = toy_training(dir / "run", 4);
  options.eval_every = 4;
  train_toy(options);
  const auto lines = metrics_of(dir / "run");
  ASSERT_EQ(lines.size(), 4u);  // steps 1, 2, 4 and a validation
  std::string keys;
  for (const auto& [key, value] : lines[1].members()) keys += key + " ";
  EXPECT_EQ(keys, "schema step train_loss perplexity lr grad_norm tokens_per_s ");
  EXPECT_DOUBLE_EQ(lines[1].find("perplexity")->number(),
                   std::exp(lines[1].find("train_loss")->number()));
  EXPECT_EQ(lines[3].dump().find("{\"schema\":1,\"step\":4,\"valid_loss\":"), 0u);
}

TEST(Trainer, ExamplesAreCountedWhereThereAreNoTokens) {
  const TempDir dir;
  Toy toy(kFull);
  TrainTask task = toy.task();
  task.of_tokens = false;
  const TrainResult r = train(toy.params, task, toy_training(dir / "run", 2));
  EXPECT_GT(r.examples_per_s, 0);
  std::string keys;
  const auto metrics = metrics_of(dir / "run");
  for (const auto& [key, value] : metrics.at(1).members()) keys += key + " ";
  EXPECT_EQ(keys, "schema step train_loss lr grad_norm examples_per_s ");
}

TEST(Trainer, ARunIsNotOverwrittenByAccident) {
  const TempDir dir;
  const TrainOptions options = toy_training(dir / "run", 2);
  train_toy(options);
  expect_error<UsageError>([&] { train_toy(options); },
                           dir / "run" +
                               ": holds a run that is at step 2: resume it, or train "
                               "into another directory");
}

TEST(Trainer, WhatIsNotTheSameRunIsRefused) {
  const TempDir dir;
  TrainOptions options = toy_training(dir / "run", 2);
  train_toy(options);
  options.resume = true;
  options.steps = 4;
  const std::string state = dir / "run/checkpoints/step-00000002/state.json";
  const auto refused = [&](auto change) {
    Toy toy(kFull);
    TrainTask task = toy.task();
    change(task);
    return error_of<FormatError>([&] { train(toy.params, task, options); });
  };
  EXPECT_EQ(
      refused([](TrainTask& t) { t.config = "{}"; }),
      state + ": \"config_sha256\": this checkpoint is of a model with another configuration");
  EXPECT_EQ(refused([](TrainTask& t) { t.inputs[0].second = "sha256:2"; }),
            state +
                ": toy has other contents; put back what the run began with, or go on with "
                "--accept-changes");
  EXPECT_NE(refused([](TrainTask& t) {
              t.inputs = {{"width", "4"}, {"more", "1"}};
            }).find("toy is missing, width was 3 and is 4, more is new"),
            std::string::npos);
  EXPECT_EQ(refused([](TrainTask& t) { t.examples = 36; }),
            state + ": \"examples\": the data had 37 examples, now it has 36");
  TrainOptions other = options;
  other.seed = 2;
  expect_error<UsageError>([&] { train_toy(other); },
                           state + ": the run has seed 1, it cannot go on with seed 2");
  EXPECT_EQ(train_toy(options).step, 4);
  options.steps = 3;
  expect_error<UsageError>([&] { train_toy(options); },
                           dir / "run: the run is at step 4, beyond the 3 steps it is asked for");
}

TEST(Trainer, ChangesThatAreAcceptedAreRecorded) {
  const TempDir dir;
  TrainOptions options = toy_training(dir / "run", 2);
  train_toy(options);
  options.resume = options.accept_changes = true;
  options.steps = 4;
  Toy toy(kFull);
  TrainTask task = toy.task();
  task.inputs[0].second = "sha256:2";
  task.examples = 30;
  EXPECT_EQ(train(toy.params, task, options).step, 4);
  const Checkpoint saved(dir / "run/checkpoints/step-00000004");
  ASSERT_EQ(saved.state().accepted.size(), 1u);
  EXPECT_EQ(saved.state().accepted[0].step, 2);
  EXPECT_EQ(saved.state().accepted[0].what, "toy has other contents");
  EXPECT_EQ(saved.state().examples, 30);
  EXPECT_EQ(saved.state().position.epoch, 1) << "places in the old data mean nothing in the new";
  EXPECT_EQ(saved.state().inputs, task.inputs);
}

TEST(Trainer, AnotherInstructionSetIsTold) {
  const TempDir dir;
  TrainOptions options = toy_training(dir / "run", 1);
  train_toy(options);
  const std::string checkpoint = dir / "run/checkpoints/step-00000001";
  Toy toy(kFull);
  Optimizer optimizer(toy.params, options.optimizer);
  const Checkpoint loaded(checkpoint);
  loaded.restore(toy.params, optimizer);
  TrainState state = loaded.state();
  state.isa = "abacus";
  std::filesystem::remove_all(checkpoint);
  std::filesystem::create_directory(checkpoint);
  write_checkpoint(checkpoint, toy.params, optimizer.state(), state);
  options.resume = true;
  options.steps = 2;
  testing::internal::CaptureStderr();
  train_toy(options);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("was trained with abacus up to step 1"),
            std::string::npos);
}

TEST(Trainer, ResumingWithoutACheckpointBeginsAtTheStart) {
  const TempDir dir;
  TrainOptions options = toy_training(dir / "run", 3);
  train_toy(options);
  const std::string wanted = checkpoint_sha256(dir / "run");
  options.out = dir / "other";
  options.resume = true;
  make_directories(options.out);
  append_line(options.out + "/metrics.jsonl", "{\"schema\":1,\"step\":1,\"train_loss\":9}");
  train_toy(options);
  EXPECT_EQ(checkpoint_sha256(dir / "other"), wanted);
  EXPECT_EQ(timeless(metrics_of(dir / "other")), timeless(metrics_of(dir / "run")));
}

TEST(Trainer, TheStopFlagBeforeTheFirstStepLeavesNoCheckpoint) {
  const TempDir dir;
  TrainOptions options = toy_training(dir / "run", 3);
  const std::atomic<bool> flag{true};
  options.stop = &flag;
  const TrainResult r = train_toy(options);
  EXPECT_EQ(r.end, TrainEnd::stopped);
  EXPECT_EQ(r.step, 0);
  EXPECT_EQ(r.checkpoint, "");
}

TEST(Trainer, SettingsThatCannotBeAreRefused) {
  const TempDir dir;
  const auto refused = [&](auto change) {
    TrainOptions options = toy_training(dir / "run", 3);
    change(options);
    error_of<UsageError>([&] { train_toy(options); });
  };
  refused([](TrainOptions& o) { o.steps = 0; });
  refused([](TrainOptions& o) { o.batch = 0; });
  refused([](TrainOptions& o) { o.accumulate = 9; });
  refused([](TrainOptions& o) { o.clip = -1; });
  refused([](TrainOptions& o) { o.log_every = 0; });
  refused([](TrainOptions& o) { o.keep = 0; });
  refused([](TrainOptions& o) { o.schedule.rate = -1; });
  refused([](TrainOptions& o) { o.out = ""; });
}

}  // namespace
}  // namespace jogak
