#include "train/together.h"

#include <cmath>
#include <mutex>

#include "base/file.h"
#include "tests/support/expect.h"
#include "tests/support/temp_dir.h"
#include "tests/train/thread_group.h"
#include "tests/train/toy.h"

namespace jogak {
namespace {

using test::in_threads;
using test::ThreadGroup;
using test::Toy;
using test::toy_training;

struct Process {                         // what is seen of one of them
  std::vector<std::vector<Pick>> picks;  // of its steps
  std::vector<double> losses;
  std::vector<std::string> skipped;
  TrainResult result;
  std::string weights, error;
};

struct Plan {  // what a test changes in one process
  std::function<void(int64_t index, int64_t step, std::atomic<bool>& stop)> after_step;
  std::function<void(int64_t index, int64_t step, std::atomic<bool>& stop)> in_step;
  std::function<bool(int64_t index, int64_t step)> poisoned;
};

Process train_one(ProcessGroup* group, TrainOptions options, const Plan& plan) {
  Process out;
  Toy toy({.dropout = true, .with_buffer = true});
  std::atomic<bool> stop{false};
  const int64_t index = group ? group->processes().index : 0;
  int64_t done = 0;
  size_t taken = 0;  // steps of this call
  options.group = group;
  options.stop = &stop;
  options.on_step = [&](int64_t step, const StepResult& r) {
    done = step;
    ++taken;
    if (r.updated())
      out.losses.push_back(r.loss());
    else
      out.skipped.push_back(text_of(step, ": ", r.bad));
    if (plan.after_step) plan.after_step(index, step, stop);
  };
  TrainTask task = toy.task();
  task.prepare = [&, good = task.prepare](std::span<const Pick> picks) -> BatchLoss {
    out.picks.resize(taken + 1);
    out.picks[taken].insert(out.picks[taken].end(), picks.begin(), picks.end());
    if (plan.in_step) plan.in_step(index, done + 1, stop);
    if (!plan.poisoned || !plan.poisoned(index, done + 1)) return good(picks);
    const test::ToyBatch batch = toy.batch(picks);
    fill(batch.x.view({}, {}, 0), std::nan(""));
    return [&toy, batch](Run& run) { return toy.loss(batch, run); };
  };
  try {
    out.result = train(toy.params, task, options);
  } catch (const Error& error) {
    out.error = error.what();
  }
  out.weights = test::weights_sha256(toy.params);
  return out;
}

std::vector<Process> train_together(int64_t count, const TrainOptions& options,
                                    const Plan& plan = {}) {
  std::vector<Process> out(static_cast<size_t>(count));
  in_threads(count, [&](ThreadGroup& group) {
    out[static_cast<size_t>(group.processes().index)] = train_one(&group, options, plan);
  });
  return out;
}

// The examples of each step, in the order of the processes.
std::vector<std::vector<Pick>> all_picks(const std::vector<Process>& processes) {
  std::vector<std::vector<Pick>> out;
  for (size_t step = 0; step < processes[0].picks.size(); ++step) {
    out.emplace_back();
    for (const Process& p : processes)
      out.back().insert(out.back().end(), p.picks[step].begin(), p.picks[step].end());
  }
  return out;
}

TrainOptions in_micro_batches(const std::string& out, int64_t steps, int64_t micro = 4) {
  TrainOptions options = toy_training(out, steps);
  options.accumulate = 1;
  options.micro_batches = micro;
  return options;
}

TEST(Together, TheFirstsNumbersReachAllBitByBit) {
  in_threads(3, [](ThreadGroup& group) {
    Together together(group);
    const auto own = static_cast<double>(group.processes().index);
    EXPECT_EQ(together.from_first(int64_t{-7} + group.processes().index), -7);
    EXPECT_TRUE(std::signbit(together.from_first(own == 0 ? -0.0 : own)));
    EXPECT_TRUE(std::isnan(together.from_first(own == 0 ? std::nan("") : own)));
    EXPECT_EQ(together.from_first(1.0 / 3 + own), 1.0 / 3);
    EXPECT_TRUE(together.from_first(own == 0));
    EXPECT_TRUE(together.any(own == 2));
    EXPECT_FALSE(together.any(own == 3));
  });
}

TEST(Together, WhatOneThrowsEndsTheCallInAll) {
  in_threads(3, [](ThreadGroup& group) {
    Together together(group);
    const int64_t index = group.processes().index;
    const auto call = [&](int64_t stopped, int64_t failed) {
      together.in_all([&] {
        ensure<IoError>(index != failed, "disk");
        ensure<Stopped>(index != stopped, "told to");
      });
    };
    EXPECT_EQ(error_of<Stopped>([&] { call(1, -1); }),
              index == 1 ? "told to" : "another process was stopped");
    if (index == 2)
      expect_error<IoError>([&] { call(1, 2); }, "disk");
    else
      expect_error<Error>([&] { call(1, 2); },
                          "training: another process failed, its message says why");
    int64_t ran = 0;
    together.in_first([&] { ++ran; });
    EXPECT_EQ(ran, index == 0 ? 1 : 0);
  });
}

TEST(Together, AnyNumberOfProcessesEndsWithTheBitsOfOne) {
  const TempDir dir;
  TrainOptions options = in_micro_batches(dir / "one", 10, 8);
  options.eval_every = 5;
  options.checkpoint_every = 5;
  const Process alone = train_one(nullptr, options, {});
  for (const int64_t count : {1, 2, 3, 4, 5, 8}) {
    options.out = dir / text_of(count);
    int begun = 0;
    std::mutex mutex;
    options.on_begin = [&] {
      const std::scoped_lock lock(mutex);
      ++begun;
    };
    const std::vector<Process> processes = train_together(count, options);
    EXPECT_EQ(begun, 1);
    EXPECT_EQ(all_picks(processes), alone.picks);
    for (const Process& p : processes) {
      EXPECT_EQ(p.error, "");
      EXPECT_EQ(p.weights, alone.weights) << count;
      EXPECT_EQ(p.losses, alone.losses) << count;
      EXPECT_EQ(p.result.valid_loss, alone.result.valid_loss);
      EXPECT_EQ(p.result.checkpoint, options.out + "/checkpoints/step-00000010");
    }
    EXPECT_EQ(test::checkpoint_sha256(options.out), test::checkpoint_sha256(dir / "one")) << count;
    EXPECT_EQ(list_directory(options.out).size(), list_directory(dir / "one").size());
    const auto lines = [](const std::string& text) {
      return std::count(text.begin(), text.end(), '\n');
    };
    EXPECT_EQ(lines(read_file(options.out + "/metrics.jsonl")),
              lines(read_file(dir / "one/metrics.jsonl")));
  }
}

TEST(Together, MicroBatchesMoveTheResultByRoundingAlone) {
  const TempDir dir;
  Toy one, two;
  std::vector<double> plain, cut;
  TrainOptions options = toy_training(dir / "plain", 6);
  options.on_step = [&](int64_t, const StepResult& r) { plain.push_back(r.loss()); };
  train(one.params, one.task(), options);
  options = in_micro_batches(dir / "cut", 6, 8);
  options.on_step = [&](int64_t, const StepResult& r) { cut.push_back(r.loss()); };
  train(two.params, two.task(), options);
  ASSERT_EQ(plain.size(), cut.size());
  for (size_t i = 0; i < cut.size(); ++i) EXPECT_NEAR(cut[i], plain[i], 2e-5 * plain[i]) << i;
}

TEST(Together, EachProcessKeepsItsShareOfTheOptimizer) {
  const TempDir dir;
  Toy toy;
  std::vector<Tensor> weights = toy.params.trained();
  int64_t total = 0;
  for (const Tensor& weight : weights) total += weight.count();
  for (const int64_t count : {1, 2, 3, 7}) {
    const Shards shards(weights, count);
    for (size_t i = 0; i < weights.size(); ++i) {  // nothing is left out, nothing owned twice
      int64_t at = 0;
      for (int64_t process = 0; process < count; ++process) {
        const ElementRange range = shards.owned(process, i);
        if (range.count() == 0) continue;
        EXPECT_EQ(range.begin, at);
        at = range.end;
      }
      EXPECT_EQ(at, weights[i].count());
    }
  }
  const std::vector<Tensor> large = {zeros({1000, 1000}), zeros({77}), zeros({3000, 100})};
  const Shards shards(large, 4);
  for (int64_t process = 0; process < 4; ++process) {
    int64_t own = 0;
    for (size_t i = 0; i < large.size(); ++i) own += shards.owned(process, i).count();
    EXPECT_NEAR(static_cast<double>(own), 1300077 / 4.0, kShardUnit);
  }
}

TEST(Together, ARunOfOneGoesOnWithTwoAndFourAndBackToTheSameBits) {
  const TempDir dir;
  const auto stop_after = [](int64_t at) {
    return Plan{
        .after_step = [at](int64_t, int64_t step, std::atomic<bool>& stop) { stop = step >= at; },
        .in_step = {},
        .poisoned = {}};
  };
  for (const OptimizerKind kind : {OptimizerKind::adamw, OptimizerKind::sgd}) {
    TrainOptions options = in_micro_batches(dir / text_of("whole", name_of(kind)), 12);
    options.optimizer.kind = kind;
    options.optimizer.momentum = 0.9;
    const Process whole = train_one(nullptr, options, {});
    const std::string unbroken = test::checkpoint_sha256(options.out);
    options.out = dir / text_of("parts", name_of(kind));
    options.resume = true;
    std::vector<std::vector<Pick>> picks;
    size_t begin = 0;
    for (const int64_t count : {1, 2, 4, 3}) {  // three steps each
      const std::vector<Process> now =
          train_together(count, options, stop_after(static_cast<int64_t>(begin) + 3));
      for (const Process& p : now) {
        EXPECT_EQ(p.error, "");
        EXPECT_EQ(p.result.step, static_cast<int64_t>(begin) + 3);
        EXPECT_EQ(p.weights, now[0].weights);
      }
      for (auto& step : all_picks(now)) picks.push_back(std::move(step));
      begin += 3;
    }
    EXPECT_EQ(picks, whole.picks);
    EXPECT_EQ(test::checkpoint_sha256(options.out), unbroken);
  }
}

TEST(Together, OneThatIsToldToStopStopsAllAtTheSameStep) {
  for (const bool within : {false, true}) {
    const TempDir dir;
    const TrainOptions options = in_micro_batches(dir / "run", 20);
    const auto tell = [](int64_t index, int64_t step, std::atomic<bool>& stop) {
      if (index == 2 && step == 4) stop = true;
    };
    Plan plan;
    (within ? plan.in_step : plan.after_step) = tell;
    const std::vector<Process> processes = train_together(4, options, plan);
    for (const Process& p : processes) {
      EXPECT_EQ(p.error, "");
      EXPECT_EQ(p.result.end, TrainEnd::stopped);
      EXPECT_EQ(p.result.step, within ? 3 : 4);  // a step that began is given up
      EXPECT_EQ(p.weights, processes[0].weights);
      EXPECT_EQ(p.result.checkpoint, options.out + (within ? "/checkpoints/step-00000003"
                                                           : "/checkpoints/step-00000004"));
    }
  }
}

TEST(Together, ABatchThatIsNotFiniteInOneIsSkippedByAll) {
  const TempDir dir;
  const TrainOptions options = in_micro_batches(dir / "run", 6);
  Plan plan;
  plan.poisoned = [](int64_t index, int64_t step) { return index == 1 && step == 3; };
  const std::vector<Process> processes = train_together(2, options, plan);
  for (const Process& p : processes) {
    EXPECT_EQ(p.error, "");
    ASSERT_EQ(p.skipped.size(), 1u);
    EXPECT_EQ(p.skipped[0].rfind("3: ", 0), 0u);
    EXPECT_EQ(p.result.skipped, 1);
    EXPECT_EQ(p.weights, processes[0].weights);
  }
  for (const Process& p : processes)
    EXPECT_EQ(p.skipped[0], "3: hidden of layer 0 is not finite, and the loss is nan");
}

TEST(Together, WhereOneFailsNobodyWaitsForIt) {
  const TempDir dir;
  const TrainOptions options = in_micro_batches(dir / "run", 6);
  Plan plan;
  plan.in_step = [](int64_t index, int64_t step, std::atomic<bool>&) {
    ensure<DeviceError>(index != 1 || step != 2, "out of memory");
  };
  std::vector<Process> processes = train_together(2, options, plan);
  EXPECT_EQ(processes[1].error, "out of memory");
  EXPECT_EQ(processes[0].error, "training: another process failed, its message says why");

  const TrainOptions again = in_micro_batches(dir / "other", 1);
  EXPECT_EQ(train_one(nullptr, again, {}).error, "");
  processes = train_together(2, again);  // it holds a run, and nobody said resume
  EXPECT_NE(processes[0].error.find("resume it"), std::string::npos);
  EXPECT_EQ(processes[1].error, "training: another process failed, its message says why");
}

TEST(Together, WhatCannotBeSharedIsRefused) {
  const TempDir dir;
  const auto refused = [&](int64_t count, int64_t micro, int64_t accumulate) {
    TrainOptions options = in_micro_batches(dir / "run", 2, micro);
    options.accumulate = accumulate;
    return train_together(count, options)[0].error;
  };
  EXPECT_EQ(refused(2, 0, 1),
            "training: found micro_batches 0 for 2 processes, wanted a power of two, at least 2");
  EXPECT_EQ(refused(4, 2, 1),
            "training: found micro_batches 2 for 4 processes, wanted a power of two, at least 4");
  EXPECT_EQ(refused(1, 6, 1),
            "training: found micro_batches 6 of a batch of 8 examples, wanted a power of two, at "
            "most 8");
  EXPECT_EQ(refused(1, 16, 1),
            "training: found micro_batches 16 of a batch of 8 examples, wanted a power of two, at "
            "most 8");
  EXPECT_EQ(refused(1, 4, 2),
            "training: found micro_batches 4 and accumulate 2, wanted one of the two: "
            "micro-batches save memory as well");
}

TEST(Together, AProcessWithOtherDataIsNamed) {
  const TempDir dir;
  const TrainOptions options = in_micro_batches(dir / "run", 2);
  std::vector<std::string> errors(2);
  in_threads(2, [&](ThreadGroup& group) {
    Toy toy;
    TrainTask task = toy.task();
    TrainOptions own = options;
    own.group = &group;
    const auto index = static_cast<size_t>(group.processes().index);
    if (index == 1) task.inputs[0].second = "sha256:2";
    try {
      train(toy.params, task, own);
    } catch (const Error& error) {
      errors[index] = error.what();
    }
  });
  EXPECT_EQ(errors[1], "process 2 of 2 has other data than the first: toy has other contents");
  EXPECT_EQ(errors[0], "training: another process failed, its message says why");
}

}  // namespace
}  // namespace jogak
