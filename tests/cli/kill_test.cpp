// Training runs that are killed with SIGKILL lose nothing. scripts/check-kills.sh asks for more
// kills of the same kind.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "tests/cli/commit_watch.h"
#include "tests/cli/process.h"
#include "tests/cli/small_runs.h"
#include "tests/support/expect.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr int kKills = 8;  // processes start slowly
#else
constexpr int kKills = 20;
#endif

int64_t median(std::vector<int64_t> of) {
  std::nth_element(of.begin(), of.begin() + static_cast<long>(of.size() / 2), of.end());
  return of[of.size() / 2];
}

struct Moment {
  double at = 0;        // of the whole run, 0 to 1
  bool inside = false;  // within the writing of a checkpoint
};

// A run that is killed again and again; after each kill a copy of it goes on to the end.
class KilledRun {
 public:
  KilledRun(const SmallRun& small, const std::string& place)
      : family_(small.family),
        recipe_(place + "/recipe.toml"),
        run_(place + "/run"),
        copy_(place + "/copy") {
    make_directories(place);
    write_file(recipe_, small.recipe);
    const std::string whole = place + "/whole";
    make_directories(whole + "/checkpoints");
    CommitWatch watch(whole + "/checkpoints");
    Running process(arguments(whole));
    while (watch.newest() < kSmallSteps && process.alive()) watch.update(5);
    const Result got = process.finish();
    EXPECT_EQ(got.code, 0) << family_ << ": " << got.err;
    wanted_ = outcome(whole);
    write_ = median(watch.writes());
    gap_ = median(watch.gaps());
    start_ = watch.gaps().front();
  }

  // Whether the process was still there to be killed.
  bool kill(Moment moment) {
    make_directories(run_ + "/checkpoints");
    CommitWatch watch(run_ + "/checkpoints");
    const double place = moment.at * kSmallSteps;
    const auto before = static_cast<int64_t>(place);  // checkpoints to be committed before
    const auto steps = committed_steps(run_);
    const int64_t had = steps.empty() ? 0 : steps.back();
    const auto newest = [&] { return std::max(had, watch.newest()); };
    Running process(arguments(run_));
    while (newest() < before && process.alive()) watch.update(5);
    while (moment.inside && watch.being_written().empty() && process.alive()) watch.update(5);
    const int64_t length = moment.inside ? write_ : watch.newest() == 0 ? start_ : gap_;
    ::usleep(static_cast<useconds_t>((place - static_cast<double>(before)) * haste_ *
                                     static_cast<double>(length)));
    process.signal(SIGKILL);
    const Result got = process.finish();
    watch.update(0);
    if (got.code != 128 + SIGKILL) {  // it had reached its end: once more, from the start
      EXPECT_EQ(got.code, 0) << got.err;
      std::filesystem::remove_all(run_);
      haste_ /= 2;
      return false;
    }
    const bool left = !watch.being_written().empty();
    EXPECT_EQ(left, left && file_exists(run_ + "/checkpoints/" + watch.being_written()));
    inside_ += left;
    if (moment.inside && !left) haste_ *= 0.7;
    check(newest(), left ? watch.being_written() : "");
    return true;
  }

  int inside() const { return inside_; }

 private:
  Arguments arguments(const std::string& out) const {
    return {"train", recipe_, "--resume", "--out", out, "--threads", "1"};
  }

  void check(int64_t newest, const std::string& left) {
    EXPECT_NO_THROW(load_checkpoints(run_));
    const auto steps = committed_steps(run_);
    EXPECT_EQ(steps.empty() ? 0 : steps.back(), newest) << "a committed checkpoint is lost";
    std::filesystem::remove_all(copy_);
    std::filesystem::copy(run_, copy_, std::filesystem::copy_options::recursive);
    const Result rest = jogak(arguments(copy_));
    EXPECT_EQ(rest.code, 0) << rest.err;
    EXPECT_EQ(outcome(copy_), wanted_) << family_;
    const bool told = rest.err.find(left + ": left by an unfinished run, removed") != rest.err.npos;
    EXPECT_TRUE(left.empty() || told) << rest.err;
    EXPECT_EQ(list_directory(copy_ + "/checkpoints").size(), 2u);  // --keep, and nothing else
  }

  std::string family_, recipe_, run_, copy_, wanted_;
  int64_t write_ = 0, gap_ = 0, start_ = 0;  // microseconds
  double haste_ = 1;                         // less where this process is woken up late
  int inside_ = 0;
};

// Runs of every family in turn.
struct KilledRuns {
  std::vector<std::unique_ptr<KilledRun>> runs;
  int done = 0, late = 0;

  explicit KilledRuns(const TempDir& dir) {
    for (const SmallRun& small : small_runs())
      runs.push_back(std::make_unique<KilledRun>(small, dir / small.family));
  }
  int families() const { return static_cast<int>(runs.size()); }
  int inside() const {
    int sum = 0;
    for (const auto& run : runs) sum += run->inside();
    return sum;
  }
  void kill(int number, Moment moment) {
    bool killed = false;
    for (int attempt = 0; attempt < 10 && !killed; ++attempt, moment.at *= 0.95) {
      killed = runs[static_cast<size_t>(number % families())]->kill(moment);
      late += !killed;
    }
    EXPECT_TRUE(killed);
    done += killed;
  }
};

// The suite's runs lie in memory, so that they take seconds on any disk; the script's on disk.
TEST(Killed, RunsEndAsUnbrokenOnesDo) {
  const char* asked = std::getenv("JOGAK_KILLS");
  const int kills = asked ? std::atoi(asked) : kKills;
  const TempDir dir(asked ? std::filesystem::temp_directory_path() : memory_place());
  KilledRuns all(dir);
  for (int i = 0; i < kills && !HasFailure(); ++i)
    all.kill(i, {(i + 0.5) / kills, i / all.families() % 3 != 2});
  // Where this process is woken up late, many come too late for a write: some more.
  for (int i = 0; i < kills && 3 * all.inside() < all.done && !HasFailure(); ++i)
    all.kill(i, {(i + 0.5) / kills, true});
  std::printf(
      "%d runs of %d families killed, %d of them inside the writing of a checkpoint "
      "(%d kills came after the end and were repeated)%s\n",
      all.done, all.families(), all.inside(), all.late,
      HasFailure() ? ""
                   : "; every committed checkpoint loads, every resumed run ended with the same "
                     "bits");
  EXPECT_GE(all.done, kills);
  EXPECT_GE(3 * all.inside(), all.done);
}

}  // namespace
}  // namespace jogak
