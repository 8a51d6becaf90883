#include "base/file.h"
#include "base/json.h"
#include "tests/support/expect.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

const Json kConfig = parse_json(
    R"({"layers": 4, "eps": 1e-5, "name": "gpt", "tied": true, "half": 1.5, "none": null, )"
    R"("list": [1], "inner": {"x": 1}})",
    "config.json");

TEST(JsonFields, ReadsWhatIsThere) {
  const Fields fields(kConfig, "config.json");
  EXPECT_EQ(fields.integer("layers", {1, 100}), 4);
  EXPECT_EQ(fields.integer_or("heads", 12, {1, 100}), 12);
  EXPECT_EQ(fields.integer_or("none", 7, {1, 100}), 7);  // null counts as absent
  EXPECT_EQ(fields.number("eps"), 1e-5);
  EXPECT_EQ(fields.number("layers"), 4.0);
  EXPECT_EQ(fields.number_or("rate", 0.5), 0.5);
  EXPECT_TRUE(fields.flag_or("tied", false));
  EXPECT_TRUE(fields.flag_or("absent", true));
  EXPECT_EQ(fields.text("name"), "gpt");
  EXPECT_EQ(fields.text_or("absent", "b"), "b");
  EXPECT_EQ(fields.list("list").size(), 1u);
  EXPECT_EQ(fields.object("inner").integer("x", {}), 1);
  EXPECT_TRUE(fields.has("layers"));
  EXPECT_FALSE(fields.has("none"));
  EXPECT_FALSE(fields.has("absent"));
}

TEST(JsonFields, SaysWhereAndWhatIsWrong) {
  const Fields f(kConfig, "config.json");
  expect_error<FormatError>([&] { f.at("heads"); },
                            "config.json: byte 0: key \"heads\" is missing");
  expect_error<FormatError>(
      [&] {
        f.integer("layers", {5, 9});
      },
      "config.json: byte 11: \"layers\": found 4, wanted an integer from 5 to 9");
  expect_error<FormatError>([&] { f.integer("half", {}); },
                            "config.json: byte 64: \"half\": found 1.5, wanted an integer");
  expect_error<FormatError>([&] { f.integer("name", {}); },
                            "config.json: byte 35: \"name\": found \"gpt\", wanted an integer");
  expect_error<FormatError>([&] { f.integer("none", {}); },
                            "config.json: byte 77: \"none\": found null, wanted an integer");
  expect_error<FormatError>([&] { f.number("list"); },
                            "config.json: byte 91: \"list\": found an array, wanted a number");
  expect_error<FormatError>([&] { f.flag_or("layers", true); },
                            "config.json: byte 11: \"layers\": found 4, wanted true or false");
  expect_error<FormatError>([&] { f.text("tied"); },
                            "config.json: byte 50: \"tied\": found true, wanted a string");
  expect_error<FormatError>([&] { f.list("inner"); },
                            "config.json: byte 105: \"inner\": found an object, wanted an array");
  expect_error<FormatError>([&] { f.object("list"); },
                            "config.json: byte 91: \"list\": found an array, wanted an object");
  const Json list = parse_json(" [1]", "x");
  expect_error<FormatError>([&] { Fields(list, "x"); },
                            "x: byte 1: found an array, wanted an object");
}

TEST(JsonFields, LongValuesAreCutAtACharacter) {
  std::string text = "{\"a\": \"";
  for (int i = 0; i < 100; ++i) text += "한";
  const Json json = parse_json(text + "\"}", "t");
  std::string shown = "\"";
  for (int i = 0; i < 18; ++i) shown += "한";
  expect_error<FormatError>([&] { Fields(json, "t").integer("a", {}); },
                            "t: byte 6: \"a\": found " + shown + "..., wanted an integer");
}

TEST(JsonFile, ReadsAndNamesTheFile) {
  const TempDir dir;
  write_file(dir / "good.json", "{\"a\": 1}");
  write_file(dir / "bad.json", "{\"a\": ");
  EXPECT_EQ(read_json_file(dir / "good.json").find("a")->integer(), 1);
  expect_error<FormatError>(
      [&] { read_json_file(dir / "bad.json"); },
      dir / "bad.json" + ": byte 6: found the end of the text, wanted a JSON value");
  expect_error<MissingError>([&] { read_json_file(dir / "no.json"); },
                             dir / "no.json: no such file");
}

}  // namespace
}  // namespace jogak
