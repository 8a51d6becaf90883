#include "base/json.h"

#include <bit>
#include <cmath>
#include <limits>

#include "base/random.h"
#include "base/utf8.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

Json parse(std::string_view text) { return parse_json(text, "t"); }

TEST(JsonValues, EveryKindIsRead) {
  EXPECT_TRUE(parse("null").is_null());
  EXPECT_TRUE(parse("true").boolean());
  EXPECT_FALSE(parse(" \t\r\nfalse \n").boolean());
  EXPECT_EQ(parse("-17").integer(), -17);
  EXPECT_EQ(parse("0.5").number(), 0.5);
  EXPECT_EQ(parse("\"a\"").text(), "a");
  EXPECT_EQ(parse("[1, 2 ,3]").items().size(), 3u);
  EXPECT_TRUE(parse("[]").items().empty());
  EXPECT_TRUE(parse("{ }").members().empty());
  const Json object = parse(R"({"b": 1, "a": {"c": [true]}})");
  EXPECT_EQ(object.members()[0].first, "b");  // the order of the text stays
  EXPECT_TRUE(object.find("a")->find("c")->items()[0].boolean());
  EXPECT_EQ(object.find("z"), nullptr);
  EXPECT_EQ(parse("3").find("z"), nullptr);
}

TEST(JsonValues, NumbersAtTheEdges) {
  EXPECT_EQ(parse("9223372036854775807").integer(), INT64_MAX);
  EXPECT_EQ(parse("-9223372036854775808").integer(), INT64_MIN);
  EXPECT_FALSE(parse("9223372036854775808").is_integer());  // too large: a number, not an integer
  EXPECT_EQ(parse("18446744073709551616").number(), 0x1p64);
  EXPECT_FALSE(parse("1e3").is_integer());
  EXPECT_EQ(parse("1E+2").number(), 100.0);
  EXPECT_EQ(parse("1.7976931348623157e308").number(), std::numeric_limits<double>::max());
  EXPECT_EQ(parse("5e-324").number(), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(parse("2.2250738585072011e-308").number(), 2.2250738585072011e-308);
  EXPECT_TRUE(std::signbit(parse("-0.0").number()));
}

TEST(JsonValues, TooSmallIsZeroTooLargeIsRefused) {
  const std::string zeros(400, '0');
  EXPECT_EQ(parse("1e-400").number(), 0.0);
  EXPECT_EQ(parse("0." + zeros + "1").number(), 0.0);
  EXPECT_EQ(parse("-0." + zeros + "1e+10").number(), 0.0);
  EXPECT_EQ(parse("1" + zeros + "e-400").number(), 1.0);
  EXPECT_EQ(parse("0e99999999999999999999").number(), 0.0);
  EXPECT_EQ(parse("1e-99999999999999999999").number(), 0.0);
  for (const std::string& text :
       {std::string("1e400"), "-1" + zeros, "1" + zeros + "e-1", "1" + zeros + ".5",
        std::string("0.001e999"), std::string("1e99999999999999999999")})
    expect_error<FormatError>(
        [&] { parse("[" + text + "]"); },
        "t: byte 1: found " + text.substr(0, 40) + ", wanted a number within the range of double");
}

TEST(JsonValues, StringsAndEscapes) {
  EXPECT_EQ(parse(R"("\"\\\/\b\f\n\r\t")").text(), "\"\\/\b\f\n\r\t");
  EXPECT_EQ(parse(R"("\u0041\u00e9\ud55c\uD83D\uDE00")").text(), "Aé한😀");
  EXPECT_EQ(parse(R"("\u0000")").text(), std::string(1, '\0'));
  EXPECT_EQ(parse("\"한국어 😀\x7f\"").text(), "한국어 😀\x7f");
  EXPECT_EQ(parse(R"("\ud800\udc00\udbff\udfff")").text(), "\U00010000\U0010FFFF");
}

TEST(JsonValues, OffsetsAreBytes) {
  const Json object = parse(R"( {"가": [10, {"x": "y"}]})");
  EXPECT_EQ(object.offset(), 1u);
  const Json& list = *object.find("가");
  EXPECT_EQ(list.offset(), 9u);
  EXPECT_EQ(list.items()[0].offset(), 10u);
  EXPECT_EQ(list.items()[1].find("x")->offset(), 20u);
}

struct Wrong {
  std::string text;
  size_t byte;
  std::string found, wanted;
};

TEST(JsonErrors, EachNamesItsByte) {
  const std::vector<Wrong> cases = {
      {"", 0, "the end of the text", "a JSON value"},
      {"  ", 2, "the end of the text", "a JSON value"},
      {"[1, 2", 5, "the end of the text", "',' or ']'"},
      {"[1 2]", 3, "'2'", "',' or ']'"},
      {"[1,]", 3, "']'", "a JSON value"},
      {"[,1]", 1, "','", "a JSON value"},
      {"{\"a\":1,}", 7, "'}'", "a key in quotes"},
      {"{a:1}", 1, "'a'", "a key in quotes"},
      {"{\"a\" 1}", 5, "'1'", "':'"},
      {"{\"a\":1 \"b\":2}", 7, "'\"'", "',' or '}'"},
      {"{\"a\":}", 5, "'}'", "a JSON value"},
      {"{", 1, "the end of the text", "a key in quotes"},
      {"[1] x", 4, "'x'", "the end of the document"},
      {"{}{}", 2, "'{'", "the end of the document"},
      {std::string("{}\0", 3), 2, "byte value 0", "the end of the document"},
      {"// c\n1", 0, "'/'", "a JSON value"},
      {"\xEF\xBB\xBF{}", 0, "'\xEF\xBB\xBF'", "a JSON value"},
      {"[한]", 1, "'한'", "a JSON value"},
      {"tru", 0, "'t'", "a JSON value"},
      {"[nul]", 1, "'n'", "a JSON value"},
      {"falsey", 5, "'y'", "the end of the document"},
      {"NaN", 0, "'N'", "a JSON value"},
      {"[Infinity]", 1, "'I'", "a JSON value"},
      {"[-Infinity]", 1, "'-'", "a JSON value"},
      {"01", 0, "'0'", "a JSON value"},
      {"-", 0, "'-'", "a JSON value"},
      {"-01", 0, "'-'", "a JSON value"},
      {"+1", 0, "'+'", "a JSON value"},
      {".5", 0, "'.'", "a JSON value"},
      {"1.", 2, "the end of the text", "digits after the point"},
      {"[1.e5]", 3, "'e'", "digits after the point"},
      {"1e", 2, "the end of the text", "digits of the exponent"},
      {"[1e+]", 4, "']'", "digits of the exponent"},
      {"0x10", 1, "'x'", "the end of the document"},
      {"\"abc", 4, "the end of the text", "a closing quote"},
      {"\"a\nb\"", 2, "byte value 10", "an escape for this control character"},
      {std::string("\"a\0b\"", 5), 2, "byte value 0", "an escape for this control character"},
      {"\"a\\", 3, "the end of the text", "an escape such as \\n or \\u00e9"},
      {"\"\\x41\"", 2, "'x'", "an escape such as \\n or \\u00e9"},
      {"\"\\u12\"", 3, "'1'", "four hexadecimal digits"},
      {"\"\\u12g4\"", 3, "'1'", "four hexadecimal digits"},
      {"\"\\u+123\"", 3, "'+'", "four hexadecimal digits"},
      {"\"\\u-123\"", 3, "'-'", "four hexadecimal digits"},
      {"\"\\u", 3, "the end of the text", "four hexadecimal digits"},
      {"\"\\ud800\"", 2, "half of a surrogate pair", "both halves"},
      {"\"\\udc00\"", 2, "half of a surrogate pair", "both halves"},
      {"\"\\ud800\\ud800\"", 2, "half of a surrogate pair", "both halves"},
      {"\"\\ud800\\u0041\"", 2, "half of a surrogate pair", "both halves"},
      {"\"\\ud800\\n\"", 2, "half of a surrogate pair", "both halves"},
      {"\"\\ud83d\\uzzzz\"", 9, "'z'", "four hexadecimal digits"},
      {"[\"a\xff\"]", 3, "a byte that is not UTF-8", "UTF-8 text"},
      {"\"\xed\xa0\x80\"", 1, "a byte that is not UTF-8", "UTF-8 text"},
      {"\"\xc0\xaf\"", 1, "a byte that is not UTF-8", "UTF-8 text"},
      {"\"\xf4\x90\x80\x80\"", 1, "a byte that is not UTF-8", "UTF-8 text"},
  };
  for (const Wrong& c : cases)
    expect_error<FormatError>([&] { parse(c.text); }, text_of("t: byte ", c.byte, ": found ",
                                                              c.found, ", wanted ", c.wanted));
}

TEST(JsonErrors, DuplicateKeys) {
  const std::string twice = "found key \"a\" a second time, wanted each key once";
  expect_error<FormatError>([] { parse(R"({"a":1,"a":1})"); }, "t: byte 7: " + twice);
  expect_error<FormatError>([] { parse(R"({"\u0061":1,"b":2,"a":3})"); }, "t: byte 18: " + twice);
  expect_error<FormatError>([] { parse(R"([{"x":{"a":1,"b":{"a":2},"a":3}}])"); },
                            "t: byte 25: " + twice);
  EXPECT_NO_THROW(parse(R"([{"a":1},{"a":{"a":2}},{"A":1,"a":2}])"));
}

std::string nested(size_t depth, std::string_view open, std::string_view close,
                   std::string_view inside = "") {
  std::string text;
  for (size_t i = 0; i < depth; ++i) text += open;
  text += inside;
  for (size_t i = 0; i < depth; ++i) text += close;
  return text;
}

TEST(JsonErrors, DepthOver64) {
  EXPECT_NO_THROW(parse(nested(64, "[", "]")));
  EXPECT_NO_THROW(parse(nested(64, "[", "]", "1")));
  EXPECT_NO_THROW(parse(nested(64, "{\"a\":", "}", "null")));
  const std::string message = "found nesting deeper than 64, wanted at most 64 levels";
  for (const size_t depth : {65, 66, 1000, 1000000}) {
    expect_error<FormatError>([&] { parse(nested(depth, "[", "]")); }, "t: byte 64: " + message);
    expect_error<FormatError>([&] { parse(nested(depth, "{\"a\":", "}", "1")); },
                              "t: byte 320: " + message);
    expect_error<FormatError>([&] { parse(nested(depth, "[", "")); }, "t: byte 64: " + message);
  }
}

TEST(JsonOut, DumpIsPlainAndStable) {
  Json object;
  object.set("n", 3).set("x", 0.1).set("whole", 2.0).set("s", "a\"\\\n\x01한").set("none", Json());
  object.set("list", Json::list(std::vector<int>{1, 2})).set("yes", true).set("n", 4);
  EXPECT_EQ(object.dump(),
            R"({"n":4,"x":0.1,"whole":2.0,"s":"a\"\\\n\u0001한","none":null,"list":[1,2],)"
            R"("yes":true})");
  EXPECT_EQ(Json::object({{"a", Json::array({1, Json::object()})}}).dump(2),
            "{\n  \"a\": [\n    1,\n    {}\n  ]\n}");
  EXPECT_EQ(Json(std::nan("")).dump(), "null");
  EXPECT_EQ(Json(HUGE_VAL).dump(), "null");
  EXPECT_EQ(Json(1e300).dump(), "1e+300");
}

