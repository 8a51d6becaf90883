#include "text/tokenizer.h"

#include <thread>

#include "tests/text/helpers.h"
#include "text/stages/gpt2_split.h"
#include "text/train/bpe.h"
#include "text/train/char.h"

namespace jogak {
namespace {

Tokenizer small() { return Tokenizer::load(golden("small_bpe.json")); }

TEST(Gpt2Pattern, CutsAsTheExpressionDoes) {
  const auto cut = [](std::string_view text) {
    std::vector<std::string> pieces;
    for (size_t at = 0; at < text.size();) {
      const size_t end = text::gpt2_piece_end(text, at);
      pieces.emplace_back(text.substr(at, end - at));
      at = end;
    }
    return pieces;
  };
  using Pieces = std::vector<std::string>;
  EXPECT_EQ(cut("it's  we'LL"), (Pieces{"it", "'s", " ", " we", "'", "LL"}));
  EXPECT_EQ(cut("a   b"), (Pieces{"a", "  ", " b"}));
  EXPECT_EQ(cut("a \n\nb  "), (Pieces{"a", " \n", "\n", "b", "  "}));
  EXPECT_EQ(cut("x\u3000\u3000한글12!?"), (Pieces{"x", "\u3000", "\u3000", "한글", "12", "!?"}));
  EXPECT_EQ(cut("' 's '"), (Pieces{"'", " '", "s", " '"}));
  EXPECT_EQ(cut(" "), (Pieces{" "}));
  EXPECT_EQ(cut("'r've"), (Pieces{"'", "r", "'ve"}));
}

TEST(Tokenizer, HalfCharactersHaveTheOffsetsOfTheWhole) {
  const Tokenizer bytes = train_bpe({}, {.vocab_size = 256});
  const Encoding encoding = bytes.encode("a한b");
  EXPECT_EQ(encoding.offsets, (std::vector<Span>{{0, 1}, {1, 2}, {1, 2}, {1, 2}, {2, 3}}));
}

TEST(Tokenizer, SpecialTokensAreTextWhenAskedFor) {
  const Tokenizer tokenizer = small();
  const int end = tokenizer.token_to_id("<|endoftext|>").value();
  EXPECT_EQ(tokenizer.encode_ids("<|endoftext|>"), std::vector<int>{end});
  const std::vector<int> text = tokenizer.encode_ids("<|endoftext|>", {.special_as_text = true});
  EXPECT_GT(text.size(), 1u);
  EXPECT_EQ(std::count(text.begin(), text.end(), end), 0);
  EXPECT_EQ(tokenizer.decode(text), "<|endoftext|>");
  EXPECT_EQ(tokenizer.decode(std::vector{end}), "");
  EXPECT_EQ(tokenizer.decode(std::vector{end}, false), "<|endoftext|>");
}

TEST(Tokenizer, TextMustBeUtf8) {
  const Tokenizer tokenizer = small();
  const std::string wanted = "text: byte 3: found bytes that are not UTF-8, wanted UTF-8 text";
  EXPECT_EQ(error_of<FormatError>([&] { tokenizer.encode("abc\xED\xA0\x80"); }), wanted);
  EXPECT_EQ(error_of<FormatError>([&] { tokenizer.encode_ids("abc\x80"); }), wanted);
}

TEST(Tokenizer, IdsWithoutTokenAreLeftOut) {
  const Tokenizer tokenizer = small();
  const int a = tokenizer.token_to_id("a").value();
  EXPECT_EQ(tokenizer.decode(std::vector{a, 1'000'000, a}), "aa");
  EXPECT_EQ(error_of<Error>([&] {
              tokenizer.decode(std::vector{a, -5});
            }),
            "decode: found the id -5, wanted ids from 0");
  EXPECT_FALSE(tokenizer.id_to_token(1'000'000));
  EXPECT_FALSE(tokenizer.id_to_token(-1));
  EXPECT_FALSE(tokenizer.token_to_id("no such token"));
}

TEST(Tokenizer, WrittenFolderIsReadBack) {
  const std::string folder = folder_for_test();
  Tokenizer tokenizer = small();
  tokenizer.set_role("eos_token", "<|endoftext|>");
  tokenizer.save(folder);
  const Tokenizer again = Tokenizer::load(folder);
  EXPECT_EQ(again.to_json(), tokenizer.to_json());
  EXPECT_EQ(again.role_id("eos_token"), tokenizer.token_to_id("<|endoftext|>"));
  EXPECT_EQ(again.vocab_size(), tokenizer.vocab_size());
  EXPECT_EQ(again.encode_ids("the king"), tokenizer.encode_ids("the king"));
  EXPECT_FALSE(again.role_id("pad_token"));
}

TEST(Tokenizer, RolesMayBeWrittenAsAddedTokens) {
  const std::string folder = folder_for_test();
  small().save(folder);
  const std::string config = join_path(folder, "tokenizer_config.json");
  write_file(config,
             R"({"eos_token":{"content":"<|endoftext|>","lstrip":false},"pad_token":null})");
  EXPECT_TRUE(Tokenizer::load(folder).role_id("eos_token"));
  write_file(config, R"({"eos_token":5})");
  EXPECT_EQ(error_of<FormatError>([&] { Tokenizer::load(folder); }),
            config + ": byte 13: \"eos_token\": found 5, wanted a string");
}

TEST(Tokenizer, LongWordsAndWordsOutsideTheCacheAgree) {
  const Tokenizer tokenizer = small();
  for (const std::string unit : {"a", "한", "the", "ab1", "\u00e9"}) {
    std::string text;
    for (int i = 0; i < 400; ++i) text += unit;
    EXPECT_EQ(tokenizer.decode(tokenizer.encode_ids(text)), text);
  }
}

// More different words than the cache holds, twice: what it forgets is found again.
TEST(Tokenizer, CacheDoesNotChangeResults) {
  const Tokenizer tokenizer = small();
  std::string text;
  for (int i = 0; i < 60'000; ++i) text += text_of(" ", i * 7919 % 60'000, "x");
  const std::vector<int> first = tokenizer.encode_ids(text);
  EXPECT_EQ(tokenizer.encode_ids(text), first);
  EXPECT_EQ(tokenizer.decode(first), text);
  EXPECT_EQ(small().encode(text).ids, first);
}

TEST(Tokenizer, ThreadsShareOne) {
  const Tokenizer tokenizer = small();
  const std::string text = "the king of 한국 sings; for (int i=0; i<n; ++i) return ======";
  const std::vector<int> wanted = tokenizer.encode_ids(text);
  std::vector<std::thread> threads;
  std::array<int, 4> wrong{};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 500; ++i) {
        wrong[t] += tokenizer.encode_ids(text) != wanted;
        wrong[t] += tokenizer.decode(wanted) != text;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, (std::array<int, 4>{}));
}

TEST(Tokenizer, MovedOneWorks) {
  Tokenizer first = small();
  first.encode_ids("the king");
  Tokenizer second = std::move(first);
  EXPECT_EQ(second.decode(second.encode_ids("the king")), "the king");
}

}  // namespace
}  // namespace jogak
