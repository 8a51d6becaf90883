// What goes wrong on the way: numbers that are not finite, a full disk.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <cmath>

#include "base/file.h"
#include "tests/support/expect.h"
#include "tests/support/temp_dir.h"
#include "tests/train/toy.h"
#include "train/checkpoint.h"

namespace jogak {
namespace {

using test::checkpoint_sha256;
using test::Toy;
using test::toy_training;

// A task whose batches hold a NaN at the steps that `bad` names.
TrainTask poisoned(Toy& toy, const int64_t& step, std::function<bool(int64_t)> bad) {
  TrainTask task = toy.task();
  task.prepare = [&toy, &step, bad](std::span<const Pick> picks) {
    test::ToyBatch batch = toy.batch(picks);
    if (bad(step + 1)) fill(batch.x.view({}, {}, 0), std::nan(""));
    return [&toy, batch](jogak::Run& run) { return toy.loss(batch, run); };
  };
  return task;
}

TEST(Faults, ABadStepIsSkippedAndNamed) {
  const TempDir dir;
  Toy toy({.dropout = true, .with_buffer = true});
  TrainOptions options = toy_training(dir / "run", 9);
  int64_t step = 0;
  std::vector<std::string> weights;
  options.on_step = [&](int64_t at, const StepResult&) {
    step = at;
    weights.push_back(test::weights_sha256(toy.params));
  };
  testing::internal::CaptureStderr();
  const TrainResult r =
      train(toy.params, poisoned(toy, step, [](int64_t s) { return s == 4 || s == 5; }), options);
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_EQ(r.end, TrainEnd::finished);
  EXPECT_EQ(r.skipped, 2);
  EXPECT_EQ(weights[2], weights[3]);
  EXPECT_EQ(weights[3], weights[4]);
  EXPECT_NE(weights[4], weights[5]);
  EXPECT_NE(log.find("jogak: warning: step 4 skipped: hidden of layer 0 is not finite, and the "
                     "loss is nan (examples from place 24 of epoch 0)"),
            std::string::npos)
      << log;
  const std::string metrics = read_file(dir / "run/metrics.jsonl");
  EXPECT_NE(metrics.find("{\"schema\":1,\"step\":4,\"skipped\":\"hidden of layer 0"),
            std::string::npos);
}

// Steps as the trainer takes them, by hand, and none where a batch is bad.
TEST(Faults, WeightsAreThoseOfARunWithoutTheBatch) {
  const TempDir dir;
  const test::ToyOptions kind{.dropout = true, .with_buffer = true};
  const auto bad = [](int64_t step) { return step == 3 || step == 7; };
  TrainOptions options = toy_training(dir / "run", 9);
  options.schedule.steps = options.steps;
  Toy toy(kind);
  int64_t at = 0;
  options.on_step = [&](int64_t done, const StepResult&) { at = done; };
  testing::internal::CaptureStderr();
  train(toy.params, poisoned(toy, at, bad), options);
  testing::internal::GetCapturedStderr();

  Toy other(kind);
  Optimizer optimizer(other.params, options.optimizer);
  SoloGroup solo;
  TrainStep step(other.params, optimizer, solo);
  Sampler sampler(kind.examples, options.seed);
  jogak::Run run;
  run.seed = options.seed;
  run.training = true;
  for (int64_t i = 1; i <= options.steps; ++i) {
    const std::vector<Pick> picks = sampler.next(options.batch);
    run.begin_step(static_cast<uint64_t>(i));
    if (!bad(i))
      step(other.task(), {picks, options.accumulate, rate_at(options.schedule, i), options.clip},
           run);
  }
  EXPECT_EQ(test::weights_sha256(toy.params), test::weights_sha256(other.params));
  EXPECT_EQ(optimizer.updates(), 7);
}

TEST(Faults, TenInARowEndTheRunWithAGoodCheckpoint) {
  const TempDir dir;
  Toy toy;
  TrainOptions options = toy_training(dir / "run", 100);
  int64_t step = 0;
  std::string good;
  options.on_step = [&](int64_t at, const StepResult& r) {
    step = at;
    if (r.updated()) good = test::weights_sha256(toy.params);
  };
  // Nine in a row are suffered; a tenth is not.
  const auto bad = [](int64_t s) { return (s > 3 && s <= 12) || s > 20; };
  testing::internal::CaptureStderr();
  expect_error<Error>(
      [&] { train(toy.params, poisoned(toy, step, bad), options); },
      dir / "run" +
          ": training stopped at step 30: 10 steps in a row could not be used; at the "
          "first of them hidden of layer 0 is not finite, and the loss is nan");
  testing::internal::GetCapturedStderr();
  Toy other;
  Optimizer optimizer(other.params, {});
  Checkpoint(dir / "run/checkpoints/step-00000030").restore(other.params, optimizer);
  EXPECT_EQ(test::weights_sha256(other.params), good);
  options.resume = true;
  options.steps = 32;
  EXPECT_EQ(train(other.params, other.task(), options).end, TrainEnd::finished);
}

// Files larger than `bytes` cannot be written while this lives, as on a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    handler_ = ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  sighandler_t handler_;
};

TEST(Faults, AFullDiskIsOneClearErrorAndTheLastCheckpointStays) {
  const TempDir dir;
  TrainOptions options = toy_training(dir / "whole", 8);
  {
    Toy toy;
    train(toy.params, toy.task(), options);
  }
  options.out = dir / "run";
  options.checkpoint_every = 2;
  std::string good;
  for (const rlim_t limit : {0, 100, 2000, 4000}) {  // within each of the files
    Toy toy;
    std::unique_ptr<FileSizeLimit> full;
    TrainTask task = toy.task();
    task.save_model = nullptr;
    options.log_every = 1000;  // lines of metrics need room too
    options.on_step = [&](int64_t at, const StepResult&) {
      if (at % 2 == 0 && !good.empty()) full = std::make_unique<FileSizeLimit>(limit);
      if (at == 3 && good.empty()) good = checkpoint_sha256(dir / "run");
    };
    const std::string message = error_of<IoError>([&] { train(toy.params, task, options); });
    full.reset();
    EXPECT_NE(message.find("File too large"), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos);
    EXPECT_EQ(checkpoint_sha256(dir / "run"), good);
    EXPECT_EQ(list_directory(dir / "run/checkpoints").size(), 1u);
    options.resume = true;
  }
  options.on_step = nullptr;
  options.log_every = 2;
  Toy toy;
  train(toy.params, toy.task(), options);
  EXPECT_EQ(checkpoint_sha256(dir / "run"), checkpoint_sha256(dir / "whole"));
}

}  // namespace
}  // namespace jogak
