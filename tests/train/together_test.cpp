#include "train/together.h"

#include <barrier>
#include <cmath>
#include <mutex>
#include <thread>

#include "base/file.h"
#include "tests/support/expect.h"
#include "tests/support/temp_dir.h"
#include "tests/train/toy.h"

namespace jogak {
namespace {

using test::Toy;
using test::toy_training;

// Where threads that stand for processes meet. Sums are taken in order of their index.
struct Meeting {
  explicit Meeting(int64_t count)
      : together(count), numbers(static_cast<size_t>(count)), tensors(numbers.size()) {}
  std::barrier<> together;
  std::vector<int64_t> numbers;
  std::vector<std::span<Tensor>> tensors;
};

class ThreadReducer final : public GradientReducer {
 public:
  ThreadReducer(Meeting& meeting, int64_t index) : meeting_(meeting), index_(index) {}
  Processes processes() const override {
    return {index_, static_cast<int64_t>(meeting_.numbers.size())};
  }
  void reduce(std::string_view, std::span<Tensor> tensors) override {
    meeting_.tensors[static_cast<size_t>(index_)] = tensors;
    meeting_.together.arrive_and_wait();
    const std::span<Tensor> sums = meeting_.tensors[0];
    if (index_ == 0)
      for (size_t from = 1; from < meeting_.tensors.size(); ++from)
        for (size_t i = 0; i < sums.size(); ++i) accumulate(sums[i], meeting_.tensors[from][i]);
    meeting_.together.arrive_and_wait();
    if (index_ != 0)
      for (size_t i = 0; i < sums.size(); ++i) copy_into(tensors[i], sums[i]);
    meeting_.together.arrive_and_wait();
  }
  int64_t sum(int64_t value) override {
    meeting_.numbers[static_cast<size_t>(index_)] = value;
    meeting_.together.arrive_and_wait();
    int64_t total = 0;
    for (const int64_t number : meeting_.numbers) total += number;
    meeting_.together.arrive_and_wait();
    return total;
  }

 private:
  Meeting& meeting_;
  int64_t index_;
};

void in_threads(int64_t count, const std::function<void(ThreadReducer&)>& work) {
  Meeting meeting(count);
  std::vector<std::jthread> threads;
  for (int64_t i = 0; i < count; ++i)
    threads.emplace_back([&, i] {
      ThreadReducer reducer(meeting, i);
      work(reducer);
    });
}

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

Process train_one(GradientReducer* reducer, TrainOptions options, const Plan& plan) {
  Process out;
  Toy toy({.with_buffer = true});
  std::atomic<bool> stop{false};
  const int64_t index = reducer ? reducer->processes().index : 0;
  int64_t done = 0;
  size_t taken = 0;  // steps of this call
  options.reducer = reducer;
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
  in_threads(count, [&](ThreadReducer& reducer) {
    out[static_cast<size_t>(reducer.processes().index)] = train_one(&reducer, options, plan);
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

void expect_near(const std::vector<double>& a, const std::vector<double>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 2e-5 * b[i]) << i;
}

TEST(Together, TheFirstsNumbersReachAllBitByBit) {
  in_threads(3, [](ThreadReducer& reducer) {
    Together together(reducer);
    const auto own = static_cast<double>(reducer.processes().index);
    EXPECT_EQ(together.from_first(int64_t{-7} + reducer.processes().index), -7);
    EXPECT_TRUE(std::signbit(together.from_first(own == 0 ? -0.0 : own)));
    EXPECT_TRUE(std::isnan(together.from_first(own == 0 ? std::nan("") : own)));
    EXPECT_EQ(together.from_first(1.0 / 3 + own), 1.0 / 3);
    EXPECT_TRUE(together.from_first(own == 0));
    EXPECT_TRUE(together.any(own == 2));
    EXPECT_FALSE(together.any(own == 3));
  });
}

TEST(Together, WhatOneThrowsEndsTheCallInAll) {
  in_threads(3, [](ThreadReducer& reducer) {
    Together together(reducer);
    const int64_t index = reducer.processes().index;
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

TEST(Together, TwoAndFourProcessesTakeTheStepsOfOne) {
  const TempDir dir;
  TrainOptions options = toy_training(dir / "one", 10);
  options.eval_every = 5;
  options.checkpoint_every = 5;
  const Process alone = train_one(nullptr, options, {});
  for (const int64_t count : {2, 4}) {
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
      EXPECT_EQ(p.weights, processes[0].weights);  // all hold one model, to the bit
      EXPECT_EQ(p.losses, processes[0].losses);
      EXPECT_EQ(p.result.valid_loss, processes[0].result.valid_loss);
      EXPECT_EQ(p.result.checkpoint, options.out + "/checkpoints/step-00000010");
      expect_near(p.losses, alone.losses);  // sums in another order
    }
    EXPECT_EQ(list_directory(options.out).size(), list_directory(dir / "one").size());
    const auto lines = [](const std::string& text) {
      return std::count(text.begin(), text.end(), '\n');
    };
    EXPECT_EQ(lines(read_file(options.out + "/metrics.jsonl")),
              lines(read_file(dir / "one/metrics.jsonl")));
  }
}

TEST(Together, ARunOfOneGoesOnWithTwoAndFourAndBack) {
  const TempDir dir;
  const auto stop_after = [](int64_t at) {
    return Plan{
        .after_step = [at](int64_t, int64_t step, std::atomic<bool>& stop) { stop = step >= at; },
        .in_step = {},
        .poisoned = {}};
  };
  TrainOptions options = toy_training(dir / "whole", 12);
  const Process whole = train_one(nullptr, options, {});
  options.out = dir / "parts";
  options.resume = true;
  std::vector<std::vector<Pick>> picks;
  size_t begin = 0;
  for (const int64_t count : {1, 2, 4, 1}) {  // three steps each
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
}

TEST(Together, OneThatIsToldToStopStopsAllAtTheSameStep) {
  for (const bool within : {false, true}) {
    const TempDir dir;
    const TrainOptions options = toy_training(dir / "run", 20);
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
  const TrainOptions options = toy_training(dir / "run", 6);
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
  EXPECT_EQ(processes[1].skipped[0], "3: hidden of layer 0 is not finite, and the loss is nan");
}

TEST(Together, WhereOneFailsNobodyWaitsForIt) {
  const TempDir dir;
  const TrainOptions options = toy_training(dir / "run", 6);
  Plan plan;
  plan.in_step = [](int64_t index, int64_t step, std::atomic<bool>&) {
    ensure<DeviceError>(index != 1 || step != 2, "out of memory");
  };
  std::vector<Process> processes = train_together(2, options, plan);
  EXPECT_EQ(processes[1].error, "out of memory");
  EXPECT_EQ(processes[0].error, "training: another process failed, its message says why");

  const TrainOptions again = toy_training(dir / "other", 1);
  EXPECT_EQ(train_one(nullptr, again, {}).error, "");
  processes = train_together(2, again);  // it holds a run, and nobody said resume
  EXPECT_NE(processes[0].error.find("resume it"), std::string::npos);
  EXPECT_EQ(processes[1].error, "training: another process failed, its message says why");
}

}  // namespace
}  // namespace jogak
