// The commit of a checkpoint, call by call: the process killed at every system call, and the power
// cut after every one of them.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "base/file.h"
#include "base/parallel.h"
#include "tests/support/expect.h"
#include "tests/support/temp_dir.h"
#include "tests/train/disk_model.h"
#include "tests/train/syscall_trace.h"
#include "tests/train/toy.h"
#include "train/checkpoint.h"
#include "train/run_directory.h"

namespace jogak {
namespace {

using test::DiskCall;
using test::Toy;
using test::Trace;

constexpr test::ToyOptions kSmallToy{.dropout = true,
                                     .with_buffer = true,
                                     .features = 3,
                                     .hidden = 4,
                                     .classes = 3,
                                     .length = 2,
                                     .examples = 9};
constexpr int64_t kBefore = 2, kCommitted = 3, kLast = 4;  // steps

TrainOptions commit_run(const std::string& out) {
  TrainOptions options = test::toy_training(out, kLast);
  options.batch = 3;
  options.checkpoint_every = 1;
  options.eval_every = 1;
  options.keep = 2;
  options.resume = true;
  return options;
}

void finish(const std::string& out) {
  Toy toy(kSmallToy);
  train(toy.params, toy.task(), commit_run(out));
}

int64_t newest_step(const std::string& run) {
  int64_t newest = 0;
  for (const std::string& name : list_directory(run + "/checkpoints"))
    if (name.starts_with("step-")) newest = std::max<int64_t>(newest, std::stoll(name.substr(5)));
  return newest;
}

void load_all(const std::string& run) {
  for (const std::string& name : list_directory(run + "/checkpoints"))
    if (name.starts_with("step-")) Checkpoint(run + "/checkpoints/" + name);
}

// A run that stands at step 2, and the work that is traced: from the end of step 3's computing to
// that of step 4's, which is validation, the model, the checkpoint, and the removal of an old one.
struct Commit : testing::Test {
  TempDir dir{memory_place()};
  std::string whole = dir / "whole", start = dir / "start", run = dir / "run";

  void SetUp() override {
    finish(whole);
    Toy toy(kSmallToy);
    std::atomic<bool> stop{false};
    TrainOptions options = commit_run(start);
    options.stop = &stop;
    options.on_step = [&](int64_t step, const StepResult&) { stop = step == kBefore; };
    ASSERT_EQ(train(toy.params, toy.task(), options).step, kBefore);
  }

  // The trace of one commit, killed at a stop or not.
  std::optional<Trace> traced(int kill_at, bool replace = false) {
    std::filesystem::remove_all(run);
    std::filesystem::copy(start, run, std::filesystem::copy_options::recursive);
    return test::trace(
        [&] {
          set_thread_count(1);  // other threads do not live in a fork
          replace ? commit_again() : commit_next();
        },
        kill_at);
  }

  void commit_next() {
    Toy toy(kSmallToy);
    TrainOptions options = commit_run(run);
    options.on_step = [](int64_t step, const StepResult&) {
      if (step == kCommitted || step == kLast) test::trace_mark();
    };
    train(toy.params, toy.task(), options);
  }

  // The checkpoint that is there, in place of itself: as when only a validation was added.
  void commit_again() {
    Toy toy(kSmallToy);
    Optimizer optimizer(toy.params, commit_run(run).optimizer);
    const Checkpoint old(checkpoint(kBefore));
    old.restore(toy.params, optimizer);
    RunDirectory directory(run);
    test::trace_mark();
    directory.commit(kBefore, [&](const std::string& to) {
      write_checkpoint(to, toy.params, optimizer.state(), old.state());
    });
    test::trace_mark();
  }

