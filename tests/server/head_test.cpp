// Heads of requests: what is read, and what is refused with which status.
#include "server/head.h"

#include "server/access.h"
#include "tests/support/expect.h"

namespace jogak::server {
namespace {

using State = HeadReader::State;

// 0: the head is whole and every check passes; otherwise the status of the refusal.
int status_of(const std::string& bytes) {
  HeadReader reader;
  switch (reader.take(bytes)) {
    case State::more: return 1;
    case State::refused: return reader.refusal().status;
    case State::whole: break;
  }
  const auto head = parse_head(std::string_view(bytes).substr(0, reader.size()));
  if (const auto* wrong = std::get_if<Refusal>(&head)) return wrong->status;
  const Access access({"127.0.0.1"}, "");
  if (const auto wrong = access.check_host(std::get<Head>(head))) return wrong->status;
  const auto target = parse_target(std::get<Head>(head).target);
  if (const auto* wrong = std::get_if<Refusal>(&target)) return wrong->status;
  const auto framing = framing_of(std::get<Head>(head));
  if (const auto* wrong = std::get_if<Refusal>(&framing)) return wrong->status;
  return 0;
}

std::string get(const std::string& path, const std::string& more = "") {
  return "GET " + path + " HTTP/1.1\r\nHost: localhost:8080\r\n" + more + "\r\n";
}

TEST(Heads, PlainOnesAreRead) {
  EXPECT_EQ(status_of(get("/")), 0);
  EXPECT_EQ(status_of("GET / HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n"), 0);
  EXPECT_EQ(status_of(get("/", "X: caf\xC3\xA9 \t \r\n")), 0);
  EXPECT_EQ(status_of(get("/", "Content-Length: 12\r\n")), 0);
  EXPECT_EQ(status_of(get("/", "Transfer-Encoding: Chunked\r\n")), 0);
  EXPECT_EQ(status_of(get("/a%20b?text=%EC%A1%B0%EA%B0%81&x=1+2")), 0);
  EXPECT_EQ(status_of(get("/", "Expect: 100-continue\r\nContent-Length: 1\r\n")), 0);
  EXPECT_EQ(status_of(get("/", "X: a%0d%0ab\r\n")), 0);  // letters, not line ends
}

TEST(Heads, EveryPrefixAsksForMoreOrIsRefused) {
  const std::string whole = get("/api?x=1", "Content-Length: 3\r\n");
  for (size_t n = 1; n < whole.size(); ++n) EXPECT_EQ(status_of(whole.substr(0, n)), 1) << n;
}

TEST(Heads, ByteByByteIsTheSameAsAtOnce) {
  const std::string whole = get("/", "A: b\r\n") + "body";
  HeadReader reader;
  size_t n = 0;
  State state = State::more;
  while (state == State::more) state = reader.take(std::string_view(whole).substr(0, ++n));
  EXPECT_EQ(state, State::whole);
  EXPECT_EQ(reader.size(), whole.size() - 4);
}

TEST(RefusedHeads, LinesAndSizes) {
  EXPECT_EQ(status_of("GET /" + std::string(64 << 10, 'a') + " HTTP/1.1\r\n"), 414);
  std::string many;
  for (int i = 0; i < 101; ++i) many += "A: b\r\n";
  EXPECT_EQ(status_of(get("/", many)), 431);
  EXPECT_EQ(status_of(get("/", "A: " + std::string(33 << 10, 'a') + "\r\n")), 431);
  const std::string long_key(1 << 20, 'a');
  EXPECT_EQ(status_of(get("/", "Authorization: Bearer " + long_key + "\r\n")), 401);
  EXPECT_EQ(status_of(get("/", "aUTHORIZATION:" + long_key + "\r\n")), 401);
  EXPECT_EQ(status_of(get("/", "Authorizations: " + long_key + "\r\n")), 431);
  EXPECT_EQ(status_of(get("/", std::string("A: b\0c\r\n", 8))), 400);
  EXPECT_EQ(status_of(get("/", "A: b\x01\r\n")), 400);
  EXPECT_EQ(status_of(get("/", "A: b\r\n folded\r\n")), 400);
  EXPECT_EQ(status_of(get("/", "A : b\r\n")), 400);
  EXPECT_EQ(status_of(get("/", "no colon\r\n")), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\nHost: localhost\n\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: localhost\n\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\rHost: localhost\r\n\r\n"), 400);
  EXPECT_EQ(status_of("\r\n\r\n"), 400);
}

TEST(RefusedHeads, Framing) {
  EXPECT_EQ(status_of(get("/", "Content-Length: 1\r\nContent-Length: 1\r\n")), 400);
  EXPECT_EQ(status_of(get("/", "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n")), 400);
  EXPECT_EQ(status_of(get("/", "Transfer-Encoding: xchunked\r\n")), 400);
  EXPECT_EQ(status_of(get("/", "Transfer-Encoding: gzip, chunked\r\n")), 400);
  for (const char* length : {"1e3", "-1", "+1", "0x5", "1 2", "", "1, 1"})
    EXPECT_EQ(status_of(get("/", text_of("Content-Length: ", length, "\r\n"))), 400) << length;
  EXPECT_EQ(status_of(get("/", "Content-Length: 18446744073709551616\r\n")), 413);
  EXPECT_EQ(status_of("POST / HTTP/1.0\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"),
            400);
  EXPECT_EQ(status_of(get("/", "Content-Encoding: gzip\r\n")), 415);
  EXPECT_EQ(status_of(get("/", "Expect: magic\r\n")), 417);
}

TEST(RefusedHeads, VersionsAndMethods) {
  EXPECT_EQ(status_of("GET /\r\n"), 400);
  EXPECT_EQ(status_of("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), 505);
  EXPECT_EQ(status_of("GET / HTTP/1.2\r\nHost: localhost\r\n\r\n"), 505);
  EXPECT_EQ(status_of("GET / HTTQ/1.1\r\nHost: localhost\r\n\r\n"), 400);
  EXPECT_EQ(status_of("G(T / HTTP/1.1\r\nHost: localhost\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET  / HTTP/1.1\r\nHost: localhost\r\n\r\n"), 400);
}

TEST(RefusedHeads, PathsThatAreNotPlain) {
  for (const char* path :
       {"http://localhost/", "//", "/../x", "/a/../b", "/..", "/%2e%2e/x", "/a%00b", "/a%0d%0ab",
        "/a\\b", "/%5c", "/%", "/%2", "/%zz", "*", "localhost:80", "/a#b", "/./a", "/%2e/a"})
    EXPECT_EQ(status_of(get(path)), 404) << path;
  EXPECT_EQ(status_of(get("/a?x=%zz")), 400);
}

TEST(RefusedHeads, NamesOfOthers) {
  const auto with = [](const std::string& host) {
    return status_of("GET / HTTP/1.1\r\n" + host + "\r\n");
  };
  EXPECT_EQ(with(""), 400);
  EXPECT_EQ(with("Host: localhost\r\nHost: localhost\r\n"), 400);
  EXPECT_EQ(with("Host: evil.example\r\n"), 403);
  EXPECT_EQ(with("Host: localhost.evil.example\r\n"), 403);
  EXPECT_EQ(with("Host: 127.0.0.1.evil.example\r\n"), 403);
  EXPECT_EQ(with("Host: LocalHost:1\r\n"), 0);
  EXPECT_EQ(with("Host: [::1]:8080\r\n"), 0);
  EXPECT_EQ(with("Host: [::1\r\n"), 403);
}

TEST(Targets, AreDecodedOnce) {
  const auto target = std::get<Target>(parse_target("/a%2520b?text=%EC%A1%B0+x&empty&y=1=2"));
  EXPECT_EQ(target.path, "/a%20b");
  EXPECT_EQ(target.query.at("text"), "조 x");
  EXPECT_EQ(target.query.at("empty"), "");
  EXPECT_EQ(target.query.at("y"), "1=2");
}

Head head_with(std::vector<std::pair<std::string, std::string>> fields) {
  Head out;
  out.fields = std::move(fields);
  return out;
}

TEST(Access, PagesOfOtherSitesMayNotAsk) {
  const Access access({"127.0.0.1"}, "");
  EXPECT_FALSE(access.check_origin(head_with({{"host", "localhost:1"}})));
  EXPECT_FALSE(
      access.check_origin(head_with({{"host", "localhost:1"}, {"origin", "http://localhost:1"}})));
  for (const char* origin : {"http://evil.example", "null", "http://localhost:2", ""})
    EXPECT_TRUE(access.check_origin(head_with({{"host", "localhost:1"}, {"origin", origin}})));
  EXPECT_TRUE(access.check_origin(head_with({{"sec-fetch-site", "cross-site"}})));
  EXPECT_FALSE(access.check_origin(head_with({{"sec-fetch-site", "same-origin"}})));
}

TEST(Access, TheKeyIsAskedForWhereThereIsOne) {
  const Access open({}, ""), closed({}, "0123456789abcdef");
  EXPECT_FALSE(open.check_key(head_with({})));
  EXPECT_TRUE(closed.check_key(head_with({})));
  for (const char* given : {"0123456789abcdef", "Bearer ", "Bearer 0123456789abcde",
                            "Bearer 0123456789abcdeF", "Bearer 0123456789abcdef0", "Basic x"})
    EXPECT_TRUE(closed.check_key(head_with({{"authorization", given}}))) << given;
  EXPECT_TRUE(
      closed.check_key(head_with({{"authorization", "Bearer " + std::string(1 << 20, 'a')}})));
  EXPECT_FALSE(closed.check_key(head_with({{"authorization", "Bearer 0123456789abcdef"}})));
}

}  // namespace
}  // namespace jogak::server
