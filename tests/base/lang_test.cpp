#include "base/lang.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/base/environment.h"

namespace jogak {
namespace {

using test::Environment;

Lang with(const char* all, const char* messages, const char* lang) {
  const Environment a("LC_ALL", all), m("LC_MESSAGES", messages), l("LANG", lang);
  return language_from_environment();
}

TEST(Language, FollowsTheLocale) {
  EXPECT_EQ(with(nullptr, nullptr, "ko_KR.UTF-8"), Lang::ko);
  EXPECT_EQ(with(nullptr, nullptr, "ko"), Lang::ko);
  EXPECT_EQ(with(nullptr, "ko_KR", "en_US.UTF-8"), Lang::ko);
  EXPECT_EQ(with("C.UTF-8", "ko_KR", "ko_KR"), Lang::en);  // LC_ALL overrides
  EXPECT_EQ(with("", "", "ko.utf8"), Lang::ko);            // empty counts as unset
  EXPECT_EQ(with(nullptr, nullptr, nullptr), Lang::en);
  EXPECT_EQ(with(nullptr, nullptr, "kok_IN"), Lang::en);  // Konkani
  EXPECT_EQ(with(nullptr, nullptr, "de_DE.UTF-8"), Lang::en);
}

TEST(Language, ParsesItsCode) {
  EXPECT_EQ(parse_lang("ko"), Lang::ko);
  EXPECT_EQ(parse_lang("en"), Lang::en);
  for (const Lang lang : {Lang::ko, Lang::en}) EXPECT_EQ(parse_lang(lang_code(lang)), lang);
  try {
    parse_lang("fr");
    FAIL() << "fr was accepted";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "language: found \"fr\", wanted ko or en");
  }
}

TEST(Words, PickTheLanguage) {
  constexpr Words words{"층 정규화", "layer normalisation"};
  EXPECT_EQ(words(Lang::ko), "층 정규화");
  EXPECT_EQ(words(Lang::en), "layer normalisation");
}

}  // namespace
}  // namespace jogak
