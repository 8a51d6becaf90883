#include "group/socket_group.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "base/shortage.h"
#include "group/place.h"
#include "tests/group/socket_threads.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

using namespace std::chrono_literals;
using test::kQuick;
using test::noise;
using Together = test::SocketThreads;

TEST(SocketGroup, EveryByteArrivesWhereItBelongs) {
  for (const int64_t count : {2, 3, 5}) {
    Together all(count);
    all.run([&](int64_t index) {
      SocketGroup group(all.meeting(index));
      EXPECT_EQ(group.on_this_machine(), count);
      for (uint64_t round = 0; round < 6; ++round) {
        // More than a connection holds, in pieces, in both directions at once.
        const auto size = [&](int64_t from, int64_t to) {
          return static_cast<size_t>((from * 7 + to * 13) * 9001) % 700000;
        };
        const auto seed = [&](int64_t from, int64_t to) {
          return round * 100 + static_cast<uint64_t>(from * 10 + to);
        };
        std::vector<std::vector<std::byte>> sent, got;
        std::vector<Outgoing> out;
        std::vector<Incoming> in;
        for (int64_t other = 0; other < count; ++other) {
          sent.push_back(other == index ? std::vector<std::byte>{}
                                        : noise(size(index, other), seed(index, other)));
          got.emplace_back(other == index ? 0 : size(other, index));
        }
        for (int64_t other = 0; other < count; ++other) {
          const std::span<const std::byte> bytes = sent[static_cast<size_t>(other)];
          const size_t cut = bytes.size() / 3;
          out.push_back({other, bytes.first(cut)});
          out.push_back({other, bytes.subspan(cut)});
          in.push_back({other, got[static_cast<size_t>(other)]});
        }
        std::erase_if(out, [&](const Outgoing& one) { return one.to == index; });
        std::erase_if(in, [&](const Incoming& one) { return one.from == index; });
        group.exchange(out, in);
        for (int64_t other = 0; other < count; ++other) {
          if (other == index) continue;
          ASSERT_EQ(got[static_cast<size_t>(other)], noise(size(other, index), seed(other, index)));
        }
        ASSERT_EQ(group.sum(index + 1), count * (count + 1) / 2);
        ASSERT_EQ(group.text_from(count - 1, text_of("I am ", index)), text_of("I am ", count - 1));
      }
    });
  }
}

TEST(SocketGroup, OtherFactsAreRefusedByNameInAll) {
  Together all(3);
  std::vector<std::string> errors(3);
  all.run([&](int64_t index) {
    const Facts facts = {{"program", "jogak 1"},
                         {"recipe", index == 2 ? "a = 1\nlr = 2\n" : "a = 1\nlr = 3\n"}};
    if (index == 1)
      std::this_thread::sleep_for(std::chrono::milliseconds(200));  // the last to come
    errors[static_cast<size_t>(index)] =
        error_of<UsageError>([&] { SocketGroup group(all.meeting(index, facts)); });
  });
  for (const std::string& error : errors) {
    EXPECT_EQ(error.rfind("process 3 of 3 (pid ", 0), 0u) << error;
    EXPECT_NE(error.find("): has another recipe than the first: found lr = 2, wanted lr = 3"),
              std::string::npos)
        << error;
  }
}

TEST(SocketGroup, WhoDoesNotComeIsNamed) {
  Together all(3);
  Meeting alone = all.meeting(0);
  alone.patience = 0.2;
  expect_error<Error>([&] { meet(std::move(alone)); },
                      "waited 0.2 s for the other processes: of 3 number 2, 3 did not come");
}

