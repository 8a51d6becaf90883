// Processes that are started by the program itself; here the program is this test.
#include "group/launch.h"

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>

#include "base/shortage.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

constexpr char kWork[] = "JOGAK_TEST_WORK";

int stop_for_a_moment() {
  const pid_t self = ::getpid();
  if (::fork() == 0) {
    ::sleep(1);
    ::kill(self, SIGCONT);
    ::_exit(0);
  }
  return ::raise(SIGSTOP);
}

// What a process that was started again does, before any test begins: one digit each, the exit code
// it ends with; s: it is stopped, m: for a moment.
const bool kStartedAgain = [] {
  const char* const work = std::getenv(kWork);
  if (!work || !was_launched()) return false;
  const char own = work[launched_index()];
  if (own == 's') ::raise(SIGSTOP);
  ::_exit(own == 'm' ? stop_for_a_moment() : own == '7' ? 75 : own - '0');
}();

int launched(const std::string& work) {
  EXPECT_FALSE(kStartedAgain);
  ::setenv(kWork, work.c_str(), 1);
  return launch_processes({.processes = static_cast<int64_t>(work.size())});
}

TEST(Launch, AFailureOfItsOwnComesBeforeThoseWhoWereLeftAlone) {
  EXPECT_EQ(launched("000"), 0);
  EXPECT_EQ(launched("720"), 2);
  EXPECT_EQ(launched("077"), 75);
}

TEST(Launch, OneThatIsStoppedWhenAnotherHasFailedIsEnded) { EXPECT_EQ(launched("s7"), 75); }

// No beat tells of it: the others have said that they leave.
TEST(Launch, OneThatIsStoppedWhenTheOthersAreDoneIsNamed) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const std::string said = error_of<ProcessLost>([] { launched("00s"); });
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  EXPECT_EQ(said.find("process 3 of 3 (pid "), 0u) << said;
  EXPECT_NE(said.find("stands still after others have ended"), std::string::npos) << said;
  EXPECT_LT(seconds, 20);  // it gives six
}

TEST(Launch, OneThatIsStoppedForAMomentGoesOn) { EXPECT_EQ(launched("0m"), 0); }

}  // namespace
}  // namespace jogak
