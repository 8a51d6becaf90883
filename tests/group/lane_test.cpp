#include "group/lane.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "base/error.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

std::vector<std::byte> pattern(size_t size, unsigned seed) {
  std::vector<std::byte> out(size);
  for (size_t i = 0; i < size; ++i) out[i] = static_cast<std::byte>(i * 7 + i / 251 + seed);
  return out;
}

// Both ends of a connection, within one process: it may read its own memory.
struct Ends {
  int fd[2];
  Lane::Other a, b;
  Ends(bool a_reads, bool b_reads) {
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fd), 0);
    a = {.fd = fd[0], .pid = ::getpid(), .is_read = a_reads, .reads_here = b_reads, .name = "b"};
    b = {.fd = fd[1], .pid = ::getpid(), .is_read = b_reads, .reads_here = a_reads, .name = "a"};
  }
  ~Ends() {
    for (const int one : fd) ::close(one);
  }
};

bool done(const Lane& lane) { return lane.events() == 0 && !lane.reading(); }

TEST(Lane, BytesArriveWhetherSentOrReadInAnyMix) {
  for (const bool a_reads : {false, true})
    for (const bool b_reads : {false, true}) {
      const Ends ends(a_reads, b_reads);
      for (uint64_t round = 1; round <= 3; ++round) {  // one behind the other on one connection
        const size_t large = 3'000'000 + round;        // more than the connection holds
        const auto sent = pattern(large, 1), back = pattern(round == 2 ? 100 : 70'000, 2);
        std::vector<std::byte> got(sent.size()), got_back(back.size());
        Lane a(ends.a, round), b(ends.b, round);
        const std::span<const std::byte> all(sent);
        a.send(all.first(5)), a.send(all.subspan(5, 0)), a.send(all.subspan(5));
        b.receive(std::span(got).first(1'000'000)), b.receive(std::span(got).subspan(1'000'000));
        b.send(back), a.receive(got_back);
        a.start(), b.start();
        for (int i = 0; i < 10000 && !(done(a) && done(b)); ++i)
          ASSERT_TRUE((done(a) || a.move()) && (done(b) || b.move()));
        ASSERT_TRUE(done(a) && done(b));
        EXPECT_EQ(got, sent);
        EXPECT_EQ(got_back, back);
      }
    }
}

TEST(Lane, ASenderWaitsUntilItsMemoryWasRead) {
  const Ends ends(false, true);
  const auto sent = pattern(100'000, 3);
  std::vector<std::byte> got(sent.size());
  Lane a(ends.a, 1), b(ends.b, 1);
  a.send(sent), b.receive(got);
  a.start(), b.start();
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(a.move());
  EXPECT_FALSE(done(a));
  while (!done(b)) ASSERT_TRUE(b.move());
  EXPECT_EQ(got, sent);
  ASSERT_TRUE(a.move());
  EXPECT_TRUE(done(a));
}

TEST(Lane, AnotherLengthOrExchangeIsRefused) {
  const auto refused = [](size_t length, uint64_t exchange, bool reads) {
    const Ends ends(reads, reads);
    const auto sent = pattern(200'000, 4);
    std::vector<std::byte> got(length);
    Lane a(ends.a, 1), b(ends.b, exchange);
    a.send(sent), b.receive(got);
    a.start(), b.start();
    return error_of<Error>([&] {
      for (int i = 0; i < 100; ++i) a.move(), b.move();
    });
  };
  for (const bool reads : {false, true}) {
    EXPECT_EQ(refused(100'000, 1, reads),
              "a: sends 200000 bytes as exchange 1, wanted 100000 as 1");
    EXPECT_EQ(refused(200'000, 2, reads),
              "a: sends 200000 bytes as exchange 1, wanted 200000 as 2");
  }
}

TEST(Lane, AListThatDoesNotAddUpIsRefused) {
  const Ends ends(false, true);
  std::vector<std::byte> got(200'000);
  Lane b(ends.b, 1);
  b.receive(got), b.start();
  const uint64_t head[] = {1, 200'000, 2}, list[] = {4096, 150'000, 4096, 60'000};
  ASSERT_EQ(::write(ends.fd[0], head, sizeof head), static_cast<ssize_t>(sizeof head));
  ASSERT_EQ(::write(ends.fd[0], list, sizeof list), static_cast<ssize_t>(sizeof list));
  expect_error<Error>([&] { b.move(); },
                      "a: offers 60000 bytes of memory behind 150000, wanted 200000");
}

TEST(Lane, MemoryOfAProcessThatIsGoneIsABrokenConnection) {
  Ends ends(false, true);
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  ends.b.pid = child;
  const auto sent = pattern(100'000, 5);
  std::vector<std::byte> got(sent.size());
  Lane a(ends.a, 1), b(ends.b, 1);
  a.send(sent), b.receive(got);
  a.start(), b.start();
  ASSERT_TRUE(a.move());
  EXPECT_FALSE(b.move());
}

TEST(Neighbour, OnlyTheSignTellsAProcess) {
  const auto at = reinterpret_cast<uint64_t>(&Sign::own());
  EXPECT_TRUE(can_read(::getpid(), at, Sign::own()));
  EXPECT_FALSE(can_read(::getpid(), at, Sign{}));
  EXPECT_FALSE(can_read(::getpid(), 8, Sign::own()));  // nothing is there
}

}  // namespace
}  // namespace jogak