TEST(SocketGroup, OneThatFallsSilentIsFoundAndNamedByAll) {
  Together all(3);
  all.run([&](int64_t index) {
    if (index == 1) {  // takes part, and then neither beats nor ends
      const std::vector<Member> silent = meet(all.meeting(1));
      std::this_thread::sleep_for(3s);
      return;
    }
    const auto begin = std::chrono::steady_clock::now();
    const std::string error = error_of<ProcessLost>([&] {
      SocketGroup group(all.meeting(index), kQuick);
      group.sum(1);
    });
    EXPECT_EQ(error.rfind("process 2 of 3 (pid ", 0), 0u) << error;
    EXPECT_NE(error.find(" has been silent for 1 s; the run stands at its last checkpoint"),
              std::string::npos)
        << error;
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 3s);
  });
}

TEST(SocketGroup, OneWhoseConnectionsCloseIsNamedByAll) {
  Together all(3);
  all.run([&](int64_t index) {
    if (index == 2) {
      const std::vector<Member> gone = meet(all.meeting(2));
      return;
    }
    const std::string error = error_of<ProcessLost>([&] {
      SocketGroup group(all.meeting(index), kQuick);
      group.sum(1), group.sum(1);
    });
    EXPECT_EQ(error.rfind("process 3 of 3 (pid ", 0), 0u) << error;
    EXPECT_NE(error.find(" is gone: its connection closed"), std::string::npos) << error;
  });
}

TEST(SocketGroup, WhoFailsTellsTheOthers) {
  Together all(2);
  all.run([&](int64_t index) {
    const auto work = [&] {
      SocketGroup group(all.meeting(index), kQuick);
      ensure<MissingError>(index != 1, "no such file");
      group.sum(1), group.sum(1);
    };
    if (index == 1) return expect_error<MissingError>(work, "no such file");
    const std::string error = error_of<Error>(work);
    EXPECT_NE(error.find(") failed, its message says why"), std::string::npos) << error;
  });
}

TEST(SocketGroup, AStrangerIsNotLetIn) {
  Together all(2);
  std::jthread stranger([port = all.port] {
    const Socket line = connect_to("127.0.0.1", port, Patience::seconds(5));
    send_message(line, Json::object({{"jogak", 1}, {"key", "wrong"}, {"index", 1}, {"count", 2}}),
                 Patience::seconds(5));
    EXPECT_TRUE(receive_message(line, Patience::seconds(5)).is_null());
  });
  all.run([&](int64_t index) {
    SocketGroup group(all.meeting(index));
    EXPECT_EQ(group.sum(2), 4);
  });
}

TEST(Place, TheFirstOfSlurmsMachines) {
  EXPECT_EQ(first_of_machines("node7"), "node7");
  EXPECT_EQ(first_of_machines("a1,b2"), "a1");
  EXPECT_EQ(first_of_machines("node[03-07,12]"), "node03");
  EXPECT_EQ(first_of_machines("node[5,9]"), "node5");
  EXPECT_EQ(first_of_machines("a,node[5,9]"), "a");
}

TEST(Place, WhichOfItsMachinesGpusAProcessTakes) {
  EXPECT_EQ(number_on_this_machine(), 0);
  for (const char* name : {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"}) {
    ::setenv(name, "3", 1);
    EXPECT_EQ(number_on_this_machine(), 3) << name;
    ::unsetenv(name);
  }
  ::setenv("JOGAK_GROUP", "2 4 1234 -1 key", 1);
  EXPECT_EQ(number_on_this_machine(), 2);
  ::unsetenv("JOGAK_GROUP");
}

TEST(Place, FlagsThatDoNotGoTogether) {
  EXPECT_EQ(find_place({}), Place::alone);
  EXPECT_EQ(find_place({.processes = 3}), Place::starts);
  EXPECT_EQ(find_place({.processes = 1}), Place::alone);
  EXPECT_EQ(find_place({.processes = 2, .process = 2, .first = "h:1"}), Place::by_hand);
  error_of<UsageError>([] { find_place({.processes = 2, .process = 3, .first = "h:1"}); });
  error_of<UsageError>([] { find_place({.processes = 2, .process = 1}); });
  error_of<UsageError>([] { find_place({.processes = 2, .process = 0, .first = "h:1"}); });
}

}  // namespace
}  // namespace jogak
