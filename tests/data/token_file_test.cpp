#include "data/token_file.h"

#include <cstdlib>
#include <filesystem>

#include "tests/data/files.h"
#include "tests/support/bytes_read.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

using test::encode_bytes;
using test::text_in;

struct Counted {  // a source that counts how often it is asked to encode
  int calls = 0;
  TokenSource source;
  Counted(const std::string& text, const std::string& cache) {
    source = {.text = text,
              .encode =
                  [this](std::string_view piece) {
                    ++calls;
                    return encode_bytes(piece);
                  },
              .vocab_size = 256,
              .tokenizer = "bytes",
              .cache_directory = cache};
  }
  Counted(const Counted&) = delete;
};

TEST(TokenFile, EncodesOnceAndMapsAfterwards) {
  const TempDir dir;
  test::write_plain(dir / "text", "hello\nworld\n");
  Counted counted(dir / "text", dir / "cache/deep");
  const TokenFile first(counted.source);
  EXPECT_FALSE(first.from_cache());
  EXPECT_EQ(counted.calls, 1);
  const TokenFile second(counted.source);
  EXPECT_TRUE(second.from_cache());
  EXPECT_EQ(counted.calls, 1);
  for (const TokenFile* tokens : {&first, &second}) {
    EXPECT_EQ(tokens->count(), 12);
    EXPECT_EQ(tokens->name(), dir / "text");
    EXPECT_EQ(text_in(*tokens), "hello\nworld\n");
  }
  std::vector<int64_t> part(3);
  second.read(9, part);
  EXPECT_EQ(part, (std::vector<int64_t>{'l', 'd', '\n'}));
  EXPECT_EQ(list_directory(dir / "cache/deep").size(), 1u);
}

TEST(TokenFile, IsMadeAgainWhenAnythingChanged) {
  const TempDir dir;
  const auto fresh = [&](const std::string& text, const std::function<void(TokenSource&)>& change) {
    test::write_plain(dir / "text", text);
    Counted counted(dir / "text", dir / "cache");
    change(counted.source);
    const TokenFile tokens(counted.source);
    EXPECT_EQ(tokens.from_cache(), counted.calls == 0);
    return !tokens.from_cache();
  };
  const auto same = [](TokenSource&) {};
  EXPECT_TRUE(fresh("text one", same));
  EXPECT_FALSE(fresh("text one", same));
  EXPECT_TRUE(fresh("text two", same));  // same size
  EXPECT_TRUE(fresh("text two longer", same));
  EXPECT_TRUE(fresh("text two longer", [](TokenSource& s) { s.tokenizer = "other"; }));
  EXPECT_TRUE(fresh("text two longer", [](TokenSource& s) { s.vocab_size = 300; }));
  EXPECT_TRUE(fresh("text two longer", [](TokenSource& s) { s.to = 0.5; }));
  EXPECT_TRUE(fresh("text two longer", [](TokenSource& s) { s.from = 0.5; }));
  EXPECT_FALSE(fresh("text two longer", same));  // the first one is still there
}

TEST(TokenFile, ADamagedCacheIsMadeAgain) {
  const TempDir dir;
  test::write_plain(dir / "text", "some words");
  Counted counted(dir / "text", dir / "cache");
  const std::string path = TokenFile(counted.source).cache_path();
  const std::string good = read_file(path);
  const auto expect_remade = [&](const std::string& bytes, const char* label) {
    test::write_plain(path, bytes);
    const TokenFile tokens(counted.source);
    EXPECT_FALSE(tokens.from_cache()) << label;
    EXPECT_EQ(text_in(tokens), "some words") << label;
    EXPECT_EQ(read_file(path), good) << label;
  };
  for (const size_t size : {0, 1, 95, 96, 97, 103, 104, 105, 122, 123})
    expect_remade(good.substr(0, size), "cut");
  ASSERT_EQ(good.size(), 124u);
  expect_remade(good + "x", "longer");
  expect_remade(good + "xx", "one id longer");
  for (const size_t at :
       {0, 7, 8, 12, 16, 24, 32, 63, 84, 115, 116, 123}) {  // a byte of each field
    std::string bytes = good;
    bytes[at] ^= static_cast<char>(0x80);
    expect_remade(bytes, "a flipped bit");
  }
}

