// The server on a real socket of this machine: what clients get, well-behaved or not.
#include "server/http.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <functional>
#include <future>
#include <thread>

#include "base/error.h"

namespace jogak::server {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

class Client {
 public:
  explicit Client(uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) close();
  }
  ~Client() { close(); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }
  Client& send(const std::string& bytes) {
    ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    return *this;
  }
  // What comes until `end` is in it, the connection is closed, or nothing comes for three seconds.
  std::string read(const std::string& end = "") {
    std::string out;
    char bytes[4096];
    while (end.empty() || out.find(end) == std::string::npos) {
      pollfd one{fd_, POLLIN, 0};
      if (::poll(&one, 1, 3000) <= 0) return out + "[nothing more came]";
      const ssize_t n = ::recv(fd_, bytes, sizeof bytes, 0);
      if (n <= 0) break;
      out.append(bytes, static_cast<size_t>(n));
    }
    return out;
  }

 private:
  int fd_;
};

class Http : public testing::Test {
 protected:
  void SetUp() override {
    routes_.add({.path = "/quick",
                 .handle = [](const Request&, Work&) { return Reply{.body = "quick\n"}; },
                 .open = true,
                 .quick = true});
    routes_.add({.method = "POST",
                 .path = "/echo",
                 .handle = [](const Request& r, Work&) { return Reply{.body = r.body}; },
                 .most_body = 1000});
    routes_.add({.method = "POST", .path = "/json", .handle = [](const Request& r, Work&) {
                   return json_reply(r.json());
                 }});
    routes_.add({.path = "/slow",
                 .handle =
                     [this](const Request&, Work& work) {
                       ++begun_;
                       while (!work.stop().load()) std::this_thread::sleep_for(1ms);
                       ++stopped_;
                       fail<Stopped>("stopped");
                       return Reply{};
                     },
                 .lane = [](const Request&) { return std::string("model"); }});
    routes_.add({.path = "/wait",
                 .handle =
                     [](const Request&, Work&) {
                       std::this_thread::sleep_for(300ms);
                       return Reply{.body = "waited\n"};
                     },
                 .lane = [](const Request&) { return std::string("other"); }});
    routes_.add({.path = "/stream", .handle = [](const Request&, Work& work) {
                   for (int i = 0; i < 3; ++i) work.send(text_of("data: ", i, "\n\n"));
                   return Reply{};
                 }});
    routes_.add({.path = "/endless", .handle = [this](const Request&, Work& work) {
                   ++begun_;
                   try {
                     for (;;) work.send(std::string(size_t{64} << 10, 'x')), pause_();
                   } catch (const Stopped&) {
                     ++stopped_;
                     throw;
                   }
                   return Reply{};
                 }});
    routes_.add({.path = "/broken", .handle = [](const Request&, Work& work) {
                   work.send("data: 1\n\n");
                   fail<Error>("went wrong");
                   return Reply{};
                 }});
    for (const char* path : {"/api/wrong", "/v1/wrong"})
      routes_.add({.path = path, .handle = [](const Request&, Work&) {
                     fail<UsageError>("that file is not kept any more");
                     return Reply{};
                   }});
    options_.port = 0;
    options_.limits.head = options_.limits.body = options_.limits.idle = HttpLimits::Seconds(1);
    options_.limits.write = HttpLimits::Seconds(1);
    options_.limits.queue = 1;
    options_.limits.connections = 20;
    options_.limits.drain = HttpLimits::Seconds(2);
    options_.limits.look = 20ms;
    options_.stop = &stop_;
    std::promise<uint16_t> listening;
    options_.listening = [&](const std::string& address) {
      uint16_t port = 0;
      for (const char c : address.substr(address.rfind(':') + 1))
        port = static_cast<uint16_t>(port * 10 + (c - '0'));
      listening.set_value(port);
    };
    thread_ = std::thread([this] { serve_http(options_, routes_, access_); });
    port_ = listening.get_future().get();
  }
  void TearDown() override {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
  }

