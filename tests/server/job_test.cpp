// A request at work in another thread, and the words of replies: without a socket.
#include "server/job.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "server/replies.h"
#include "server/workers.h"

namespace jogak::server {
namespace {

Route route(std::function<Reply(const Request&, Work&)> handle) {
  return {.path = "/", .handle = std::move(handle)};
}

TEST(Jobs, AnAnswerIsTakenWhole) {
  int changes = 0;
  Job job([&] { ++changes; });
  EXPECT_FALSE(job.has_said());
  job.run(route([](const Request&, Work&) { return Reply{.body = "done"}; }), {});
  EXPECT_TRUE(job.has_said());
  EXPECT_EQ(changes, 1);
  const Job::Said said = job.take();
  EXPECT_TRUE(said.done);
  EXPECT_FALSE(said.streams);
  EXPECT_EQ(said.reply.body, "done");
}

TEST(Jobs, PiecesAreTakenAsTheyCome) {
  Job job([] {});
  job.run(route([&](const Request&, Work& work) {
            work.send("one ");
            work.send("two");
            const Job::Said first = job.take();
            EXPECT_EQ(first.pieces, "one two");
            EXPECT_FALSE(first.done);
            EXPECT_FALSE(job.has_said());
            work.send("three");
            return Reply{};
          }),
          {});
  const Job::Said last = job.take();
  EXPECT_EQ(last.pieces, "three");
  EXPECT_TRUE(last.streams && last.done);
}

TEST(Jobs, WhatFailsMidwaySaysSoInItsLastPiece) {
  Job job([] {});
  job.run(route([](const Request&, Work& work) {
            work.send("data: 1\n\n");
            fail<UsageError>("went wrong");
            return Reply{};
          }),
          {});
  EXPECT_EQ(job.take().pieces,
            "data: 1\n\ndata: {\"error\":{\"message\":\"went wrong\",\"code\":"
            "\"invalid_request\"}}\n\n");
}

TEST(Jobs, StopWhenNobodyWaitsOrNobodyReads) {
  Job left([] {});
  left.give_up();
  bool begun = false;
  left.run(route([&](const Request&, Work&) {
             begun = true;
             return Reply{};
           }),
           {});
  EXPECT_FALSE(begun);
  EXPECT_EQ(left.take().reply.status, 499);
  Job full([] {});
  full.run(route([](const Request&, Work& work) {
             for (;;) work.send(std::string(64 << 10, 'x'));
             return Reply{};
           }),
           {});
  const Job::Said said = full.take();
  EXPECT_TRUE(said.done);
  EXPECT_LE(said.pieces.size(), kMostPending + 1000);
}

TEST(Replies, SayWhatBrowsersMustKnow) {
  const HeaderLines lines = headers_of(error_reply(404, "not_found", "no such path"));
  const auto has = [&](const char* name, const char* value) {
    return std::find(lines.begin(), lines.end(),
                     std::pair<std::string, std::string>(name, value)) != lines.end();
  };
  EXPECT_TRUE(has("Content-Type", "application/json"));
  EXPECT_TRUE(has("X-Content-Type-Options", "nosniff"));
  EXPECT_TRUE(has("Cross-Origin-Resource-Policy", "same-origin"));
  EXPECT_TRUE(has("Cache-Control", "no-store"));
  EXPECT_EQ(chunk_of(std::string(26, 'a')), "1a\r\n" + std::string(26, 'a') + "\r\n");
  EXPECT_NE(head_of_stream(0).find("Connection: close"), std::string::npos);
  EXPECT_NE(head_of_stream(1).find("Transfer-Encoding: chunked"), std::string::npos);
  EXPECT_EQ(too_busy().status, 429);
}

// A model that works does not hold up a list.
TEST(Workers, ModelsAndTheRestHaveTheirOwnThreads) {
  std::atomic<bool> go{false};
  std::atomic<int> done{0};
  Workers workers(1, 1);
  const Route model{.path = "/model",
                    .handle =
                        [&](const Request&, Work&) {
                          while (!go.load()) std::this_thread::yield();
                          ++done;
                          return Reply{};
                        },
                    .lane = [](const Request&) { return std::string("model"); }};
  const Route list = route([&](const Request&, Work&) {
    ++done;
    return Reply{};
  });
  const auto request = std::make_shared<const Request>();
  const auto begin = [&](const Route& one) {
    return workers.begin(one, request, std::make_shared<Job>([] {}));
  };
  ASSERT_TRUE(begin(model));
  ASSERT_TRUE(begin(list));
  for (int i = 0; i < 2000 && done.load() < 1; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(done.load(), 1);
  go = true;
}

}  // namespace
}  // namespace jogak::server