TEST(TokenFile, AnIdOutOfRangeInTheCacheIsNoticedWhenRead) {
  const TempDir dir;
  test::write_plain(dir / "text", "some words");
  Counted counted(dir / "text", dir / "cache");
  const std::string path = TokenFile(counted.source).cache_path();
  std::string bytes = read_file(path);
  bytes[64 + 2 * 4] = 0, bytes[64 + 2 * 4 + 1] = 1;  // the first that is out of range
  test::write_plain(path, bytes);
  const TokenFile tokens(counted.source);
  EXPECT_TRUE(tokens.from_cache());
  expect_error<FormatError>([&] { text_in(tokens); },
                            path + ": byte 72: found token 256, wanted one below 256");
}

TEST(TokenFile, AFileThatChangesInUse) {
  const TempDir dir;
  test::write_plain(dir / "text", std::string(100, 'x'));
  Counted counted(dir / "text", dir / "cache");
  const TokenFile tokens(counted.source);
  std::filesystem::resize_file(tokens.cache_path(), 120);
  error_of<IoError>([&] { text_in(tokens); });
}

TEST(TokenFile, WideIds) {
  const TempDir dir;
  test::write_plain(dir / "text", "abc");
  for (const int64_t vocab : {65536, 65537, 2'000'000}) {
    for (const std::string& cache : {std::string(), dir / "cache"}) {
      const TokenFile tokens({.text = dir / "text",
                              .encode =
                                  [&](std::string_view) {
                                    return std::vector<int>{0, 65535, static_cast<int>(vocab - 1)};
                                  },
                              .vocab_size = vocab,
                              .cache_directory = cache});
      std::vector<int64_t> ids(3);
      tokens.read(0, ids);
      EXPECT_EQ(ids, (std::vector<int64_t>{0, 65535, vocab - 1}));
      const size_t width = vocab <= 65536 ? 2 : 4;
      if (cache.empty()) continue;
      EXPECT_EQ(std::filesystem::file_size(tokens.cache_path()), 64 + 40 + 3 * width);
    }
  }
}

TEST(TokenFile, PartsShareNothingAndLeaveNothingOut) {
  const TempDir dir;
  const std::string text = "가나다라마바사";  // seven characters
  test::write_plain(dir / "text", text);
  const auto part = [&](double from, double to) {
    return text_in(TokenFile(
        {.text = dir / "text", .encode = encode_bytes, .vocab_size = 256, .from = from, .to = to}));
  };
  EXPECT_EQ(part(0, 0.5), "가나다");
  EXPECT_EQ(part(0.5, 1), "라마바사");
  for (const double border : {0.1, 0.3, 0.9, 0.99})
    EXPECT_EQ(part(0, border) + part(border, 1), text) << border;
}