  std::string ask(const std::string& bytes) { return Client(port_).send(bytes).read(); }
  static std::string get(const std::string& path, const std::string& more = "") {
    return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + more + "\r\n";
  }
  static std::string post(const std::string& path, const std::string& body,
                          const std::string& more = "Connection: close\r\n") {
    return text_of("POST ", path, " HTTP/1.1\r\nHost: localhost\r\n",
                   "Content-Type: application/json\r\nContent-Length: ", body.size(), "\r\n", more,
                   "\r\n", body);
  }
  static bool wait_for(const std::atomic<int>& count, int wanted,
                       std::chrono::milliseconds most = 2000ms) {
    for (const auto end = Clock::now() + most; Clock::now() < end;) {
      if (count.load() == wanted) return true;
      std::this_thread::sleep_for(1ms);
    }
    return false;
  }

  Routes routes_;
  Access access_{{}, std::vector<std::string>{}};
  HttpOptions options_;
  std::atomic<bool> stop_{false};
  std::atomic<int> begun_{0}, stopped_{0};
  std::function<void()> pause_ = [] {};
  std::thread thread_;
  uint16_t port_ = 0;
};

std::string status(const std::string& reply) {
  return reply.substr(0, std::min<size_t>(12, reply.size()));
}

// Every refusal is a status and one line of JSON, and the connection ends.
void expect_refused(const std::string& reply, int code) {
  EXPECT_EQ(status(reply), text_of("HTTP/1.1 ", code)) << reply;
  const size_t body = reply.find("\r\n\r\n");
  ASSERT_NE(body, std::string::npos) << reply;
  const std::string text = reply.substr(body + 4);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
  const Json json = parse_json(text, "reply");
  ASSERT_NE(json.find("error"), nullptr);
  EXPECT_FALSE(json.find("error")->find("message")->text().empty());
  EXPECT_FALSE(json.find("error")->find("code")->text().empty());
}

// The page's reader is told in the page's language; programs that ask under /v1 read English.
TEST_F(Http, ErrorsSpeakTheLanguageThatWasAskedFor) {
  const std::string korean = "Accept-Language: ko-KR,ko;q=0.9\r\nConnection: close\r\n";
  const std::string close = "Connection: close\r\n", english = "that file is not kept any more";
  EXPECT_NE(ask(get("/api/wrong", korean)).find("서버에 없습니다"), std::string::npos);
  EXPECT_NE(ask(get("/api/wrong", close)).find(english), std::string::npos);
  EXPECT_NE(ask(get("/v1/wrong", korean)).find(english), std::string::npos);
}

TEST_F(Http, ConnectionsStayAndRequestsMayWaitInThem) {
  Client client(port_);
  EXPECT_EQ(status(client.send(get("/quick")).read("quick\n")), "HTTP/1.1 200");
  const std::string both = client.send(get("/quick") + get("/quick")).read("quick\nHTTP");
  EXPECT_NE(both.find("quick\nHTTP/1.1 200"), std::string::npos) << both;
  const std::string last = client.send(get("/quick", "Connection: close\r\n")).read();
  EXPECT_EQ(last.find("[nothing"), std::string::npos);
}

TEST_F(Http, BodiesByLengthAndByChunks) {
  EXPECT_TRUE(ask(post("/echo", "hello")).ends_with("hello"));
  const std::string head =
      "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_TRUE(ask(head + "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nTrailer: t\r\n\r\n").ends_with("abcde"));
  for (const char* chunk : {"-2\r\nab\r\n", "0x5\r\n", "+5\r\n", "11111111111111111\r\n", "zz\r\n"})
    expect_refused(ask(head + chunk), 400);
  expect_refused(ask(head + "1;" + std::string(200 << 10, 'x')), 400);
  expect_refused(ask(head + "800\r\n" + std::string(2048, 'a') + "\r\n0\r\n\r\n"), 413);
  expect_refused(ask(head + "3\r\nabc\r\n"), 408);
}

