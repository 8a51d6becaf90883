#include "base/stop.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <thread>

namespace jogak {
namespace {

// In a process of its own: what is removed once is removed for good.
void end_things() {
  int removed = 0;
  {
    const Unfinished finished([&] { removed += 100; });
  }
  const Unfinished one([&] { removed += 1; }), other([&] { removed += 10; });
  {
    const EndsItself saves;
    if (!ends_itself() || remove_unfinished() || removed != 0) _exit(1);
  }
  if (!remove_unfinished() || removed != 11) _exit(2);
  std::thread([] {
    const EndsItself late;
    _exit(3);
  }).detach();  // too late: it waits
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  _exit(0);
}

TEST(Stop, WhatIsUnfinishedGoesUnlessWorkEndsByItself) {
  EXPECT_FALSE(ends_itself());
  EXPECT_EXIT(end_things(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace jogak