// Both parts at once are what each is alone, kept, in memory and counted; what is kept is found.
TEST(TokenFile, BothPartsWithOneReading) {
  const TempDir dir;
  std::string text = "\xEF\xBB\xBF";
  for (int i = 0; text.size() < 3'500'000; ++i) text += text_of("줄 ", i, " of some words\n");
  test::write_plain(dir / "text", text);
  const auto ids = [](const TokenFile& tokens) {
    std::vector<int64_t> out(static_cast<size_t>(tokens.count()));
    tokens.read(0, out);
    return out;
  };
  for (const double share : {0.1, 0.5, 0.9, 0.999}) {
    const TempDir cache;
    TokenSource whole{.text = dir / "text", .encode = encode_bytes, .vocab_size = 256};
    TokenSource first = whole, second = whole;
    first.to = second.from = share;
    const std::vector<int64_t> before = ids(TokenFile(first)), behind = ids(TokenFile(second));
    EXPECT_EQ(before.size() + behind.size(), text.size() - 3);
    for (const std::string& place : {std::string(), cache.path(), cache.path()}) {
      whole.cache_directory = place;
      const int64_t read = test::bytes_read();
      const auto [a, b] = TokenFile::parts(whole, share);
      if (!a.from_cache() && read >= 0) {
        EXPECT_LT(test::bytes_read() - read, static_cast<int64_t>(text.size()) + 10'000) << share;
      }
      EXPECT_EQ(ids(a), before) << share;
      EXPECT_EQ(ids(b), behind) << share;
      EXPECT_EQ(a.from_cache(), b.from_cache());
    }
    EXPECT_TRUE(TokenFile::parts(whole, share).second.from_cache());
    first.cache_directory = cache.path();
    EXPECT_TRUE(TokenFile(first).from_cache());
    whole.cache_directory = kDroppedTokens;
    EXPECT_EQ(TokenFile::parts(whole, share).second.count(), static_cast<int64_t>(behind.size()));
  }
}

TEST(TokenFile, LargeTextsAreEncodedInPieces) {
  const TempDir dir;
  std::string text;
  for (int i = 0; text.size() < 3'500'000; ++i) text += "line " + std::to_string(i) + "\n";
  test::write_plain(dir / "text", text);
  Counted counted(dir / "text", dir / "cache");
  const TokenFile tokens(counted.source);
  EXPECT_EQ(counted.calls, 4);
  EXPECT_TRUE(text_in(tokens) == text);
}

TEST(TokenFile, WhatCannotBeEncoded) {
  const TempDir dir;
  test::write_plain(dir / "text", "abc");
  const auto open = [&](const std::function<void(TokenSource&)>& change) {
    TokenSource source{.text = dir / "text",
                       .encode = encode_bytes,
                       .vocab_size = 256,
                       .cache_directory = dir / "cache"};
    change(source);
    TokenFile{source};
  };
  expect_error<Error>([&] { open([](TokenSource& s) { s.vocab_size = 99; }); },
                      dir / "text: the tokenizer gave id 99, wanted one from 0 to 98");
  EXPECT_TRUE(list_directory(dir / "cache").empty());  // nothing half made stays
  error_of<Error>([&] {
    open([](TokenSource& s) { s.encode = [](std::string_view) { return std::vector<int>{-1}; }; });
  });
  error_of<Error>([&] { open([](TokenSource& s) { s.vocab_size = 0; }); });
  error_of<Error>([&] { open([](TokenSource& s) { s.encode = nullptr; }); });
  error_of<MissingError>([&] { open([&](TokenSource& s) { s.text = dir / "none"; }); });
  for (const auto& [from, to] : {std::pair(-0.1, 1.0), {0.5, 0.5}, {0.0, 1.1}, {0.0, 0.0 / 0.0}})
    error_of<UsageError>([&, f = from, t = to] {
      open([&](TokenSource& s) {
        s.from = f;
        s.to = t;
      });
    });
  test::write_plain(dir / "text", "ab\xFF");
  expect_error<FormatError>(
      [&] { open([](TokenSource&) {}); },
      dir / "text: byte 2: found a byte that is not UTF-8, wanted UTF-8 text");
  std::vector<int64_t> ids(3);
  const TokenFile tokens = test::tokens_of(dir, "abc");
  expect_error<Error>([&] { tokens.read(1, ids); },
                      dir / "text: tokens 1 to 4 asked for, there are 3");
  error_of<Error>([&] { tokens.read(-1, ids); });
}

TEST(TokenFile, PackedTextIsReadDirectly) {
  if (!std::getenv("JOGAK_DATA")) GTEST_SKIP() << "JOGAK_DATA is not set";
  const TempDir dir;
  for (const char* name :
       {"text-korean/boddari_unesco_report.txt.zst", "parallel-multi30k/val.en.gz"}) {
    Counted counted(name, dir.path());
    const TokenFile tokens(counted.source);
    EXPECT_TRUE(text_in(tokens) == read_text_file(find_data(name))) << name;
    EXPECT_GT(tokens.count(), 50'000) << name;
  }
}

TEST(TokenFile, TinyShakespeareSplitsAsEverywhere) {
  if (!std::getenv("JOGAK_DATA")) GTEST_SKIP() << "JOGAK_DATA is not set";
  const TempDir dir;
  const auto part = [&](double from, double to) {
    return TokenFile({.text = "text-tinyshakespeare/input.txt",
                      .encode = encode_bytes,
                      .vocab_size = 256,
                      .cache_directory = dir.path(),
                      .from = from,
                      .to = to});
  };
  const TokenFile train = part(0, 0.9), valid = part(0.9, 1);
  EXPECT_EQ(train.count(), 1'003'854);
  EXPECT_EQ(valid.count(), 111'540);
  EXPECT_EQ(list_directory(dir.path()).size(), 2u);
}

}  // namespace
}  // namespace jogak
