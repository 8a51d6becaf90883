// One run in several processes: the bits of one, and what happens when one of them is gone.
// scripts/check-processes.sh asks for every family, more steps and more kills.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "base/file.h"
#include "base/json.h"
#include "base/random.h"
#include "tests/cli/process.h"
#include "tests/cli/small_runs.h"
#include "tests/support/expect.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

int64_t number_from(const char* variable, int64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text ? std::strtoll(text, nullptr, 10) : otherwise;
}

Arguments run_of(const std::string& recipe, const std::string& out, int64_t processes) {
  return {"train",       recipe,
          "--out",       out,
          "--threads",   "1",
          "--processes", std::to_string(processes),
          "--set",       "train.accumulate=1",
          "--set",       "train.micro_batches=4"};
}

// What a run leaves, but for times and for how many processes it had.
std::string left_by(const std::string& run) {
  std::string out = outcome(run);
  const size_t at = out.find("\"world\": ");
  const size_t end = out.find('\n', at);
  if (at != std::string::npos) out.erase(at, end - at);
  return out;
}

std::string contents(const std::string& path) {  // of a file that says it has no bytes
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Processes of a run, by their number, as they were started.
std::map<int64_t, pid_t> members_of(pid_t starter) {
  std::map<int64_t, pid_t> out;
  std::istringstream children(contents(text_of("/proc/", starter, "/task/", starter, "/children")));
  for (pid_t pid = 0; children >> pid;) {
    const std::string environment = contents(text_of("/proc/", pid, "/environ"));
    const std::string name = "JOGAK_GROUP=";
    const size_t at = environment.find(name);
    if (at != std::string::npos)
      out[std::strtol(&environment[at + name.size()], nullptr, 10)] = pid;
  }
  return out;
}

bool is_there(pid_t pid) { return ::kill(pid, 0) == 0; }

struct Family {
  std::string name, recipe;
};

// A small run's recipe with other settings.
std::string with(std::string recipe, const std::map<std::string, int64_t>& settings) {
  for (const auto& [key, value] : settings) {
    const size_t at = recipe.find("\n" + key + " = ") + 1;
    recipe.replace(at, recipe.find('\n', at) - at, text_of(key, " = ", value));
  }
  return recipe;
}

std::vector<Family> families_to_run(const TempDir& dir) {
  const bool all = std::getenv("JOGAK_PROCESS_STEPS") != nullptr;
  const int64_t steps = number_from("JOGAK_PROCESS_STEPS", kSmallSteps);
  std::set<std::string> few = {"gpt2", "seq2seq", "patchtst", "bert", "clip"};
  const char* const only = std::getenv("JOGAK_PROCESS_FAMILIES");  // "lab timesfm"
  if (only) {
    std::istringstream names(only);
    few = {std::istream_iterator<std::string>(names), {}};
  }
  std::vector<Family> out;
  for (const SmallRun& small : small_runs()) {
    if ((!all || only) && !few.contains(small.family)) continue;
    const std::string path = dir / (small.family + ".toml");
    const int64_t every = std::max<int64_t>(steps / 2, 1);
    std::map<std::string, int64_t> settings = {
        {"steps", steps}, {"eval_every", every}, {"checkpoint_every", every}};
    if (small.family == "clip") settings["batch"] = 8;  // each of four pieces tells two texts apart
    write_file(path, with(small.recipe, settings));
    out.push_back({small.family, path});
  }
  return out;
}

TEST(Processes, OneTwoThreeAndFourEndWithTheSameBits) {
  const TempDir dir;
  for (const Family& family : families_to_run(dir)) {
    std::string wanted;
    for (const int64_t count : {1, 2, 3, 4}) {
      const std::string out = dir / text_of(family.name, count);
      const Result got = jogak(run_of(family.recipe, out, count));
      ASSERT_EQ(got.code, 0) << family.name << " with " << count << ": " << got.err;
      EXPECT_EQ(std::count(got.out.begin(), got.out.end(), '\n'), 2) << got.out;  // of the first
      if (count == 1) wanted = left_by(out);
      EXPECT_EQ(left_by(out), wanted) << family.name << " with " << count;
    }
    std::cout << family.name << ": " << wanted.substr(0, 64) << "\n";
  }
}

TEST(Processes, WithTheKeyUnsetOneProcessKeepsItsBits) {
  const TempDir dir;
  const SmallRun small = small_runs()[0];
  write_file(dir / "r.toml", small.recipe);
  for (const bool asked : {false, true}) {
    Arguments arguments = {"train", dir / "r.toml", "--out", dir / text_of(asked)};
    if (asked) arguments.insert(arguments.end(), {"--processes", "1"});
    ASSERT_EQ(jogak(arguments).code, 0);
  }
  EXPECT_EQ(outcome(dir / "0"), outcome(dir / "1"));
}

// A run long enough to be disturbed, and what it ends with when nobody does.
class Disturbed {
 public:
  Disturbed() {
    std::string text;
    for (const SmallRun& small : small_runs())
      if (small.family == "gpt2") text = small.recipe;
    write_file(recipe_, with(text, {{"steps", 150}, {"checkpoint_every", 10}, {"eval_every", 75}}));
    const Result whole = jogak(run_of(recipe_, dir_ / "whole", 1));
    EXPECT_EQ(whole.code, 0) << whole.err;
    wanted_ = left_by(dir_ / "whole");
  }

  // Sends the signal to one of `count` processes after some checkpoints, and looks at the end.
  void disturb(int64_t count, int64_t victim, int signal, useconds_t later) {
    const std::string out = dir_ / "run";
    std::filesystem::remove_all(out);
    Running process(run_of(recipe_, out, count));
    while (process.alive() && committed(out) < 10) ::usleep(5000);
    ::usleep(later);
    const std::map<int64_t, pid_t> members = members_of(process.pid());
    if (!process.alive() || !members.contains(victim)) {  // it had reached its end
      process.finish();
      return;
    }
    ASSERT_EQ(members.size(), static_cast<size_t>(count));
    const auto begin = std::chrono::steady_clock::now();
    ::kill(members.at(victim), signal);
    const Result got = process.finish();
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (got.code == 0) return;  // the signal came after the last step
    longest_ = std::max(longest_, seconds);
    ++done_;
    EXPECT_EQ(got.code, 75) << got.err;
    EXPECT_LT(seconds, 10);
    EXPECT_NE(got.err.find(text_of("process ", victim + 1, " of ", count, " (pid ",
                                   members.at(victim), " on ")),
              std::string::npos)
        << got.err;
    for (const auto& [index, pid] : members) EXPECT_FALSE(is_there(pid)) << index;
    EXPECT_NO_THROW(load_checkpoints(out));
    EXPECT_GE(committed(out), 10);
    Arguments again = run_of(recipe_, out, 1 + (count + victim) % 4);
    again.push_back("--resume");
    const Result rest = jogak(again);
    EXPECT_EQ(rest.code, 0) << rest.err;
    EXPECT_EQ(left_by(out), wanted_);
  }

  int done() const { return done_; }
  double longest() const { return longest_; }

 private:
  static int64_t committed(const std::string& run) {
    if (!is_directory(join_path(run, "checkpoints"))) return 0;
    const std::vector<int64_t> steps = committed_steps(run);
    return steps.empty() ? 0 : steps.back();
  }

  const TempDir dir_;
  std::string recipe_ = dir_ / "r.toml", wanted_;
  int done_ = 0;
  double longest_ = 0;
};

TEST(Processes, OneThatIsKilledOrStoppedEndsTheRunWithItsNameAndNothingIsLost) {
  const int64_t kills = number_from("JOGAK_PROCESS_KILLS", 2);
  Disturbed run;
  Rng rng(static_cast<uint64_t>(number_from("JOGAK_PROCESS_SEED", 7)));
  for (int64_t i = 0; i < 4 * kills && run.done() < kills; ++i) {
    const auto count = 2 + static_cast<int64_t>(rng.below(3));
    const auto victim = static_cast<int64_t>(rng.below(static_cast<uint64_t>(count)));
    run.disturb(count, victim, run.done() % 2 == 0 ? SIGKILL : SIGSTOP,
                static_cast<useconds_t>(rng.below(300000)));
    if (run.done() % 20 == 0) std::cout << run.done() << " of " << kills << std::endl;
  }
  EXPECT_EQ(run.done(), kills);
  std::cout << run.done() << " processes killed or stopped, the longest end took " << run.longest()
            << " s\n";
}

uint16_t free_port() {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof at;
  ::bind(fd, reinterpret_cast<sockaddr*>(&at), size);
  ::getsockname(fd, reinterpret_cast<sockaddr*>(&at), &size);
  ::close(fd);
  return ntohs(at.sin_port);
}

TEST(Processes, AnotherRecipeOnOneSideIsRefusedByNameAndEqualOnesWork) {
  const TempDir dir;
  write_file(dir / "r.toml", small_runs()[0].recipe);
  for (const std::string rate : {"0.003", "0.004"}) {
    const std::string first = text_of("127.0.0.1:", free_port());
    const auto one = [&](int64_t index, const std::string& lr) {
      Arguments out = run_of(dir / "r.toml", dir / ("run" + rate), 2);
      out.insert(out.end(), {"--process", std::to_string(index), "--first", first, "--lr", lr});
      return out;
    };
    Running a(one(1, "0.003")), b(one(2, rate));
    const Result of_a = a.finish(), of_b = b.finish();
    const bool same = rate == "0.003";
    EXPECT_EQ(of_a.code, same ? 0 : 2) << of_a.err;
    EXPECT_EQ(of_b.code, same ? 0 : 2) << of_b.err;
    for (const std::string& err : {of_a.err, of_b.err})
      EXPECT_EQ(
          err.find("has another recipe than the first: found lr = 0.004, wanted lr = 0.003") !=
              std::string::npos,
          !same)
          << err;
  }
}

TEST(Processes, SigtermSavesOnceAndGoesOnWithAnotherNumber) {
  const TempDir dir;
  write_file(dir / "r.toml", with(small_runs()[0].recipe,
                                  {{"steps", 150}, {"checkpoint_every", 10}, {"eval_every", 50}}));
  ASSERT_EQ(jogak(run_of(dir / "r.toml", dir / "whole", 1)).code, 0);
  Running process(run_of(dir / "r.toml", dir / "run", 3));
  while (process.alive() && !is_directory(dir / "run/checkpoints/step-00000010")) ::usleep(2000);
  process.signal(SIGTERM);
  const Result got = process.finish();
  EXPECT_EQ(got.code, 75) << got.err;
  EXPECT_NE(got.err.find("stopped and saved"), std::string::npos) << got.err;
  Arguments again = run_of(dir / "r.toml", dir / "run", 2);
  again.push_back("--resume");
  EXPECT_EQ(jogak(again).code, 0);
  EXPECT_EQ(left_by(dir / "run"), left_by(dir / "whole"));
}

// Of the first, which takes most.
TEST(Processes, MemoryOfEachIsPredictedWithinTenPercent) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer's own memory is not predicted";
#endif
  const TempDir dir;
  write_file(
      dir / "r.toml",
      "[model]\nfamily = \"gpt2\"\npreset = \"tiny\"\nn_embd = 512\nn_layer = 4\nn_head = 8\n"
      "[tokenizer]\ntype = \"char\"\n[data]\nmake = \"sort\"\ncount = 60\nvalid_count = 8\n"
      "[train]\nsteps = 3\nwarmup = 1\nbatch = 8\n");
  const auto number = [&](int64_t count, const char* key, const Arguments& more) {
    Arguments arguments = run_of(dir / "r.toml", dir / text_of("run", count), count);
    arguments.push_back("--json");
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Result got = jogak(arguments);
    EXPECT_EQ(got.code, 0) << got.err;
    return got.code == 0 ? parse_json(got.out, "out").find(key)->number() : 0;
  };
  double before = 1e9;
  for (const int64_t count : {1, 2, 4}) {
    const double predicted = number(count, "predicted_peak_mb", {"--dry-run"});
    const double taken = number(count, "peak_rss_mb", {});
    EXPECT_NEAR(predicted, taken, 0.1 * taken) << count;
    EXPECT_LT(predicted, before);  // a share of the optimizer, a share of the micro-batches
    before = predicted;
  }
}

}  // namespace
}  // namespace jogak
