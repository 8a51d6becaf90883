// NCCL's seam, over a library of the tests' own: bytes, failures, and what is said.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>

#include "base/shortage.h"
#include "group/nccl_group.h"
#include "tests/group/socket_threads.h"
#include "tests/group/stand_in/stand_in.h"
#include "tests/support/expect.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

using test::host_stream;
using test::kQuick;
using test::noise;
using test::SocketThreads;
using test::StandInNccl;

OwnGpu gpu_of(int64_t index) { return {.place = text_of("bus ", index), .stream = host_stream}; }

// What each process was told, where no GPUs are connected.
std::vector<std::string> refusals(int64_t count, const std::function<OwnGpu(int64_t)>& gpu) {
  std::vector<std::string> out(static_cast<size_t>(count));
  SocketThreads all(count);
  all.run([&](int64_t index) {
    const std::shared_ptr<ProcessGroup> host =
        std::make_shared<SocketGroup>(all.meeting(index), kQuick);
    const auto group = connect_gpus(host, gpu(index), out[static_cast<size_t>(index)]);
    EXPECT_EQ(group, host);
    EXPECT_FALSE(group->reaches_gpus());
    EXPECT_EQ(group->sum(1), count);  // they still work together
  });
  return out;
}

TEST(Nccl, EveryByteArrivesWhereItBelongs) {
  const StandInNccl library;
  const int before = library.count("stand_in_destroyed");
  for (const int64_t count : {1, 2, 3, 5}) {
    SocketThreads all(count);
    all.run([&](int64_t index) {
      std::string why;
      std::shared_ptr<ProcessGroup> host;
      if (count == 1)
        host = std::make_shared<SoloGroup>();
      else
        host = std::make_shared<SocketGroup>(all.meeting(index));
      const auto group = connect_gpus(host, gpu_of(index), why);
      ASSERT_EQ(why, "");
      ASSERT_TRUE(group->reaches_gpus());
      EXPECT_EQ(group->on_this_machine(), count);
      for (uint64_t round = 0; round < 4; ++round) {
        const auto bytes = [&](int64_t from, int64_t to) {  // to itself, too: a GPU may
          return noise(static_cast<size_t>((from * 7 + to * 13) * 9001 + 40) % 300000,
                       round * 100 + static_cast<uint64_t>(from * 10 + to));
        };
        std::vector<std::vector<std::byte>> sent, got;
        for (int64_t other = 0; other < count; ++other) {
          sent.push_back(bytes(index, other));
          got.emplace_back(bytes(other, index).size());
        }
        std::vector<Outgoing> out;
        std::vector<Incoming> in;
        for (int64_t other = 0; other < count; ++other) {
          const std::span<const std::byte> all_bytes = sent[static_cast<size_t>(other)];
          out.push_back({other, all_bytes.first(all_bytes.size() / 3)});
          out.push_back({other, all_bytes.subspan(all_bytes.size() / 3)});
          in.push_back({other, got[static_cast<size_t>(other)]});
        }
        group->exchange_on_gpus(out, in);
        for (int64_t other = 0; other < count; ++other)
          ASSERT_EQ(got[static_cast<size_t>(other)], bytes(other, index));
        ASSERT_EQ(group->sum(index), count * (count - 1) / 2);  // through the host, in between
      }
    });
  }
  EXPECT_EQ(library.count("stand_in_destroyed") - before, 1 + 2 + 3 + 5);  // in order
}

TEST(Nccl, ALibraryThatLacksSomethingIsNamed) {
  const TempDir dir;
  std::filesystem::create_symlink("/lib/x86_64-linux-gnu/libm.so.6", dir / "libnccl.so.2");
  const StandInNccl other(dir / "");
  EXPECT_EQ(error_of<DeviceError>([] { Nccl(); }),
            dir / "/libnccl.so.2" + ": has no ncclGetVersion");
}