  std::string checkpoint(int64_t step) const {
    return text_of(run, "/checkpoints/step-0000000", step);
  }
  bool is_publishing(const DiskCall& call) const {
    return call.kind == DiskCall::rename && call.to == checkpoint(kCommitted);
  }
};

#ifdef __SANITIZE_ADDRESS__
constexpr int kStride = 7;  // not every stop: forks of a sanitized process are slow
#else
constexpr int kStride = 1;
#endif

TEST_F(Commit, KilledAtEverySystemCallLosesNothing) {
  const std::string wanted = test::checkpoint_sha256(whole);
  int kills = 0, before = 0;
  for (int stop = 1;; stop += kStride) {
    const auto trace = traced(stop);
    if (!trace) GTEST_SKIP() << "tracing processes is not permitted here";
    if (!trace->killed) break;
    ++kills;
    const bool published = std::any_of(trace->calls.begin(), trace->calls.end(),
                                       [&](const DiskCall& c) { return is_publishing(c); });
    before += !published;
    ASSERT_NO_THROW(load_all(run)) << "killed at stop " << stop;
    ASSERT_EQ(newest_step(run), published ? kCommitted : kBefore) << "killed at stop " << stop;
    testing::internal::CaptureStderr();  // what was swept
    finish(run);
    testing::internal::GetCapturedStderr();
    ASSERT_EQ(test::checkpoint_sha256(run), wanted) << "killed at stop " << stop;
    ASSERT_EQ(read_file(run + "/model.txt"), read_file(whole + "/model.txt"));
  }
  std::printf(
      "killed at %d stops (%s system call, before it and after it), %d of them before the "
      "checkpoint had its name; all resumed to the same bits\n",
      kills, kStride == 1 ? "every" : "not every", before);
  EXPECT_GT(kills * kStride, 200);
  EXPECT_GT(before, kills / 4);
  EXPECT_LT(before, kills);
}

std::optional<size_t> place_of(const std::vector<DiskCall>& calls,
                               const std::function<bool(const DiskCall&)>& wanted) {
  const auto found = std::find_if(calls.begin(), calls.end(), wanted);
  if (found == calls.end()) return std::nullopt;
  return static_cast<size_t>(found - calls.begin());
}

TEST_F(Commit, TheManifestIsWrittenLast) {
  const auto trace = traced(0);
  if (!trace) GTEST_SKIP() << "tracing processes is not permitted here";
  const auto& calls = trace->calls;
  const auto published = place_of(calls, [&](const DiskCall& c) { return is_publishing(c); });
  ASSERT_TRUE(published);
  const std::string temporary = calls[*published].path;
  const auto sealed = place_of(calls, [&](const DiskCall& c) {
    return c.kind == DiskCall::rename && c.to == temporary + "/manifest.json";
  });
  ASSERT_TRUE(sealed);
  for (size_t i = *sealed + 1; i < *published; ++i)
    EXPECT_EQ(calls[i].kind, DiskCall::sync) << calls[i].path;
  const auto others = std::count_if(
      calls.begin(), calls.begin() + static_cast<long>(*sealed), [&](const DiskCall& c) {
        return c.kind == DiskCall::rename && c.to.starts_with(temporary + "/");
      });
  EXPECT_EQ(others, 3);
}

// Goes through the images that a power cut after any call may leave, and loads what is in them.
class PowerCuts {
 public:
  PowerCuts(const Commit& commit, int64_t variants)
      : where_(commit.dir / "image"),
        variants_(variants),
        disk_(commit.start + "/checkpoints", commit.run + "/checkpoints") {}

  void after(const std::vector<DiskCall>& calls, int64_t newest_at_the_end) {
    check("before any call", kBefore);
    for (size_t i = 0; i < calls.size() && !testing::Test::HasFatalFailure(); ++i) {
      disk_.apply(calls[i]);
      const bool last = i + 1 == calls.size();
      check(text_of("after call ", i + 1, " on ", calls[i].path),
            last ? newest_at_the_end : kBefore);
    }
    std::printf(
        "%lld images of the disk after a power cut, %zu different: every checkpoint in "
        "them loads\n",
        static_cast<long long>(images_), seen_.size());
  }
  size_t different() const { return seen_.size(); }

 private:
  void check(const std::string& when, int64_t newest_at_least) {
    for (int64_t i = 0; i < variants_; ++i, ++images_) {
      const test::DiskImage image =
          disk_.after_power_cut(static_cast<int>(std::min<int64_t>(i, 3)), rng_);
      if (!seen_.insert(text_of(newest_at_least, image.key())).second) continue;
      std::filesystem::remove_all(where_);
      image.write(where_ + "/checkpoints");
      ASSERT_NO_THROW(load_all(where_)) << when << ", variant " << i;
      ASSERT_GE(newest_step(where_), newest_at_least) << when << ", variant " << i;
    }
  }

  std::string where_;
  int64_t variants_, images_ = 0;
  test::DiskModel disk_;
  Rng rng_{3};
  std::set<std::string> seen_;
};

// Variants of every moment; scripts/check-kills.sh asks for more.
int64_t power_cut_variants() {
  const char* asked = std::getenv("JOGAK_POWER_CUTS");
  return asked ? std::atoll(asked) : 12;
}

TEST_F(Commit, APowerCutAfterAnyCallLosesNothing) {
  const auto trace = traced(0);
  if (!trace) GTEST_SKIP() << "tracing processes is not permitted here";
  PowerCuts cuts(*this, power_cut_variants());
  cuts.after(trace->calls, kCommitted);
  EXPECT_GT(cuts.different(), 20u);
}

TEST_F(Commit, NorDoesOneWhileACheckpointIsReplaced) {
  const auto trace = traced(0, true);
  if (!trace) GTEST_SKIP() << "tracing processes is not permitted here";
  PowerCuts cuts(*this, power_cut_variants());
  cuts.after(trace->calls, kBefore);
  EXPECT_GT(cuts.different(), 20u);
}

}  // namespace
}  // namespace jogak
