#include "server/body.h"

#include <gtest/gtest.h>

namespace jogak::server {
namespace {

using State = BodyReader::State;

// However the bytes are cut, the same is read; what comes after the body stays.
void expect_body(const Framing& framing, const std::string& sent, const std::string& wanted) {
  for (const size_t piece : {sent.size() + 4, size_t{1}, size_t{3}}) {
    BodyReader reader(framing, 100);
    const std::string all = sent + "next";
    State state = State::more;
    std::string rest;
    for (size_t at = 0; at < all.size() && state == State::more; at += piece) {
      std::string_view bytes = std::string_view(all).substr(at, piece);
      state = reader.take(bytes);
      rest = std::string(bytes) + (at + piece < all.size() ? all.substr(at + piece) : "");
    }
    EXPECT_EQ(state, State::whole) << sent;
    EXPECT_EQ(reader.body(), wanted);
    EXPECT_EQ(rest, "next");
  }
}

int status_of(const std::string& sent) {
  BodyReader reader({.chunked = true}, 100);
  std::string_view bytes = sent;
  return reader.take(bytes) == State::refused ? reader.refusal().status : 0;
}

TEST(Bodies, ByLengthAndByChunks) {
  expect_body({.length = 5}, "hello", "hello");
  expect_body({.chunked = true}, "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", "abcde");
  expect_body({.chunked = true}, "A\r\n0123456789\r\n0\r\n\r\n", "0123456789");
  expect_body({.chunked = true}, "3;name=\"value\"\r\na\r\n\r\n000\r\n\r\n", "a\r\n");
  expect_body({.chunked = true}, "1\r\na\r\n0\r\nTrailer: t\r\nOther: o\r\n\r\n", "a");
  BodyReader empty({.length = 0}, 100);
  std::string_view none;
  EXPECT_EQ(empty.take(none), State::whole);
}

TEST(RefusedBodies, SayWhy) {
  for (const char* sent :
       {"-2\r\n", "0x5\r\n", "+5\r\n", " 5\r\n", "5 \r\n", "\r\n", ";a\r\n", "zz",
        "11111111111111111\r\n", "3\nabc", "3\r\nabcd", "3\r\nabc\n", "1;\x01"})
    EXPECT_EQ(status_of(sent), 400) << sent;
  EXPECT_EQ(status_of("1;" + std::string(kLongestChunkLine, 'x')), 400);
  EXPECT_EQ(status_of("0\r\n" + std::string(kLongestChunkLine + 1, 'x')), 400);
  std::string many = "0\r\n";
  while (many.size() < kLongestHead + 400) many += "Name: " + std::string(200, 'x') + "\r\n";
  EXPECT_EQ(status_of(many), 400);
  EXPECT_EQ(status_of("65\r\n"), 413);
  EXPECT_EQ(status_of("ffffffffffffffff\r\n"), 413);
  EXPECT_EQ(status_of("64\r\n" + std::string(100, 'a') + "\r\n1\r\n"), 413);
  EXPECT_EQ(status_of("3\r\nabc\r\n"), 0) << "more may come";
}

}  // namespace
}  // namespace jogak::server
