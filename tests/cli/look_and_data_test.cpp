#include "base/file.h"
#include "base/json.h"
#include "tests/cli/process.h"
#include "tests/support/expect.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

TEST(ExplainCommand, ShowsTheNumbersInBothLanguages) {
  const Result english = jogak({"explain", "softmax", "--x", "2,1,0.1"});
  EXPECT_EQ(english.code, 0);
  EXPECT_EQ(english.err, "");
  EXPECT_NE(english.out.find("0.659001"), std::string::npos);
  const Result korean = jogak({"explain", "softmax", "--x", "2,1,0.1", "--lang", "ko"});
  EXPECT_NE(korean.out.find("소프트맥스"), std::string::npos);
  EXPECT_NE(korean.out.find("0.659001"), std::string::npos);
}

TEST(ExplainCommand, TakesTheUsersMatricesAndWritesJsonCodeAndPictures) {
  const TempDir dir;
  write_file(dir / "v.json", "[[5,6],[7,8]]");
  const Arguments own = {"explain", "attention", "--q=1,0;0,1",          "--k",
                         "1,0;0,1", "--v",       "@" + (dir / "v.json"), "--causal"};
  Arguments json = own;
  json.push_back("--json");
  json.insert(json.end(), {"--svg", dir / "x.svg"});
  const Result got = jogak(json);
  ASSERT_EQ(got.code, 0) << got.err;
  const Json lesson = parse_json(got.out, "stdout");
  EXPECT_EQ(lesson.find("schema")->integer(), 1);
  EXPECT_TRUE(lesson.find("causal")->boolean());
  EXPECT_EQ(lesson.find("inputs")->find("v")->dump(), "[[5.0,6.0],[7.0,8.0]]");
  EXPECT_TRUE(read_file(dir / "x.svg").starts_with("<svg"));
  EXPECT_EQ(got.err, "picture: " + (dir / "x.svg") + "\n");
  Arguments code = own;
  code.insert(code.end(), {"--as", "numpy"});
  EXPECT_NE(jogak(code).out.find("import numpy as np"), std::string::npos);
}

TEST(ExplainCommand, ExercisesAreWrittenAndMarked) {
  const TempDir dir;
  const Result sheet = jogak({"explain", "--exercises", "2", "--seed", "3"});
  ASSERT_EQ(sheet.code, 0) << sheet.err;
  write_file(dir / "empty.txt", sheet.out);
  EXPECT_EQ(jogak({"explain", "--check", dir / "empty.txt"}).code, 1);
  write_file(dir / "one.txt", "# jogak exercises seed=3\n4.1 heads\nanswer: 8, 512, 64\n");
  const Result wrong = jogak({"explain", "--check", dir / "one.txt", "--json"});
  EXPECT_EQ(wrong.code, 1);
  const Json marks = parse_json(wrong.out, "stdout");
  const Json& wanted = *marks.find("answers")->items()[0].find("wanted");
  write_file(dir / "right.txt",
             "# jogak exercises seed=3\n4.1 heads\nanswer: " + wanted.dump() + "\n");
  const Result right = jogak({"explain", "--check", dir / "right.txt"});
  EXPECT_EQ(right.code, 0) << right.out;
  EXPECT_NE(right.out.find("1 of 1 right."), std::string::npos);
  write_file(dir / "other.txt", "hello\n");
  EXPECT_EQ(jogak({"explain", "--check", dir / "other.txt"}).code, 65);
  EXPECT_EQ(jogak({"explain", "--check", dir / "nowhere.txt"}).code, 66);
  EXPECT_EQ(jogak({"explain", "--exercises", "9"}).code, 2);
  EXPECT_EQ(jogak({"explain", "--exercises", "1", "--seed", "x"}).code, 2);
  EXPECT_EQ(jogak({"explain", "softmax", "--check", dir / "one.txt"}).code, 2);
}

TEST(ExplainCommand, NegativeNumbersAreValuesAndTopicsAreListed) {
  EXPECT_EQ(jogak({"explain", "softmax", "--x", "-1,-2"}).code, 0);
  const Result list = jogak({"explain"});
  EXPECT_EQ(list.code, 0);
  for (const char* topic : {"softmax", "attention", "positions", "layernorm"})
    EXPECT_NE(list.out.find(topic), std::string::npos);
}

TEST(ExplainCommandErrors, NumbersThatDoNotFit) {
  const Result got = jogak({"explain", "attention", "--q", "1,2;3"});
  EXPECT_EQ(got.code, 2);
  EXPECT_EQ(got.err, "jogak: --q: row 2: found 1 number, wanted 2 as in row 1\n");
  const Result wrong = jogak({"explain", "softmax", "--q", "1,2"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_EQ(wrong.err, "jogak: softmax: found input \"q\", wanted one of x\n");
  EXPECT_EQ(jogak({"explain", "softmax", "--x", "@nowhere.txt"}).code, 66);
}

TEST(DataCommand, MakesTheSameLinesFromTheSameSeed) {
  const TempDir dir;
  const auto make = [&](const Arguments& more) {
    Arguments words = {"data", "make", "dates", "-", "--count", "200"};
    words.insert(words.end(), more.begin(), more.end());
    return jogak(words).out;
  };
  const Result made = jogak({"data", "make", "dates", dir / "d.txt", "--count", "200", "--json"});
  ASSERT_EQ(made.code, 0) << made.err;
  const Json info = parse_json(made.out, "stdout");
  EXPECT_EQ(info.find("lines")->integer(), 200);
  EXPECT_EQ(info.find("split")->text(), "train");
  const std::string text = read_file(dir / "d.txt");
  EXPECT_EQ(info.find("bytes")->integer(), static_cast<int64_t>(text.size()));
  EXPECT_EQ(make({}), text);
  EXPECT_NE(make({"--seed", "2"}), text);
  EXPECT_NE(make({"--held-out"}), text);
}

TEST(DataCommand, ListsAndShows) {
  const TempDir dir;
  make_directories(dir / "set/inner");
  write_file(dir / "set/inner/a.txt", "가나\nb\nc");
  const Call call{.environment = {{"JOGAK_DATA", dir.path()}}, .directory = dir.path()};
  const Json list = parse_json(jogak({"data", "list", "--json"}, call).out, "stdout");
  EXPECT_EQ(list.find("files")->items().at(0).find("path")->text(), dir / "set/inner/a.txt");
  EXPECT_EQ(list.find("generated")->items().size(), 4u);
  const Json shown = parse_json(
      jogak({"data", "show", "set/inner/a.txt", "--count", "2", "--json"}, call).out, "");
  EXPECT_EQ(shown.find("lines")->integer(), 3);
  EXPECT_EQ(shown.find("characters")->integer(), 6);
  EXPECT_EQ(shown.find("first")->dump(), "[\"가나\",\"b\"]");
  EXPECT_NE(jogak({"data", "show", "dates", "--count", "1"}).out.find(" = "), std::string::npos);
  const Result kind = jogak({"data", "make", "date", "-"});
  EXPECT_EQ(kind.code, 2);
  EXPECT_EQ(kind.err,
            "jogak: KIND: found \"date\", wanted dates, sort, series or shapes (did you mean "
            "\"dates\"?)\n");
}

}  // namespace
}  // namespace jogak