TEST_F(Http, ExpectedBodiesAreAskedFor) {
  Client client(port_);
  client.send(
      "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Content-Length: 5\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(status(client.read("\r\n\r\n")), "HTTP/1.1 100");
  EXPECT_TRUE(client.send("hello").read().ends_with("hello"));
}

TEST_F(Http, HeadHasNoBody) {
  const std::string reply =
      ask("HEAD /quick HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  EXPECT_NE(reply.find("Content-Length: 6"), std::string::npos);
  EXPECT_TRUE(reply.ends_with("\r\n\r\n")) << reply;
}

TEST_F(Http, EachWrongRequestHasItsStatus) {
  expect_refused(ask("nonsense\r\n\r\n"), 400);
  expect_refused(ask("GET / HTTP/1.1\nHost: localhost\n\n"), 400);
  expect_refused(ask(get("/none")), 404);
  expect_refused(ask(get("/../quick")), 404);
  expect_refused(ask(get("/%2e%2e/quick")), 404);
  expect_refused(ask(get("//quick")), 404);
  expect_refused(ask(get("http://localhost/quick")), 404);
  expect_refused(ask(get("/echo")), 405);
  expect_refused(ask("TRACE /quick HTTP/1.1\r\nHost: localhost\r\n\r\n"), 405);
  expect_refused(ask("CONNECT localhost:1 HTTP/1.1\r\nHost: localhost\r\n\r\n"), 404);
  expect_refused(ask(get("/quick", "Host: localhost\r\n")), 400);
  expect_refused(ask("GET /quick HTTP/1.1\r\nHost: evil.example\r\n\r\n"), 403);
  expect_refused(ask(get("/quick", "Origin: http://evil.example\r\n")), 403);
  expect_refused(ask("GET /quick HTTP/2.0\r\n\r\n"), 505);
  expect_refused(ask(get("/" + std::string(70 << 10, 'a'))), 414);
  expect_refused(ask(get("/quick", "A: " + std::string(40 << 10, 'a') + "\r\n")), 431);
  expect_refused(ask(post("/echo", std::string(1001, 'a'))), 413);
  expect_refused(ask("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\na"), 415);
  expect_refused(ask(post("/json", "{\"a\":1,\"a\":2}")), 400);
  expect_refused(ask(post("/json", "{\"a\":")), 400);
  expect_refused(ask(post("/json", std::string(65, '[') + std::string(65, ']'))), 400);
  expect_refused(ask(post("/json", std::string(200 << 10, '['))), 400);
  expect_refused(ask(post("/json", "\"\xFF\"")), 400);
  const std::string offset = ask(post("/json", "{\"a\": x}"));
  EXPECT_NE(offset.find("byte 6"), std::string::npos) << offset;
}

TEST_F(Http, GarbageAfterARequestIsRefused) {
  const std::string reply = ask(get("/quick") + "garbage\r\n\r\n");
  EXPECT_EQ(status(reply), "HTTP/1.1 200");
  EXPECT_NE(reply.find("HTTP/1.1 400"), std::string::npos) << reply;
}

TEST_F(Http, WhoIsTooSlowIsToldSo) {
  expect_refused(ask(""), 408);
  expect_refused(ask("GET /qui"), 408);
  expect_refused(ask("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                     "Content-Length: 5\r\n\r\nab"),
                 408);
  Client slow(port_);  // a byte now and then does not help: the deadline is of the whole head
  const auto begin = Clock::now();
  const std::string head = get("/quick");
  std::string reply;
  for (size_t i = 0; i < head.size() && Clock::now() - begin < 2s; ++i) {
    slow.send(head.substr(i, 1));
    std::this_thread::sleep_for(100ms);
  }
  expect_refused(slow.read(), 408);
}

TEST_F(Http, ALeavingClientStopsItsWork) {
  {
    Client client(port_);
    client.send(get("/slow"));
    ASSERT_TRUE(wait_for(begun_, 1));
  }
  EXPECT_TRUE(wait_for(stopped_, 1, 250ms));
}

TEST_F(Http, AFullQueueAnswersAtOnce) {
  Client first(port_), second(port_);
  first.send(get("/slow"));
  ASSERT_TRUE(wait_for(begun_, 1));
  second.send(get("/slow"));
  std::this_thread::sleep_for(50ms);
  const std::string reply = ask(get("/slow", "Connection: close\r\n"));
  expect_refused(reply, 429);
  EXPECT_NE(reply.find("Retry-After: 1"), std::string::npos);
  EXPECT_EQ(status(ask(get("/quick", "Connection: close\r\n"))), "HTTP/1.1 200");
  first.close();
  second.close();
  EXPECT_TRUE(wait_for(stopped_, 1, 1000ms));  // the second never began
}

TEST_F(Http, Streams) {
  const std::string reply = ask(get("/stream", "Connection: close\r\n"));
  EXPECT_NE(reply.find("text/event-stream"), std::string::npos);
  for (const char* piece : {"data: 0\n\n", "data: 1\n\n", "data: 2\n\n"})
    EXPECT_NE(reply.find(piece), std::string::npos) << reply;
  EXPECT_TRUE(reply.ends_with("0\r\n\r\n")) << reply;
  const std::string broken = ask(get("/broken", "Connection: close\r\n"));
  EXPECT_NE(broken.find("data: {\"error\":{\"message\":\"went wrong\""), std::string::npos)
      << broken;
  const std::string old = ask("GET /stream HTTP/1.0\r\nHost: localhost\r\n\r\n");
  EXPECT_TRUE(old.ends_with("data: 2\n\n")) << old;
}

// Kind 263: whoever asks for a stream and reads nothing of it holds neither a thread nor memory.
TEST_F(Http, WhoDoesNotReadAStreamLosesIt) {
  for (const auto wait : {0ms, 5ms}) {  // faster than any wire, and slower than this one
    begun_ = stopped_ = 0;
    pause_ = [wait] { std::this_thread::sleep_for(wait); };
    Client client(port_);
    client.send(get("/endless"));
    ASSERT_TRUE(wait_for(begun_, 1));
    EXPECT_TRUE(wait_for(stopped_, 1, 8000ms)) << wait.count();
  }
  EXPECT_EQ(status(ask(get("/quick", "Connection: close\r\n"))), "HTTP/1.1 200");
}

TEST_F(Http, TooManyConnectionsAreTurnedAway) {
  std::vector<std::unique_ptr<Client>> many;
  for (int i = 0; i < 20; ++i) {
    many.push_back(std::make_unique<Client>(port_));
    many.back()->send(get("/quick")).read("quick\n");
  }
  EXPECT_EQ(status(ask(get("/quick"))), "HTTP/1.1 503");
  many.clear();
  std::this_thread::sleep_for(100ms);
  EXPECT_EQ(status(ask(get("/quick", "Connection: close\r\n"))), "HTTP/1.1 200");
}

TEST_F(Http, StoppingFinishesWhatRuns) {
  Client running(port_), idle(port_);
  idle.send(get("/quick")).read("quick\n");
  running.send(get("/wait"));
  std::this_thread::sleep_for(100ms);
  const auto begin = Clock::now();
  stop_ = true;
  const std::string reply = running.read();
  EXPECT_EQ(status(reply), "HTTP/1.1 200");
  EXPECT_TRUE(reply.ends_with("waited\n"));
  thread_.join();
  EXPECT_LT(Clock::now() - begin, 2s);
  EXPECT_EQ(idle.read(), "");
}

TEST_F(Http, WhatDoesNotEndIsGivenUpWhenStopping) {
  Client running(port_);
  running.send(get("/slow"));
  ASSERT_TRUE(wait_for(begun_, 1));
  stop_ = true;
  thread_.join();
  EXPECT_EQ(stopped_.load(), 1);
}

}  // namespace
}  // namespace jogak::server
