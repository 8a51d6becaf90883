#include "base/child.h"

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <thread>
#include <vector>

#include "base/error.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

using Tell = std::function<void(int64_t)>;

TEST(Child, ResultOfAnySizeComesBack) {
  for (const size_t size : {size_t{0}, size_t{1}, size_t{3} << 20}) {
    const std::string wanted(size, 'x');
    EXPECT_EQ(run_in_child({[&](const Tell& tell) {
                tell(7);
                return wanted;
              }}),
              wanted);
  }
}

TEST(Child, NumbersArriveWhileItWorks) {
  std::vector<int64_t> seen;
  run_in_child({[](const Tell& tell) {
                  for (int i = 0; i < 40; ++i) {
                    tell(i);
                    std::this_thread::sleep_for(std::chrono::milliseconds(10));
                  }
                  return std::string();
                },
                [&](int64_t told) { seen.push_back(told); }});
  ASSERT_FALSE(seen.empty());
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_GT(seen.back(), 0);
}

TEST(Child, WorkThatNeverEndsIsEnded) {
  const auto start = std::chrono::steady_clock::now();
  expect_error<Stopped>(
      [] {
        run_in_child({[](const Tell& tell) -> std::string {
                        tell(getpid());
                        for (;;) pause();
                      },
                      [](int64_t pid) {
                        if (pid > 0) fail<Stopped>("stopped");
                      }});
      },
      "stopped");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

TEST(Child, ErrorsAndSuddenEndsAreToldOf) {
  expect_error<Error>(
      [] { run_in_child({[](const Tell&) -> std::string { fail("found a, wanted b"); }}); },
      "found a, wanted b");
  expect_error<Error>(
      [] {
        run_in_child({[](const Tell&) {
          kill(getpid(), SIGKILL);
          return std::string();
        }});
      },
      "a process of ours ended before its work was done, by signal 9");
}

}  // namespace
}  // namespace jogak
