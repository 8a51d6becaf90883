#include "text/stream_decoder.h"

#include "base/random.h"
#include "base/utf8.h"
#include "tests/text/helpers.h"
#include "text/train_bpe.h"
#include "text/train_char.h"

namespace jogak {
namespace {

Tokenizer bytes_only() {  // every byte is a token, so every character is cut as often as can be
  return train_bpe({}, {.vocab_size = 258, .special_tokens = {"<s>", "<end>"}});
}

// Pushes all ids; each part must be whole characters and the sum must be the whole decode.
std::vector<std::string> stream(const Tokenizer& tokenizer, const std::vector<int>& ids,
                                bool skip_special = true) {
  StreamDecoder decoder(tokenizer, skip_special);
  std::vector<std::string> parts;
  for (const int id : ids) parts.push_back(decoder.push(id));
  parts.push_back(decoder.finish());
  std::string all;
  for (const std::string& part : parts) {
    EXPECT_EQ(utf8::first_invalid(part), std::string::npos);
    all += part;
  }
  EXPECT_EQ(all, tokenizer.decode(ids, skip_special));
  return parts;
}

TEST(StreamDecoder, GivesASyllableWithItsLastByte) {
  const Tokenizer tokenizer = bytes_only();
  const auto parts = stream(tokenizer, tokenizer.encode_ids("한a🙂"));
  EXPECT_EQ(parts, (std::vector<std::string>{"", "", "한", "a", "", "", "", "🙂", ""}));
}

TEST(StreamDecoder, HoldsAnUnfinishedCharacterToTheEnd) {
  const Tokenizer tokenizer = bytes_only();
  std::vector<int> ids = tokenizer.encode_ids("a한");
  ids.pop_back();
  const auto parts = stream(tokenizer, ids);
  EXPECT_EQ(parts.front(), "a");
  EXPECT_EQ(parts.back(), "\uFFFD");
}

TEST(StreamDecoder, RandomBytesGiveTheWholeDecode) {
  const Tokenizer tokenizer = bytes_only();
  Rng rng(4);
  for (int round = 0; round < 2000; ++round) {
    std::vector<int> ids(rng.below(12));
    for (int& id : ids) id = static_cast<int>(rng.below(260));
    stream(tokenizer, ids, round % 2 == 0);
  }
}

TEST(StreamDecoder, KeepsJamoOfOneSyllableTogether) {
  const std::string_view text = "\u1112\u1161\u11AB\u1100\u1173\u11AF x\u1100";
  const Tokenizer tokenizer = train_char({&text, 1});
  const auto parts = stream(tokenizer, tokenizer.encode_ids(text));
  EXPECT_EQ(parts, (std::vector<std::string>{"", "", "", "\u1112\u1161\u11AB", "", "",
                                             "\u1100\u1173\u11AF ", "x", "", "\u1100"}));
}

TEST(StreamDecoder, LetsGoOfJamoThatAreNoSyllable) {
  const std::string run = [] {
    std::string out;
    for (int i = 0; i < 40; ++i) out += "\u1100";
    return out;
  }();
  const std::string_view text = run;
  const Tokenizer tokenizer = train_char({&text, 1});
  size_t largest = 0;
  for (const std::string& part : stream(tokenizer, tokenizer.encode_ids(text)))
    largest = std::max(largest, part.size());
  EXPECT_LE(largest, 9u * 3);
}

TEST(StreamDecoder, LeavesOutSpecialTokensOnlyWhenAsked) {
  const Tokenizer tokenizer = bytes_only();
  const std::vector<int> ids = tokenizer.encode_ids("<s>a<end>");
  ASSERT_EQ(ids.size(), 3u);
  EXPECT_EQ(stream(tokenizer, ids)[0], "");
  EXPECT_EQ(stream(tokenizer, ids, false)[0], "<s>");
}

TEST(StreamDecoder, NegativeIdIsAnError) {
  const Tokenizer tokenizer = bytes_only();
  StreamDecoder decoder(tokenizer);
  EXPECT_EQ(error_of<Error>([&] { decoder.push(-1); }),
            "decode: found the id -1, wanted ids from 0");
}

TEST(StreamDecoder, Gpt2) {
  if (data_folder().empty()) GTEST_SKIP() << "set JOGAK_DATA to the data folder";
  const Tokenizer tokenizer = Tokenizer::load(data_folder());
  stream(tokenizer,
         tokenizer.encode_ids("닭이 알을 낳다. 뷁 👩‍👩‍👧‍👦 the end"));
  Rng rng(5);
  for (int round = 0; round < 200; ++round) {
    std::vector<int> ids(40);
    for (int& id : ids) id = static_cast<int>(rng.below(50257));
    stream(tokenizer, ids);
  }
}

}  // namespace
}  // namespace jogak
