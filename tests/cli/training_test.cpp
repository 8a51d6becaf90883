// What happens to a training run from outside: signals, a full disk, a second trainer, numbers that
// overflow; and the number of threads, which must not matter.
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include <algorithm>

#include "base/file.h"
#include "base/json.h"
#include "tests/cli/commit_watch.h"
#include "tests/cli/process.h"
#include "tests/cli/small_runs.h"
#include "tests/support/expect.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

Arguments with(Arguments arguments, const Arguments& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

std::string last_line(const std::string& text) {
  const size_t end = text.find_last_not_of('\n');
  if (end == std::string::npos) return "";
  const size_t begin = text.rfind('\n', end);
  return text.substr(begin == std::string::npos ? 0 : begin + 1, end - begin);
}

struct Training : testing::Test {
  TempDir dir{memory_place()};
  std::string recipe = dir / "recipe.toml";

  Arguments train(const std::string& out, const Arguments& more = {}) const {
    return with({"train", recipe, "--resume", "--out", out, "--threads", "1"}, more);
  }
  // The run that nothing happens to, and what it ends with.
  std::string unbroken() {
    write_file(recipe, small_runs()[0].recipe);
    const Result got = jogak(train(dir / "whole"));
    EXPECT_EQ(got.code, 0) << got.err;
    return outcome(dir / "whole");
  }
  // It goes on to the same end.
  void expect_resumes(const std::string& out, const std::string& wanted,
                      const Arguments& more = {}) const {
    EXPECT_NO_THROW(load_checkpoints(out));
    const Result rest = jogak(train(out, more));
    EXPECT_EQ(rest.code, 0) << rest.err;
    EXPECT_EQ(outcome(out), wanted);
  }
};

TEST_F(Training, OneThreadAndTwoGiveTheSameBits) {
  for (const SmallRun& run : small_runs(64)) {
    write_file(recipe, run.recipe);
    const Arguments larger = run.recipe.find("batch_tokens") != std::string::npos
                                 ? Arguments{"--set", "train.batch_tokens=900"}
                                 : Arguments{"--batch", "16"};
    std::vector<std::string> ends;
    for (const std::string threads : {"1", "2"}) {
      const std::string out = dir / (run.family + threads);
      const Result got = jogak(with({"train", recipe, "--out", out, "--steps", "3",
                                     "--checkpoint-every", "0", "--threads", threads},
                                    larger));
      ASSERT_EQ(got.code, 0) << got.err;
      ends.push_back(outcome(out));
    }
    EXPECT_EQ(ends[0], ends[1]) << run.family;
  }
}

// The first signal saves and leaves with the code. Another SIGTERM changes nothing, another Ctrl-C
// ends it at once; either way the run goes on as if it had never stopped.
TEST_F(Training, SignalsSaveAndTheRunGoesOn) {
  write_file(recipe, small_runs()[0].recipe);
  const auto steps = [](int64_t count) {  // with a rate that does not depend on their number
    return Arguments{"--steps", std::to_string(count),    "--checkpoint-every", "20",
                     "--set",   "train.schedule=constant"};
  };
  struct Case {
    int signal, times, code;
  };
  for (const Case& c :
       {Case{SIGTERM, 1, 75}, Case{SIGINT, 1, 130}, Case{SIGTERM, 5, 75}, Case{SIGINT, 2, 130}}) {
    SCOPED_TRACE(text_of("signal ", c.signal, ", ", c.times, " times"));
    const std::string out = dir / text_of("run", c.signal, "-", c.times), whole = out + "-whole";
    make_directories(out + "/checkpoints");
    CommitWatch watch(out + "/checkpoints");
    Running run(train(out, with(steps(100'000'000), {"--json"})));
    while (watch.newest() == 0 && run.alive()) watch.update(5);
    for (int i = 0; i < c.times; ++i) run.signal(c.signal);
    const Result got = run.finish();
    EXPECT_EQ(got.code, c.code) << got.err;
    const int64_t newest = committed_steps(out).back();
    if (got.out.empty()) {
      EXPECT_EQ(c.times, 2) << got.err;
    } else {
      const Json told = parse_json(got.out, "stdout");
      EXPECT_EQ(told.find("end")->text(), "stopped");
      EXPECT_EQ(told.find("step")->integer(), newest);
      EXPECT_EQ(last_line(got.err),
                "stopped and saved; to go on: jogak train --resume --out " + out);
    }
    ASSERT_EQ(jogak(train(whole, steps(newest + 5))).code, 0);
    expect_resumes(out, outcome(whole), steps(newest + 5));
  }
}

TEST_F(Training, ASecondTrainerIsRefusedAndTheLockGoesWithAKilledOne) {
  write_file(recipe, small_runs()[0].recipe);
  const std::string out = dir / "run";
  make_directories(out + "/checkpoints");
  CommitWatch watch(out + "/checkpoints");
  Running first(train(out, {"--steps", "100000000"}));
  while (watch.newest() == 0 && first.alive()) watch.update(5);
  const Result second = jogak(train(out));
  EXPECT_EQ(second.code, 75);
  EXPECT_EQ(
      last_line(second.err),
      text_of("jogak: ", out, ": another training is running here (process ", first.pid(), ")"));
  EXPECT_TRUE(first.alive());
  first.signal(SIGKILL);
  EXPECT_EQ(first.finish().code, 128 + SIGKILL);
  EXPECT_NO_THROW(load_checkpoints(out));
  const int64_t newest = committed_steps(out).back();
  const Result third = jogak(train(out, {"--steps", std::to_string(newest + 2)}));
  EXPECT_EQ(third.code, 0) << third.err;
  EXPECT_EQ(committed_steps(out).back(), newest + 2);
}

// A learning rate that throws the weights out of range: every step after the first is unusable.
TEST_F(Training, TenUnusableStepsEndItWithAGoodCheckpoint) {
  write_file(recipe, small_runs()[0].recipe);
  const std::string out = dir / "run";
  const Result got = jogak(train(out, {"--lr", "1e30", "--steps", "100", "--checkpoint-every", "0",
                                       "--eval-every", "0", "--set", "train.warmup=0"}));
  EXPECT_EQ(got.code, 1);
  const std::string told = last_line(got.err);
  EXPECT_TRUE(told.starts_with(text_of("jogak: ", out, ": training stopped at step "))) << told;
  EXPECT_NE(told.find(": 10 steps in a row could not be used; at the first of them "),
            std::string::npos)
      << told;
  EXPECT_NE(told.find(" is not finite"), std::string::npos) << told;
  const std::string log = got.err + read_file(out + "/metrics.jsonl");
  EXPECT_NE(log.find("jogak: warning: step 2 skipped: "), std::string::npos) << log;
  EXPECT_NE(log.find("(examples from place "), std::string::npos) << log;
  EXPECT_NE(log.find("{\"schema\":1,\"step\":2,\"skipped\":"), std::string::npos) << log;
  EXPECT_NO_THROW(load_checkpoints(out));
  EXPECT_EQ(committed_steps(out).size(), 1u);
}

// --- no room ---

void expect_one_line(const Result& got, const std::string& reason) {
  EXPECT_EQ(got.code, 74) << got.err;
  const std::string told = last_line(got.err);
  EXPECT_TRUE(told.starts_with("jogak: /")) << told;
  EXPECT_NE(told.find(reason), std::string::npos) << told;
  EXPECT_EQ(got.err.find(reason), got.err.rfind(reason)) << got.err;  // told once
}

// Files of this process and those it starts cannot grow beyond so many bytes while this lives.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileLimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

TEST_F(Training, FilesThatMayNotGrowAreOneClearLine) {
  const std::string wanted = unbroken();
  const std::string checkpoint = text_of(dir / "whole/checkpoints/step-0000000", kSmallSteps);
  const auto size = [&](const std::string& name) {
    return static_cast<rlim_t>(read_file(checkpoint + "/" + name).size());
  };
  for (const rlim_t bytes : {rlim_t{0}, rlim_t{300}, rlim_t{4000}, size("weights.safetensors") - 1,
                             size("optimizer.safetensors") - 1}) {
    const std::string out = dir / std::to_string(bytes);
    Result got;
    {
      const FileLimit limit(bytes);
      got = jogak(train(out));
    }
    expect_one_line(got, "File too large");
    make_directories(out + "/checkpoints");
    expect_resumes(out, wanted);
  }
}

// A file system of its own, of a size of its own. Needs the rights of root.
class SmallDisk {
 public:
  static bool possible() {  // mounts of this process are then nobody else's
    static const bool can = ::unshare(CLONE_NEWNS) == 0 &&
                            ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
    return can;
  }
  SmallDisk(const std::string& place, int64_t bytes) : place_(place) {
    make_directories(place);
    mount(0, bytes);
  }
  ~SmallDisk() { ::umount2(place_.c_str(), MNT_DETACH); }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  void resize(int64_t bytes) { mount(MS_REMOUNT, bytes); }
  void protect(int64_t bytes) { mount(MS_REMOUNT | MS_RDONLY, bytes); }

 private:
  void mount(unsigned long flags, int64_t bytes) {
    ensure<Error>(
        ::mount("jogak-test", place_.c_str(), "tmpfs", flags, text_of("size=", bytes).c_str()) == 0,
        place_, ": mounting failed");
  }
  std::string place_;
};

#ifdef __SANITIZE_ADDRESS__
constexpr int64_t kSizeStep = 64 << 10;  // processes start slowly
#else
constexpr int64_t kSizeStep = 12 << 10;
#endif
constexpr int64_t kRoom = 8 << 20;

TEST_F(Training, AFullDiskIsOneClearLineAndTheLastCheckpointStays) {
  if (!SmallDisk::possible()) GTEST_SKIP() << "a small file system may not be mounted here";
  const std::string wanted = unbroken();
  int full = 0, with_checkpoint = 0;
  for (int64_t bytes = 4 << 10; bytes < kRoom; bytes += kSizeStep) {
    SCOPED_TRACE(text_of(bytes, " bytes"));
    SmallDisk disk(dir / "disk", bytes);
    const std::string out = dir / "disk/run";
    const Result got = jogak(train(out));
    if (got.code == 0) break;
    ++full;
    expect_one_line(got, "No space left on device");
    make_directories(out + "/checkpoints");
    with_checkpoint += !committed_steps(out).empty();
    EXPECT_NO_THROW(load_checkpoints(out));
    for (const std::string& name : list_directory(out + "/checkpoints"))
      EXPECT_TRUE(name.starts_with("step-")) << name;
    disk.resize(kRoom);
    expect_resumes(out, wanted);
    if (HasFailure()) return;
  }
  std::printf("disks of %d sizes were full, %d of them after the first checkpoint\n", full,
              with_checkpoint);
  EXPECT_GE(full * kSizeStep, 120 << 10);
  EXPECT_GE(with_checkpoint, 1);
}

TEST_F(Training, AReadOnlyDirectoryIsRefused) {
  if (!SmallDisk::possible()) GTEST_SKIP() << "a small file system may not be mounted here";
  write_file(recipe, small_runs()[0].recipe);
  SmallDisk disk(dir / "disk", kRoom);
  const std::string out = dir / "disk/run";
  EXPECT_EQ(jogak(train(out, {"--steps", "2"})).code, 0);
  const std::string before = outcome(out);
  disk.protect(kRoom);
  expect_one_line(jogak(train(out)), "Read-only file system");
  expect_one_line(jogak(train(dir / "disk/other")), "Read-only file system");
  EXPECT_EQ(outcome(out), before);
}

}  // namespace
}  // namespace jogak
