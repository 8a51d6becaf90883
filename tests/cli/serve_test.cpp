// `jogak serve` as a program: where it listens, how it ends, what it refuses to begin.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

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

// A request of which half has come when the server is told to stop is answered, though that takes
// longer than other commands have to end.
TEST_F(Serve, WhatRunsIsFinishedBeforeItLeaves) {
  Running run({"serve", model, "--port", "0", "--drain", "20"});
  const std::string address = run.read_line();
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int wire = ::socket(AF_INET, SOCK_STREAM, 0);
  ASSERT_EQ(::connect(wire, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
  const auto say = [&](const std::string& text) {
    ::send(wire, text.data(), text.size(), MSG_NOSIGNAL);
  };
  say("POST /api/lessons/softmax HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Content-Length: 2\r\nConnection: close\r\n\r\n{");
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  run.signal(SIGTERM);
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  EXPECT_TRUE(run.alive());
  say("}");
  std::string reply;
  char bytes[4096];
  for (ssize_t n = 0; (n = ::recv(wire, bytes, sizeof bytes, 0)) > 0;)
    reply.append(bytes, static_cast<size_t>(n));
  ::close(wire);
  EXPECT_TRUE(reply.starts_with("HTTP/1.1 200")) << reply;
  EXPECT_EQ(run.finish().code, 0);
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

// Killed at once, it leaves no file, and its port and its models to the next.
TEST_F(Serve, KilledItLeavesNothingBehind) {
  std::filesystem::copy(model, dir / "model");
  const auto names = [&] {
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(dir.path()))
      out.push_back(entry.path().string());
    std::sort(out.begin(), out.end());
    return out;
  };
  make_directories(dir / "tmp");
  const std::vector<std::string> before = names();
  const Call call{.environment = {{"TMPDIR", dir / "tmp"}}, .directory = dir / "tmp"};
  std::string port = "0";
  for (int i = 0; i < 3; ++i) {
    Running run({"serve", dir / "model", "--preload", "--port", port}, call);
    const std::string address = run.read_line();
    EXPECT_TRUE(address.starts_with("http://127.0.0.1:")) << address;
    port = address.substr(address.rfind(':') + 1);
    run.signal(SIGKILL);
    EXPECT_EQ(run.finish().code, 128 + SIGKILL);
    EXPECT_EQ(names(), before);
  }
}

TEST_F(Serve, FoldersThatAreNotThereAreNamed) {
  const Result none = jogak({"serve", dir / "none", "--port", "0"});
  EXPECT_EQ(none.code, 66) << none.err;
  const Result runs = jogak({"serve", "--runs", dir / "none", "--port", "0"});
  EXPECT_EQ(runs.code, 66) << runs.err;
}

}  // namespace
}  // namespace jogak