TEST(JsonOut, InvalidBytesStillGiveJson) {
  EXPECT_EQ(parse(json_quote("a\xff\xed\x95z")).text(), "a\uFFFD\uFFFDz");
}

std::string random_text(Rng& rng) {
  std::string text;
  for (uint64_t n = rng.below(8); n > 0; --n) {
    constexpr uint64_t kBelow[] = {0x20, 0x80, 0x800, 0x10000, 0x110000};
    utf8::append(text, static_cast<char32_t>(rng.below(kBelow[rng.below(5)])));
  }
  return text;
}

Json random_value(Rng& rng, int depth) {
  switch (rng.below(depth >= 6 ? 5 : 7)) {
    case 0: return Json();
    case 1: return Json(rng.below(2) == 1);
    case 2: return Json(static_cast<int64_t>(rng.next_u64() >> rng.below(64)));
    case 3: {  // any finite bit pattern
      const auto value = std::bit_cast<double>(rng.next_u64());
      return Json(std::isfinite(value) ? value : 0.25);
    }
    case 4: return Json(random_text(rng));
    case 5: {
      Json list = Json::array();
      for (uint64_t n = rng.below(5); n > 0; --n) list.push(random_value(rng, depth + 1));
      return list;
    }
    default: {
      Json object = Json::object();
      for (uint64_t n = rng.below(5); n > 0; --n)
        object.set(random_text(rng), random_value(rng, depth + 1));
      return object;
    }
  }
}

TEST(JsonOut, ParseOfDumpIsTheSameValue) {
  Rng rng(7);
  for (int i = 0; i < 5000; ++i) {
    const Json value = random_value(rng, 0);
    const std::string line = value.dump();
    ASSERT_EQ(parse(line), value) << line;
    ASSERT_EQ(parse(line).dump(), line);
    ASSERT_EQ(parse(value.dump(2)), value) << line;
  }
}

// Damage anywhere gives a value or a FormatError, nothing else.
TEST(JsonErrors, EveryCutAndEveryFlippedBit) {
  const std::string good = R"({"a":[1,-2.5e3,"x\u00e9\ud83d\ude00"],"b":{"c":null,"한":true}})";
  int refused = 0;
  const auto attempt = [&](const std::string& text) {
    try {
      parse(text);
    } catch (const FormatError&) {
      ++refused;
    }
  };
  for (size_t cut = 0; cut < good.size(); ++cut) attempt(good.substr(0, cut));
  EXPECT_EQ(refused, static_cast<int>(good.size()));  // no proper prefix is a document
  for (size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << (bit % 8)));
    attempt(bad);
  }
}

}  // namespace
}  // namespace jogak
