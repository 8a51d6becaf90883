// `jogak serve` as a program: where it listens, how it ends, what it refuses to begin.
#include <signal.h>

#include "base/file.h"
#include "tests/cli/process.h"
#include "tests/support/expect.h"
#include "tests/support/golden.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

class Serve : public testing::Test {
 protected:
  void SetUp() override {
    Running run({"serve", model, "--port", "0"});
    if (run.read_error_line().find("built without its server") != std::string::npos)
      GTEST_SKIP() << "built without Boost";
    run.signal(SIGTERM);
    run.finish();
  }
  const std::string model = test::golden_dir("gpt2-a");
  TempDir dir;
};

TEST_F(Serve, SaysWhereItListensAndLeavesWithZero) {
  for (const int number : {SIGTERM, SIGINT}) {
    Running run({"serve", model, "--port", "0"});
    const std::string address = run.read_line();
    EXPECT_TRUE(address.starts_with("http://127.0.0.1:")) << address;
    run.signal(number);
    EXPECT_EQ(run.finish().code, 0);
  }
}

TEST_F(Serve, ATakenPortIsAnErrorOfItsOwn) {
  Running first({"serve", model, "--port", "0"});
  const std::string address = first.read_line();
  const Result second = jogak({"serve", model, "--port", address.substr(address.rfind(':') + 1)});
  EXPECT_EQ(second.code, 74) << second.err;
  EXPECT_NE(second.err.find("cannot listen there"), std::string::npos) << second.err;
  first.signal(SIGTERM);
  EXPECT_EQ(first.finish().code, 0);
}

TEST_F(Serve, BeyondThisMachineItNeedsAKey) {
  const Result open = jogak({"serve", model, "--port", "0", "--host", "0.0.0.0"});
  EXPECT_EQ(open.code, 2);
  EXPECT_NE(open.err.find("--api-key-file"), std::string::npos) << open.err;
  write_file(dir / "short", "123\n");
  const Result small =
      jogak({"serve", model, "--port", "0", "--host", "0.0.0.0", "--api-key-file", dir / "short"});
  EXPECT_EQ(small.code, 65);
  write_file(dir / "key", "0123456789abcdef\n");
  Running run({"serve", model, "--port", "0", "--host", "0.0.0.0", "--api-key-file", dir / "key"});
  EXPECT_TRUE(run.read_line().starts_with("http://0.0.0.0:"));
  run.signal(SIGTERM);
  EXPECT_EQ(run.finish().code, 0);
}

TEST_F(Serve, FoldersThatAreNotThereAreNamed) {
  const Result none = jogak({"serve", dir / "none", "--port", "0"});
  EXPECT_EQ(none.code, 66) << none.err;
  const Result runs = jogak({"serve", "--runs", dir / "none", "--port", "0"});
  EXPECT_EQ(runs.code, 66) << runs.err;
}

}  // namespace
}  // namespace jogak
