// Tokenizers of every well-known kind against PyPI tokenizers, down to masks and both decodings;
// the goldens are written by tests/goldens/tokenizers/make_families.py.
#include <cstdio>

#include "base/utf8.h"
#include "tests/text/helpers.h"
#include "text/stream_decoder.h"

namespace jogak {
namespace {

constexpr std::string_view kSecond = "그리고 a second text.";

std::string encoding_line(const Encoding& e) {
  std::string out;
  for (size_t i = 0; i < e.ids.size(); ++i)
    out += text_of(i > 0 ? "," : "", e.ids[i], ":", e.offsets[i].from, ":", e.offsets[i].to, ":",
                   e.type_ids[i], ":", int{e.special_mask[i]}, ":", int{e.attention_mask[i]});
  out += "|";
  for (size_t i = 0; i < e.tokens.size(); ++i) out += (i > 0 ? "\x1f" : "") + e.tokens[i];
  return out;
}

// One token after the other gives the whole text in whole characters.
std::string streamed(const Tokenizer& tokenizer, const std::vector<int>& ids, bool skip_special) {
  StreamDecoder stream(tokenizer, skip_special);
  std::string out;
  for (size_t i = 0; i <= ids.size(); ++i) {
    const std::string part = i < ids.size() ? stream.push(ids[i]) : stream.finish();
    EXPECT_EQ(utf8::first_invalid(part), std::string::npos);
    out += part;
  }
  return out;
}

// As in tests/goldens/tokenizers/family_cases.py.
std::string line(const Tokenizer& tokenizer, std::string_view text) {
  const Encoding e = tokenizer.encode(text, {.limits = true});
  const Encoding bare = tokenizer.encode(text, {.add_special = false, .limits = true});
  const Encoding pair = tokenizer.encode_pair(text, kSecond, {.limits = true});
  EXPECT_EQ(tokenizer.encode_ids(text, {.limits = true}), e.ids);
  const std::string decoded = tokenizer.decode(e.ids), all = tokenizer.decode(e.ids, false);
  EXPECT_EQ(streamed(tokenizer, e.ids, true), decoded);
  EXPECT_EQ(streamed(tokenizer, e.ids, false), all);
  return encoding_line(e) + "\x1e" + encoding_line(bare) + "\x1e" + encoding_line(pair) + "\x1e" +
         decoded + "\x1e" + all + "\x1e" + tokenizer.decode(pair.ids);
}

void expect_family(const Tokenizer& tokenizer, const Fields& golden, const Json& texts) {
  const auto& hashes = golden.list("hashes");
  ASSERT_EQ(hashes.size(), texts.items().size());
  for (size_t i = 0; i < hashes.size(); ++i) {
    const std::string& text = texts.items()[i].text();
    const std::string got = line(tokenizer, text);
    EXPECT_EQ(fnv(got), hashes[i].text()) << json_quote(text) << " -> " << json_quote(got);
  }
}

TEST(Families, EqualTheReference) {
  const Json file = read_json_file(golden("families.json"));
  const Fields all(file, "families.json");
  for (const Json& one : all.list("families")) {
    const Fields fields(one, "families.json");
    SCOPED_TRACE(fields.text("name"));
    const Tokenizer tokenizer = Tokenizer::from_json(fields.at("tokenizer").dump(), "golden");
    expect_family(tokenizer, fields, all.at("texts"));
    const std::string json = tokenizer.to_json();
    const Tokenizer again = Tokenizer::from_json(json, "written");
    EXPECT_EQ(again.to_json(), json);
    expect_family(again, fields, all.at("texts"));
  }
}

TEST(Families, PiecesAreTheWhole) {
  const Json file = read_json_file(golden("families.json"));
  const Fields all(file, "families.json");
  std::string text;
  while (text.size() < 200'000)
    for (const Json& one : all.at("texts").items()) text += " " + one.text();
  for (const Json& one : all.list("families")) {
    const Fields fields(one, "families.json");
    SCOPED_TRACE(fields.text("name"));
    const Tokenizer tokenizer = Tokenizer::from_json(fields.at("tokenizer").dump(), "golden");
    for (const bool special : {true, false}) {
      const Encoding whole = tokenizer.encode(text, {.add_special = special});
      Encoding joined;
      size_t pieces = 0;
      tokenizer.encode_in_pieces(text, {.add_special = special}, [&](const Encoding& piece) {
        joined.append(piece);
        ++pieces;
      });
      EXPECT_GT(pieces, 1u);
      EXPECT_EQ(encoding_line(joined), encoding_line(whole));
    }
  }
}

// tests/goldens/tokenizers/compare.py writes the cases and sets both variables.
TEST(Families, CompareFile) {
  const char* path = std::getenv("JOGAK_TOKENIZER");
  const char* cases = std::getenv("JOGAK_TOKENIZER_CASES");
  if (!path || !cases) GTEST_SKIP() << "run by tests/goldens/tokenizers/compare.py";
  const Tokenizer tokenizer = Tokenizer::load(path);
  const std::string lines = read_file(cases);
  size_t count = 0, different = 0;
  for (size_t at = 0; at < lines.size(); ++count) {
    const size_t end = std::min(lines.find('\n', at), lines.size());
    const Json one = parse_json(std::string_view(lines).substr(at, end - at), cases);
    at = end + 1;
    const std::string got = line(tokenizer, one.items()[0].text());
    if (got == one.items()[1].text() || ++different > 10) continue;
    ADD_FAILURE() << one.items()[0].dump() << "\nours   " << json_quote(got) << "\nwanted "
                  << one.items()[1].dump();
  }
  EXPECT_EQ(different, 0u);
  std::printf("%zu strings, %zu differences\n", count, different);
}

}  // namespace
}  // namespace jogak
