#include "base/progress.h"

#include "base/log.h"
#include "base/terminal.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

const ProgressFields kFields = {{"loss", "2.31"}, {"ppl", "10.1"}, {"", "12,345 tok/s"}};

struct FakeScreen {
  double now = 100;
  int columns = 100;
  std::vector<std::string> drawn;

  ProgressPlace place(bool terminal, Lang lang = Lang::en) {
    return {terminal,
            false,
            lang,
            [this] { return columns; },
            [this] { return now; },
            [this](std::string_view text) { drawn.emplace_back(text); }};
  }
};

TEST(Progress, AShortJobShowsNothing) {
  for (const bool terminal : {false, true}) {
    FakeScreen screen;
    {
      Progress progress("train", 10, screen.place(terminal));
      for (int i = 1; i <= 10; ++i) {
        screen.now += 0.19;
        progress.update(i, kFields);
      }
      progress.finish("loss 2.31");
    }
    EXPECT_TRUE(screen.drawn.empty());
  }
}

TEST(Progress, ATerminalLineIsRedrawnAndReplaced) {
  FakeScreen screen;
  Progress progress("train", 400, screen.place(true));
  progress.update(0, kFields);
  screen.now += 2;
  progress.update(100, kFields);
  progress.update(101, kFields);  // too soon
  screen.now += 0.11;
  progress.update(102, kFields);
  ASSERT_EQ(screen.drawn.size(), 2u);
  EXPECT_EQ(screen.drawn[0],
            "\r\x1b[Ktrain ▕███████▌                      ▏  25%  100/400  loss 2.31  ppl 10.1  "
            "12,345 tok/s  6.0 s left");
  progress.finish("loss 2.31");
  EXPECT_EQ(screen.drawn[2], "\r\x1b[K");
  EXPECT_EQ(screen.drawn[3], "loss 2.31\n");
  screen.now += 100;
  progress.update(103, kFields);  // finished is finished
  EXPECT_EQ(screen.drawn.size(), 4u);
}

TEST(Progress, AnErrorStartsOnACleanLine) {
  FakeScreen screen;
  {
    Progress progress("train", 400, screen.place(true));
    screen.now += 3;
    progress.update(1);
  }
  EXPECT_EQ(screen.drawn.back(), "\r\x1b[K");
}

TEST(Progress, ElsewhereOnePlainLineEveryFewSeconds) {
  FakeScreen screen;
  Progress progress("train", 1000, screen.place(false));
  for (int i = 0; i < 130; ++i) {  // 13 seconds
    progress.update(i, kFields);
    screen.now += 0.1;
  }
  progress.finish("done");
  ASSERT_EQ(screen.drawn.size(), 4u);
  EXPECT_EQ(screen.drawn[0].find("train: 2% (2"), 0u) << screen.drawn[0];
  EXPECT_NE(screen.drawn[0].find("/1,000), loss 2.31, ppl 10.1, 12,345 tok/s, 1 min 38 s left\n"),
            std::string::npos)
      << screen.drawn[0];
  EXPECT_EQ(screen.drawn[3], "done\n");
  for (const std::string& line : screen.drawn) EXPECT_EQ(line.find('\x1b'), std::string::npos);
}

TEST(Progress, AResumedRunCountsItsSpeedFromWhereItBegan) {
  FakeScreen screen;
  Progress progress("train", 1000, screen.place(false));
  progress.update(900);
  screen.now += 10;
  progress.update(950);
  EXPECT_EQ(screen.drawn.at(0), "train: 95% (950/1,000), 10 s left\n");
}

TEST(Progress, WithoutATotalItCounts) {
  FakeScreen screen;
  Progress progress("reading", 0, screen.place(false));
  progress.update(0);
  screen.now += 10;
  progress.update(1234);
  EXPECT_EQ(screen.drawn.at(0), "reading: 1,234\n");
}

TEST(ProgressLine, FitsEveryWidth) {
  for (const std::string_view title : {"train", "학습"})
    for (const Lang lang : {Lang::en, Lang::ko})
      for (int columns = 1; columns <= 200; ++columns)
        for (const bool colour : {false, true}) {
          const ProgressMoment moment{title, 5, 7, 100, &kFields};
          const std::string line = progress_bar_line(moment, columns, colour, lang);
          ASSERT_LT(display_width(line), static_cast<size_t>(std::max(columns, 2))) << line;
          EXPECT_TRUE(columns < 40 || line.find("71%") != std::string::npos) << line;
          EXPECT_TRUE(colour || line.find('\x1b') == std::string::npos) << line;
        }
}

TEST(ProgressLine, LeavesOutTheLastFieldsFirst) {
  const ProgressMoment moment{"학습", 5, 7, 100, &kFields};
  EXPECT_EQ(progress_bar_line(moment, 60, false, Lang::ko),
            "학습 ▕███████████▍    ▏  71%  5/7  loss 2.31  1분 40초 남음");
  EXPECT_EQ(progress_bar_line(moment, 30, false, Lang::ko), "학습  71%  5/7  1분 40초 남음");
  EXPECT_EQ(progress_bar_line(moment, 4, false, Lang::ko), "학");
}

TEST(ProgressLine, AFullBarAndPercentMeanDone) {
  const auto line = [](int64_t done) {
    return progress_bar_line({"t", done, 1000, -1, nullptr}, 20, false, Lang::en);
  };
  EXPECT_EQ(line(0), "t ▕          ▏   0%");
  EXPECT_EQ(line(999), "t ▕█████████▉▏  99%");
  EXPECT_EQ(line(1000), "t ▕██████████▏ 100%");
  EXPECT_EQ(line(2000), "t ▕██████████▏ 100%");
}

TEST(Log, OneLineWithItsPrefix) {
  testing::internal::CaptureStderr();
  log_info("step ", 3, " of ", 4);
  log_warning("file \x1b[31m\"a\nb\"");
  const std::string out = testing::internal::GetCapturedStderr();
  EXPECT_EQ(out, "step 3 of 4\njogak: warning: file \\x1b[31m\"a\\nb\"\n");
}

}  // namespace
}  // namespace jogak
