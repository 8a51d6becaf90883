#include "base/terminal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

#include "tests/base/environment.h"

namespace jogak {
namespace {

using test::Environment;

TEST(DisplayWidth, LatinIsOneHangulIsTwo) {
  EXPECT_EQ(display_width(""), 0u);
  EXPECT_EQ(display_width("softmax"), 7u);
  EXPECT_EQ(display_width("조각"), 4u);
  EXPECT_EQ(display_width("어텐션 3"), 8u);
  EXPECT_EQ(display_width("Ａ"), 2u);  // full-width A
  EXPECT_EQ(display_width("漢字"), 4u);
  EXPECT_EQ(display_width("한"), 2u);
  EXPECT_EQ(display_width("😀"), 2u);
  EXPECT_EQ(display_width("π√·×−"), 5u);
}

TEST(DisplayWidth, MarksAndEscapesTakeNoRoom) {
  EXPECT_EQ(display_width("e\u0301"), 1u);             // e and a combining acute
  EXPECT_EQ(display_width("\u1112\u1161\u11ab"), 2u);  // 한 as three joining letters
  EXPECT_EQ(display_width("\u200b\ufeff"), 0u);
  EXPECT_EQ(display_width("\x1b[1;31m층\x1b[0m"), 2u);
  EXPECT_EQ(display_width("\t\n"), 0u);
}

TEST(DisplayWidth, BrokenBytesCountOne) {
  EXPECT_EQ(display_width("\xff\xfe"), 2u);
  EXPECT_EQ(display_width("\xec\xa1"), 2u);  // two thirds of a syllable
  EXPECT_EQ(display_width("\x1b[12"), 3u);   // an escape that never ends: ESC takes nothing
}

TEST(FitColumns, NeverHalvesASyllable) {
  EXPECT_EQ(fit_columns("조각", 3), "조");
  EXPECT_EQ(fit_columns("조각", 4), "조각");
  EXPECT_EQ(fit_columns("조각", 1), "");
  EXPECT_EQ(fit_columns("abc", 2), "ab");
  EXPECT_EQ(fit_columns("e\u0301x", 1), "e\u0301");
}

TEST(Pad, CountsColumns) {
  EXPECT_EQ(pad_left("층", 4), "  층");
  EXPECT_EQ(pad_right("층", 4), "층  ");
  EXPECT_EQ(pad_left("정규화", 4), "정규화");
}

TEST(Quoted, IsShortOneLineAndValid) {
  EXPECT_EQ(quoted("top-k"), "\"top-k\"");
  EXPECT_EQ(quoted("a\"b\\c"), "\"a\\\"b\\\\c\"");
  EXPECT_EQ(quoted("a\nb\x1b[1mc"), "\"a?b?[1mc\"");
  EXPECT_EQ(quoted("\xff"), "\"\uFFFD\"");
  EXPECT_EQ(quoted(std::string(50, 'x')), "\"" + std::string(40, 'x') + "...\"");
  EXPECT_EQ(quoted(std::string(1'000'000, '\x01')).size(), 405u);
}

TEST(ColourWanted, OnlyOnATerminalThatWantsIt) {
  int pipes[2];
  ASSERT_EQ(pipe(pipes), 0);
  const Environment none("NO_COLOR", nullptr);
  const Environment term("TERM", "xterm");
  EXPECT_FALSE(colour_wanted(pipes[1]));
  close(pipes[0]);
  close(pipes[1]);
  EXPECT_FALSE(colour_wanted(-1));

  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0) GTEST_SKIP() << "no pseudo-terminal on this machine";
  EXPECT_TRUE(colour_wanted(terminal));
  {
    const Environment set("NO_COLOR", "1");
    EXPECT_FALSE(colour_wanted(terminal));
  }
  {
    const Environment empty("NO_COLOR", "");  // present but empty means nothing
    EXPECT_TRUE(colour_wanted(terminal));
  }
  {
    const Environment dumb("TERM", "dumb");
    EXPECT_FALSE(colour_wanted(terminal));
  }
  close(terminal);
}

TEST(TerminalColumns, AsksTheTerminalThenTheEnvironment) {
  {
    const Environment columns("COLUMNS", "132");
    EXPECT_EQ(terminal_columns(-1), 132);
  }
  for (const char* bad : {"", "0", "-5", "wide", "80x", "999999999999"}) {
    const Environment columns("COLUMNS", bad);
    EXPECT_EQ(terminal_columns(-1), 80) << bad;
  }
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0) GTEST_SKIP() << "no pseudo-terminal on this machine";
  winsize size{};
  size.ws_col = 61;
  ASSERT_EQ(ioctl(terminal, TIOCSWINSZ, &size), 0);
  EXPECT_EQ(terminal_columns(terminal), 61);
  close(terminal);
}

}  // namespace
}  // namespace jogak
