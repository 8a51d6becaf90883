// Texts held to JSON, written by chance: whatever the scores say, the text parses and keeps to its
// schema.
#include "generate/json_guide.h"

#include <algorithm>
#include <limits>

#include "base/random.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

// All bytes, and tokens that end one part of a text and begin another.
std::shared_ptr<const TokenBytes> some_tokens() {
  auto out = std::make_shared<TokenBytes>();
  for (int byte = 0; byte < 256; ++byte) out->emplace_back(std::string(1, char(byte)), byte);
  int id = 256;
  for (const char* text :
       {"{\"", "\":", "\": ", "\",",      "\", \"", "\"}", "}}", "]}",   "true", "null", "12",
        "0.5", "한",  "글",   "\xED\x95", "\\u",    "  ",  "\n", "name", "[[",   "],"})
    out->emplace_back(text, id++);
  std::sort(out->begin(), out->end());
  return out;
}

struct Written {
  std::string text;
  bool whole = false;
};

// `talks`: how unlikely what closes is.
Written write(const std::string& schema, uint64_t seed, size_t most, float talks = -2) {
  const auto tokens = some_tokens();
  const int end = 300;
  const auto guide =
      json_guide({tokens, std::make_shared<JsonRules>(parse_json(schema, "schema")), {end}});
  Rng rng(seed);
  Written out;
  for (size_t i = 0; i < most && !out.whole; ++i) {
    std::vector<float> scores;
    for (int k = 0; k <= end; ++k) scores.push_back(static_cast<float>(rng.normal()));
    for (const char closes : {'"', '}', ']'}) scores[static_cast<size_t>(closes)] -= talks;
    guide->narrow(scores, static_cast<int64_t>(most - i));
    const auto best = std::max_element(scores.begin(), scores.end());
    EXPECT_GT(*best, -std::numeric_limits<float>::infinity());
    const int id = static_cast<int>(best - scores.begin());
    if (id == end) {
      out.whole = true;
      break;
    }
    for (const auto& [bytes, token] : *tokens)
      if (token == id) out.text += bytes;
    guide->take(id);
    out.whole = guide->whole();
  }
  return out;
}

void expect_parses(const std::string& text) {
  try {
    parse_json(text, "text");
  } catch (const Error& error) {  // names drawn by chance may come twice
    EXPECT_NE(std::string(error.what()).find("a second time"), std::string::npos)
        << text << error.what();
  }
}

TEST(JsonGuide, AnyObjectParses) {
  int whole = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const Written made = write("{}", seed, 2000);
    if (!made.whole) continue;
    ++whole;
    EXPECT_LE(made.text.find('{'), 1u) << made.text;
    expect_parses(made.text);
  }
  EXPECT_GT(whole, 250);
}

TEST(JsonGuide, ASchemaIsKept) {
  const char* const kSchema =
      R"({"type":"object","required":["name","age","kind"],"additionalProperties":false,
          "properties":{"name":{"type":"string","title":"a name"},"age":{"type":"integer"},
            "kind":{"enum":["a","ab","한"]},"note":{"type":["string","null"]},
            "parts":{"type":"array","items":{"$ref":"#/$defs/part"},"minItems":1,"maxItems":3}},
          "$defs":{"part":{"type":"object","properties":{"x":{"type":"number"},
            "inner":{"anyOf":[{"$ref":"#/$defs/part"},{"type":"null"}]}},"required":["x"]}}})";
  int whole = 0, with_parts = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const Written made = write(kSchema, seed, 3000);
    if (!made.whole) continue;
    ++whole;
    const Json json = parse_json(made.text, "text");
    ASSERT_TRUE(json.find("name") && json.find("age") && json.find("kind")) << made.text;
    EXPECT_TRUE(json.find("name")->is_string() && json.find("age")->is_number()) << made.text;
    EXPECT_EQ(made.text.find("age\":0."), std::string::npos);
    const std::string kind = json.find("kind")->text();
    EXPECT_TRUE(kind == "a" || kind == "ab" || kind == "한") << kind;
    for (const auto& [name, value] : json.members())
      EXPECT_NE(std::string("name age kind note parts").find(name), std::string::npos);
    if (const Json* parts = json.find("parts")) {
      ++with_parts;
      EXPECT_GE(parts->items().size(), 1u);
      EXPECT_LE(parts->items().size(), 3u);
      for (const Json& part : parts->items()) EXPECT_TRUE(part.find("x")->is_number()) << made.text;
    }
  }
  EXPECT_GT(whole, 250);
  EXPECT_GT(with_parts, 20);
}

// A model that would go on for ever is brought to an end, at any length that holds the shortest
// text.
TEST(JsonGuide, TheLastTokensEndTheText) {
  const struct {
    const char* schema;
    size_t shortest;
  } kForms[] = {
      {"{}", 2},
      {R"({"type":"array","minItems":2,"items":{"type":"boolean"}})", 11},
      {R"({"type":"object","required":["a","bc"],"properties":{"a":{"type":"string"},"note":{},
           "bc":{"type":"array","minItems":1,"items":{"type":"integer"}}}})",
       17},  // {"a":"","bc":[0]}
      {R"({"$ref":"#/$defs/tree","$defs":{"tree":{"type":"object","required":["left"],"properties":
           {"left":{"anyOf":[{"$ref":"#/$defs/tree"},{"type":"null"}]},"x":{"enum":["p","pq"]}}}}})",
       13},
  };
  for (const auto& form : kForms)
    for (size_t most = form.shortest; most < form.shortest + 60; ++most)
      for (uint64_t seed = 0; seed < 3; ++seed) {
        const Written made = write(form.schema, seed, most, 4);
        EXPECT_TRUE(made.whole) << most << " tokens: " << made.text;
        expect_parses(made.text);
      }
  EXPECT_FALSE(write(kForms[3].schema, 1, 3, 4).whole);
}

TEST(JsonGuide, ANumberMayEndWhereItIsWhole) {
  int whole = 0;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const Written made = write(R"({"type":"number"})", seed, 100);
    whole += made.whole;
    if (!made.whole) continue;
    EXPECT_TRUE(parse_json(made.text, "text").is_number()) << made.text;
  }
  EXPECT_GT(whole, 40);
}

TEST(JsonGuideErrors, WhatASchemaCannotSayIsNamed) {
  const auto refused = [](const char* schema) {
    try {
      JsonRules rules(parse_json(schema, "schema"));
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string("taken");
  };
  EXPECT_EQ(refused(R"({"type":"string","pattern":"a+"})"),
            "response_format: pattern is not supported");
  EXPECT_EQ(refused(R"({"type":"object","properties":{"a":{"type":"hm"}}})"),
            "response_format: type: found \"hm\"");
  EXPECT_EQ(refused(R"({"$ref":"#/$defs/a"})"), "response_format: $ref: there is no \"#/$defs/a\"");
  EXPECT_EQ(refused(R"({"anyOf":[{"type":"string"},{"enum":["a"]}]})"),
            "response_format: anyOf: two of one kind of value");
  EXPECT_EQ(refused(R"({"type":"object","properties":{"a":{}},"required":["b"]})"),
            "response_format: required: \"b\" is not a property");
  EXPECT_EQ(refused(R"({"$ref":"#"})"), "response_format: $ref: \"#\" means itself");
}

}  // namespace
}  // namespace jogak
