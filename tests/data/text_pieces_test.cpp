#include "data/text_pieces.h"

#include <cstdlib>

#include "base/random.h"
#include "base/utf8.h"
#include "tests/io/bytes.h"
#include "tests/support/expect.h"
#include "tests/support/temp_dir.h"
#include "text/tokenizer.h"

namespace jogak {
namespace {

std::vector<std::string> cut(const std::string& text, size_t size, size_t portion) {
  std::vector<std::string> pieces;
  PieceCutter cutter(size, [&](std::string_view piece) { pieces.emplace_back(piece); });
  for (size_t at = 0; at < text.size(); at += portion)
    cutter.feed(std::string_view(text).substr(at, portion));
  cutter.finish();
  return pieces;
}

std::string joined(const std::vector<std::string>& pieces) {
  std::string out;
  for (const std::string& piece : pieces) out += piece;
  return out;
}

// Random lines of words, with blank lines, indents and other white space between.
std::string random_text(uint64_t seed, size_t size) {
  Rng rng(seed);
  const std::vector<std::string> parts = {"word", "말",   "\n", "\n",    "\n\n",
                                          " ",    "\r\n", "\t", "\u3000"};
  std::string text;
  while (text.size() < size) text += parts[rng.below(parts.size())];
  return text;
}

TEST(PieceCutter, NothingIsLostAndPortionsDoNotMatter) {
  for (uint64_t seed = 0; seed < 30; ++seed) {
    const std::string text = random_text(seed, 3000);
    const auto pieces = cut(text, 64, 1);
    EXPECT_EQ(joined(pieces), text);
    EXPECT_GT(pieces.size(), 5u);
    for (const size_t portion : {7, 64, 100, 4000}) EXPECT_EQ(cut(text, 64, portion), pieces);
  }
}

TEST(PieceCutter, CutsAfterALineFeedBetweenWords) {
  for (uint64_t seed = 0; seed < 30; ++seed) {
    const std::string text = random_text(seed, 5000);
    const auto pieces = cut(text, 100, 777);
    for (size_t i = 0; i + 1 < pieces.size(); ++i) {
      const std::string& piece = pieces[i];
      ASSERT_TRUE(piece.ends_with("word\n") || piece.ends_with("말\n")) << seed;
      ASSERT_TRUE(pieces[i + 1].starts_with("word") || pieces[i + 1].starts_with("말")) << seed;
      ASSERT_LE(piece.size(), 1600u);
    }
  }
}

TEST(PieceCutter, ATokenizerSeesTheSameAsInOnePiece) {
  const char* const data = std::getenv("JOGAK_DATA");
  if (!data) GTEST_SKIP() << "JOGAK_DATA is not set";
  const std::string root = data;
  const Tokenizer gpt2 = Tokenizer::load_gpt2(root + "/tokenizers/gpt2_encoder.json",
                                              root + "/tokenizers/gpt2_vocab.bpe");
  const std::string play = read_file(root + "/text-tinyshakespeare/input.txt").substr(0, 200'000);
  for (const std::string& text : {play, random_text(1, 20'000), random_text(2, 20'000)}) {
    std::vector<int> ids;
    const auto pieces = cut(text, 300, 1000);
    EXPECT_GT(pieces.size(), 20u);
    for (const std::string& piece : pieces)
      for (const int id : gpt2.encode_ids(piece)) ids.push_back(id);
    EXPECT_TRUE(ids == gpt2.encode_ids(text));
  }
}

TEST(PieceCutter, WithoutSuchPlaces) {
  const auto letters = cut(std::string(10'000, 'a'), 100, 333);
  EXPECT_EQ(joined(letters).size(), 10'000u);
  for (const std::string& piece : letters) EXPECT_LE(piece.size(), 1700u);
  std::string hangul, blank_lines;
  for (int i = 0; i < 3000; ++i) hangul += "글";
  for (const std::string& piece : cut("x" + hangul, 100, 64))
    EXPECT_EQ(utf8::first_invalid(piece), std::string::npos);
  for (int i = 0; i < 3000; ++i) blank_lines += "ab\n\n";
  const auto pieces = cut(blank_lines, 100, 50);
  EXPECT_GT(pieces.size(), 5u);
  for (const std::string& piece : pieces) EXPECT_TRUE(piece.ends_with('\n'));
}

TEST(PieceCutter, AShortTextIsOnePiece) {
  EXPECT_EQ(cut("one\ntwo\n", 100, 3), std::vector<std::string>{"one\ntwo\n"});
  EXPECT_TRUE(cut("", 100, 1).empty());
}

std::string characters(const std::string& path, int64_t first, int64_t last) {
  std::string out;
  read_characters(TextFile(path), first, last, [&](std::string_view text) {
    EXPECT_EQ(utf8::first_invalid(text), std::string::npos);
    out += text;
  });
  return out;
}

TEST(TextFile, CountsAndCutsByCharacters) {
  const TempDir dir;
  test::write_plain(dir / "f", "a한b글😀c");
  EXPECT_EQ(count_characters(TextFile(dir / "f")), 6);
  EXPECT_EQ(characters(dir / "f", 0, 6), "a한b글😀c");
  EXPECT_EQ(characters(dir / "f", 1, 5), "한b글😀");
  EXPECT_EQ(characters(dir / "f", 2, 2), "");
  EXPECT_EQ(characters(dir / "f", 5, 99), "c");
  test::write_plain(dir / "f", "");
  EXPECT_EQ(count_characters(TextFile(dir / "f")), 0);
}

TEST(TextFile, CharactersAcrossTheBordersOfPortions) {  // files are read a MiB at a time
  const TempDir dir;
  std::string text = "xx";
  while (text.size() < 3'000'000) text += "한글";
  test::write_plain(dir / "f", text);
  const auto count = static_cast<int64_t>(utf8::count(text));
  EXPECT_EQ(count_characters(TextFile(dir / "f")), count);
  EXPECT_EQ(characters(dir / "f", 0, 500'000) + characters(dir / "f", 500'000, count), text);
}

TEST(TextFile, AByteOrderMarkIsLeftOut) {
  const TempDir dir;
  test::write_plain(dir / "f", "\xEF\xBB\xBFtext");
  EXPECT_EQ(count_characters(TextFile(dir / "f")), 4);
  EXPECT_EQ(characters(dir / "f", 0, 4), "text");
  test::write_plain(dir / "f", "\xEF\xBB\xBF");
  EXPECT_EQ(count_characters(TextFile(dir / "f")), 0);
}

TEST(TextFile, WhatIsNotUtf8) {
  const TempDir dir;
  const std::string reason = ": found a byte that is not UTF-8, wanted UTF-8 text";
  const auto expect_bad = [&](const std::string& bytes, size_t at) {
    test::write_plain(dir / "f", bytes);
    expect_error<FormatError>([&] { count_characters(TextFile(dir / "f")); },
                              text_of(dir / "f: byte ", at, reason));
  };
  expect_bad("abc\xFFxyz", 3);
  expect_bad("\xFF\xFEh\0i", 0);
  expect_bad("\xEF\xBB\xBFok\xC0", 5);
  expect_bad("cut short \xED\x95", 10);
  expect_bad("\xED", 0);
  expect_bad(std::string(2'500'000, 'x') + "\x80", 2'500'000);
}

// Held or read anew: the same characters in the same portions.
TEST(TextFile, HeldIsAsReadAnew) {
  const TempDir dir;
  std::string text = "\xEF\xBB\xBF";
  while (text.size() < (size_t{5} << 19)) text += "한글과 letters\n";
  test::write_plain(dir / "f", text);
  const TextFile anew(dir / "f"), held(dir / "f", text);
  EXPECT_EQ(anew.text(), nullptr);
  ASSERT_NE(held.text(), nullptr);
  const int64_t count = count_characters(anew);
  EXPECT_EQ(count_characters(held), count);
  std::vector<std::string> portions[2];
  for (const int which : {0, 1})
    read_characters(which == 0 ? anew : held, count / 3, count - 5,
                    [&](std::string_view part) { portions[which].emplace_back(part); });
  EXPECT_GT(portions[0].size(), 1u);
  EXPECT_EQ(portions[0], portions[1]);
}

// A file that is held, one that is read once and one whose characters are counted first.
TEST(TextFile, SplitsAtAShareOfItsCharacters) {
  const TempDir dir;
  std::string text = "ä";
  while (text.size() < 4'000'000) text += "한글 and 😀 letters\n";
  test::write_plain(dir / "f", text);
  const auto count = static_cast<int64_t>(utf8::count(text));
  for (const double share : {0.001, 0.3, 0.9, 0.99999}) {
    const int64_t border = border_of(share, count);
    const std::string before = characters(dir / "f", 0, border);
    const auto expect_split = [&](const TextFile& file, uintmax_t most_waiting) {
      std::string a, b;
      read_split(
          file, share,
          {[&](std::string_view part) { a += part; }, [&](std::string_view part) { b += part; }},
          most_waiting);
      EXPECT_TRUE(a == before && a + b == text) << share << ", " << most_waiting;
    };
    expect_split(TextFile(dir / "f"), uintmax_t{1} << 30);
    expect_split(TextFile(dir / "f"), 0);
    expect_split(TextFile(dir / "f", text), uintmax_t{1} << 30);
  }
  test::write_plain(dir / "f", "");
  read_split(TextFile(dir / "f"), 0.5,
             {[](std::string_view) { FAIL(); }, [](std::string_view) { FAIL(); }});
}

}  // namespace
}  // namespace jogak