TEST(Nccl, WithoutAGpuOfTheirOwnProcessesGoThroughTheHost) {
  const StandInNccl library;
  for (const std::string& why : refusals(3, [](int64_t index) {
         return OwnGpu{.place = index == 1 ? "" : text_of(index), .stream = host_stream};
       }))
    EXPECT_EQ(why, "process 2 computes on no GPU");
  for (const std::string& why : refusals(3, [](int64_t index) {
         return OwnGpu{.place = index == 0 ? "a" : "b", .stream = host_stream};
       })) {
    EXPECT_EQ(why.rfind("processes 2 and 3 share a GPU (", 0), 0u) << why;
    EXPECT_TRUE(why.ends_with(" b)")) << why;
  }
}

TEST(Nccl, WhereOneCannotBeConnectedNobodyWaitsForIt) {
  const StandInNccl library;
  ::setenv("STAND_IN_NCCL_INIT", "2", 1);
  const std::vector<std::string> all = refusals(3, gpu_of);
  ::unsetenv("STAND_IN_NCCL_INIT");
  for (const std::string& why : all)
    EXPECT_EQ(why, "NCCL 2.28.9: unhandled cuda error (run with NCCL_DEBUG=INFO for details)");
}

TEST(Nccl, OneThatIsGoneIsNamedAndTheCommunicatorGivenUp) {
  const StandInNccl library;
  const int before = library.count("stand_in_aborted");
  SocketThreads all(3);
  all.run([&](int64_t index) {
    const auto begin = std::chrono::steady_clock::now();
    std::string why;
    const auto work = [&] {
      const auto group = connect_gpus(std::make_shared<SocketGroup>(all.meeting(index), kQuick),
                                      gpu_of(index), why);
      if (index == 1) fail<IoError>("a disk is full");  // it leaves, and the others do not know
      std::vector<std::byte> some(1000), got(2000);
      const int64_t other = index == 0 ? 2 : 0;
      const Outgoing out[] = {{1, some}, {other, some}};
      const Incoming in[] = {{1, std::span(got).first(1000)},
                             {other, std::span(got).subspan(1000)}};
      group->exchange_on_gpus(out, in);
    };
    if (index == 1) return expect_error<IoError>(work, "a disk is full");
    const std::string error = error_of<Error>(work);
    EXPECT_EQ(error.rfind("training: process 2 of 3 (pid ", 0), 0u) << error;
    EXPECT_NE(error.find(") failed, its message says why"), std::string::npos) << error;
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  });
  EXPECT_EQ(library.count("stand_in_aborted") - before, 3);
}

// Exchanges until something goes wrong, and writes what it was.
void exchange_for_ever(Meeting meeting, int64_t index, int words) {
  std::string said;
  try {
    const auto group = connect_gpus(std::make_shared<SocketGroup>(std::move(meeting), kQuick),
                                    gpu_of(index), said);
    std::vector<std::byte> some(100'000), got(100'000);
    const Outgoing out[] = {{1 - index, some}};
    const Incoming in[] = {{1 - index, got}};
    while (said.empty()) group->exchange_on_gpus(out, in);
  } catch (const ProcessLost& error) {
    said = error.what();
  }
  EXPECT_EQ(::write(words, said.data(), said.size()), std::ssize(said));
}

// Its connections stay open, NCCL's too, but it beats no more.
TEST(Nccl, OneThatHangsIsNamedAndNobodyWaitsForNccl) {
  const StandInNccl library;
  SocketThreads all(2);
  int words[2] = {};
  ASSERT_EQ(::pipe(words), 0);
  pid_t processes[2] = {};
  for (const int64_t index : {0, 1}) {
    processes[index] = ::fork();
    if (processes[index] != 0) continue;
    exchange_for_ever(all.meeting(index), index, words[1]);
    ::_exit(0);
  }
  ::close(words[1]);
  ::usleep(500'000);  // they are at it
  ::kill(processes[1], SIGSTOP);
  char said[1000] = {};
  EXPECT_GT(::read(words[0], said, sizeof said - 1), 0);
  const std::string text = said;
  EXPECT_EQ(text.rfind(text_of("process 2 of 2 (pid ", processes[1], " on "), 0), 0u) << text;
  EXPECT_NE(text.find("has been silent for 1 s"), std::string::npos) << text;
  ::kill(processes[1], SIGKILL);
  for (const pid_t one : processes) ::waitpid(one, nullptr, 0);
  ::close(words[0]);
}

}  // namespace
}  // namespace jogak
