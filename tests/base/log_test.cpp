#include "base/log.h"

#include "base/listing.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

TEST(Log, WhatSteersATerminalIsShown) {
  const auto shown = [](std::string_view text) { return detail::shown_on_one_line(text); };
  EXPECT_EQ(shown("한글, café, 日本"), "한글, café, 日本");
  EXPECT_EQ(shown("a\nb\tc\x1b[31m\x7f"), "a\\nb\\tc\\x1b[31m\\x7f");
  EXPECT_EQ(shown(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(shown("\xc2\x9b"
                  "31m"),
            "\\xc2\\x9b31m")
      << "a control sequence in two bytes";
  EXPECT_EQ(shown("\xff\xed\xa0\x80"), "\\xff\\xed\\xa0\\x80") << "no UTF-8";
}

TEST(Log, ALineHasAtMostTwoThousandCharacters) {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += "가";
  const std::string out = detail::shown_on_one_line(text);
  EXPECT_TRUE(out.ends_with(" ... (9000 bytes in all)")) << out;
  EXPECT_TRUE(out.starts_with(text.substr(0, 3 * 1960)));
  EXPECT_LT(out.size(), size_t{3 * 1960 + 40});
  EXPECT_EQ(detail::shown_on_one_line(text.substr(0, 3 * 1960)), text.substr(0, 3 * 1960));
}

TEST(Log, TheFirstOfAKindIsWrittenAndTheOthersAreCounted) {
  testing::internal::CaptureStderr();
  for (int i = 1; i <= 5; ++i) log_first_warning("a text is cut", "text ", i, " is cut");
  log_first_warning("something else", "it was something else");
  tell_repeated();
  tell_repeated();
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "jogak: warning: text 1 is cut\njogak: warning: it was something else\n"
            "jogak: warning: the same 4 more times: a text is cut\n");
}

TEST(Log, NotesAndWarningsAreInTheLanguageThatIsSet) {
  const auto written = [](Lang lang) {
    set_log_language(lang);
    testing::internal::CaptureStderr();
    log_warning("a.csv: 2 of 9 lines do not fit a context of 4 tokens and are left out; the first ",
                "is line ", 3);
    log_info("runs/x: no checkpoint yet, training begins at the start");
    set_log_language(Lang::en);
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(written(Lang::en),
            "jogak: warning: a.csv: 2 of 9 lines do not fit a context of 4 tokens and are left "
            "out; the first is line 3\nruns/x: no checkpoint yet, training begins at the start\n");
  EXPECT_EQ(written(Lang::ko),
            "jogak: 경고: a.csv: 9줄 중 2줄은 문맥 4토큰에 들지 않아 뺐습니다; 처음은 3번째 줄\n"
            "runs/x: 아직 체크포인트가 없어 처음부터 학습합니다\n");
}

// Progress is drawn in it, too: a command's --lang, whatever the environment says.
TEST(Log, ItsLanguageIsTheOneThatWasSet) {
  for (const Lang lang : {Lang::ko, Lang::en}) {
    set_log_language(lang);
    EXPECT_EQ(log_language(), lang);
  }
}

TEST(Listing, EightAndHowManyMore) {
  EXPECT_EQ(first_of({}), "");
  EXPECT_EQ(first_of({"a", "b"}, "; "), "a; b");
  EXPECT_EQ(first_of({"1", "2", "3", "4", "5", "6", "7", "8"}), "1, 2, 3, 4, 5, 6, 7, 8");
  EXPECT_EQ(first_of({"1", "2", "3", "4", "5", "6", "7", "8", "9", "10"}),
            "1, 2, 3, 4, 5, 6, 7, 8, and 2 more");
}

}  // namespace
}  // namespace jogak
