// A command that is told to stop while it works.
#pragma once

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "base/file.h"
#include "tests/cli/process.h"
#include "tests/support/expect.h"
#include "tests/support/temp_dir.h"

namespace jogak {

// A second, of which the program takes 0.6; the rest, and with sanitizers more, is for a busy
// machine.
#ifdef __SANITIZE_ADDRESS__
inline constexpr std::chrono::milliseconds kStart(1500), kLimit(6000);
#else
inline constexpr std::chrono::milliseconds kStart(300), kLimit(1500);
#endif

struct Stop : testing::Test {
  TempDir dir;

  // Names of everything below, so that what is left behind is seen.
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(dir.path()))
      out.push_back(entry.path().string());
    std::sort(out.begin(), out.end());
    return out;
  }

  // Whether the process is so far that it handles the signal itself.
  static bool catches(int process, int signal) {
    std::ifstream status(text_of("/proc/", process, "/status"));
    for (std::string word; status >> word;)
      if (word == "SigCgt:") {
        status >> word;
        return (std::stoull(word, nullptr, 16) >> (signal - 1) & 1) != 0;
      }
    return false;
  }

  // A process that was told of something in there, other than by us: one that outlived who started
  // it.
  std::string somebody_left() const {
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      std::ifstream told(entry.path() / "cmdline");
      const std::string words((std::istreambuf_iterator<char>(told)), {});
      if (words.find(dir.path()) != std::string::npos) return entry.path().filename().string();
    }
    return "";
  }

  // May: it could be done by then, on a quick machine; gone is all that is wanted of it.
  enum class Done { must_not, may };
  void ends(const Arguments& arguments, int signal, const std::string& input = "",
            Done done = Done::must_not) {
    using Clock = std::chrono::steady_clock;
    using std::chrono::milliseconds;
    const std::vector<std::string> before = names();
    Running run(arguments);
    if (!input.empty()) run.write(input);
    for (int i = 0; i < 1000 && !catches(run.pid(), signal); ++i)  // a busy machine starts slowly
      std::this_thread::sleep_for(milliseconds(10));
    std::this_thread::sleep_for(kStart);
    ASSERT_TRUE(run.alive() || done == Done::may) << arguments[0] << " was too quick";
    run.signal(signal);
    const auto from = Clock::now();
    while (run.alive() && Clock::now() - from < 4 * kLimit)
      std::this_thread::sleep_for(milliseconds(10));
    EXPECT_LT(Clock::now() - from, kLimit) << arguments[0];
    const Result got = run.finish();
    if (got.code == 0 && done == Done::may) return;
    EXPECT_EQ(got.code, signal == SIGTERM ? 75 : 130) << arguments[0] << got.err;
    EXPECT_NE(got.err.find("jogak: stopped"), std::string::npos) << arguments[0] << got.err;
    EXPECT_EQ(somebody_left(), "") << arguments[0];
    if (arguments[0] != "study" && arguments[0] != "demo") {  // which keep what they have
      EXPECT_EQ(names(), before) << arguments[0];
    }
  }

  std::string recipe(const std::string& model, const std::string& data) {
    const std::string path = dir / "r.toml";
    write_file(path, "[model]\npreset = \"tiny\"\n" + model + "[data]\nkind = \"lines\"\n" + data);
    return path;
  }
};

}  // namespace jogak
