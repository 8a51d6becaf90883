#include "text/stream_decoder.h"

#include <algorithm>

#include "base/random.h"
#include "base/utf8.h"
#include "tests/text/helpers.h"
#include "text/train/bpe.h"
#include "text/train/char.h"

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

// An emoji waits for the token behind it, which may belong to it.
TEST(StreamDecoder, GivesASyllableWithItsLastByte) {
  const Tokenizer tokenizer = bytes_only();
  const auto parts = stream(tokenizer, tokenizer.encode_ids("한a🙂"));
  EXPECT_EQ(parts, (std::vector<std::string>{"", "", "한", "a", "", "", "", "", "🙂"}));
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
    for (int i = 0; i < 200; ++i) out += "\u1100";
    return out;
  }();
  const std::string_view text = run;
  const Tokenizer tokenizer = train_char({&text, 1});
  size_t largest = 0;
  for (const std::string& part : stream(tokenizer, tokenizer.encode_ids(text)))
    largest = std::max(largest, part.size());
  EXPECT_LE(largest, 128u + 3);
}

// Whatever the tokens, text is cut only between what a reader takes for characters.
TEST(StreamDecoder, CutsNoSyllableEmojiOrFlag) {
  const std::vector<std::string> units = {"한",
                                          "a",
                                          " ",
                                          "\u1112\u1161\u11AB",
                                          "\u1100\u1161",
                                          "🙂",
                                          "👍🏽",
                                          "❤️",
                                          "👩‍👩‍👧‍👦",
                                          "👨🏽‍🚀",
                                          "🇰🇷",
                                          "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
                                          "뷁",
                                          "©"};
  const Tokenizer tokenizer = bytes_only();
  Rng rng(6);
  for (int round = 0; round < 300; ++round) {
    std::string text;
    std::vector<size_t> ends = {0};
    for (size_t i = 0, count = rng.below(8); i < count; ++i) {
      text += units[rng.below(units.size())];
      ends.push_back(text.size());
    }
    size_t shown = 0;
    for (const std::string& part : stream(tokenizer, tokenizer.encode_ids(text))) {
      shown += part.size();
      EXPECT_TRUE(std::binary_search(ends.begin(), ends.end(), shown)) << text << " at " << shown;
    }
    EXPECT_EQ(shown, text.size());
  }
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

// Every family and every kind of .model, and tokenizers of each decoder by itself.
std::vector<Tokenizer> every_kind() {
  std::vector<Tokenizer> out;
  const Json families = read_json_file(golden("families.json"));
  for (const Json& one : families.find("families")->items())
    out.push_back(Tokenizer::from_json(one.find("tokenizer")->dump(), "golden"));
  for (const std::string& name : list_directory(golden("spm")))
    out.push_back(Tokenizer::load(golden("spm/" + name)));
  const std::string bytes = R"({"type":"ByteFallback"})", fuse = R"({"type":"Fuse"})";
  const std::string metaspace =
      R"({"type":"Metaspace","replacement":"▁","prepend_scheme":"always","split":true})";
  const std::string strip = R"({"type":"Strip","content":" ","start":1,"stop":1})";
  const std::string replace = R"({"type":"Replace","pattern":{"String":"ab"},"content":"한 "})";
  const std::string regex = R"({"type":"Replace","pattern":{"Regex":"a+"},"content":"é"})";
  const std::string word = R"({"type":"WordPiece","prefix":"##","cleanup":true})";
  const std::string ctc =
      R"({"type":"CTC","pad_token":"<pad>","word_delimiter_token":"|","cleanup":true})";
  const std::string bpe = R"({"type":"BPEDecoder","suffix":"</w>"})";
  const std::string level = R"({"type":"ByteLevel"})";
  const std::vector<std::vector<std::string>> chains = {{bytes},
                                                        {fuse},
                                                        {metaspace},
                                                        {strip},
                                                        {replace},
                                                        {regex},
                                                        {word},
                                                        {ctc},
                                                        {bpe},
                                                        {level},
                                                        {bytes, fuse, strip},
                                                        {fuse, replace},
                                                        {fuse, regex, strip},
                                                        {metaspace, bytes, fuse},
                                                        {level, replace, strip},
                                                        {ctc, fuse, strip},
                                                        {word, replace},
                                                        {bpe, fuse, strip, replace}};
  const std::vector<std::string> tokens = {
      "a",      "b",      "ab",     "▁",      "▁a",     "##b",    " ",      "|",  "<pad>",
      "</w>",   "b</w>",  "<0xED>", "<0x95>", "<0x9C>", "<0xFF>", "<0x41>", "한", "🙂",
      "\u200D", "\u1112", "\u1161", "Ġ",      "í",      "ķ",      "ľ",      ".",  "n't"};
  Json vocab = Json::object({});
  for (size_t i = 0; i < tokens.size(); ++i) vocab.set(tokens[i], Json(i));
  for (const auto& chain : chains) {
    std::string steps;
    for (const std::string& step : chain) steps += (steps.empty() ? "" : ",") + step;
    out.push_back(Tokenizer::from_json(
        text_of(R"({"added_tokens":[{"id":40,"content":"<s>","special":true}],"decoder":)",
                R"({"type":"Sequence","decoders":[)", steps, R"(]},"model":{"type":"WordLevel",)",
                R"("unk_token":"a","vocab":)", vocab.dump(), "}}"),
        "chain"));
  }
  return out;
}

// Many streams over one tokenizer, their tokens coming in any order.
TEST(StreamDecoder, ManyStreamsAtOnceGiveTheWholeDecodeOfEach) {
  Rng rng(8);
  for (const Tokenizer& tokenizer : every_kind()) {
    struct Stream {
      std::vector<int> ids;
      StreamDecoder decoder;
      bool skip_special;
      size_t next = 0;
      std::string text{};
    };
    std::vector<Stream> streams;
    for (int i = 0; i < 24; ++i) {
      const bool skip_special = rng.below(2) == 0;
      streams.push_back({{}, StreamDecoder(tokenizer, skip_special), skip_special});
      for (size_t n = rng.below(30); n > 0; --n)
        streams.back().ids.push_back(
            static_cast<int>(rng.below(static_cast<uint64_t>(tokenizer.vocab_size()) + 2)));
    }
    for (size_t left = streams.size(); left > 0;) {
      Stream& one = streams[rng.below(streams.size())];
      if (one.next > one.ids.size()) continue;
      const bool ends = one.next == one.ids.size();
      const std::string part = ends ? one.decoder.finish() : one.decoder.push(one.ids[one.next]);
      ++one.next;
      left -= ends ? 1 : 0;
      EXPECT_EQ(utf8::first_invalid(part), std::string::npos);
      one.text += part;
    }
    for (const Stream& one : streams)
      EXPECT_EQ(one.text, tokenizer.decode(one.ids, one.skip_special));
  }
}

// What stood before is not said again, and changes what follows as it does in the whole text.
TEST(StreamDecoder, BeginsAfterOtherTokens) {
  Rng rng(9);
  size_t exact = 0, rounds = 0;
  for (const Tokenizer& tokenizer : every_kind())
    for (int round = 0; round < 12; ++round) {
      std::vector<int> ids(1 + rng.below(12));
      for (int& id : ids)
        id = static_cast<int>(rng.below(static_cast<uint64_t>(tokenizer.vocab_size())));
      const size_t cut = rng.below(ids.size());
      const std::string before = tokenizer.decode({ids.data(), cut}), all = tokenizer.decode(ids);
      StreamDecoder decoder(tokenizer);
      decoder.begin_after({ids.data(), cut});
      std::string text;
      for (size_t i = cut; i < ids.size(); ++i) text += decoder.push(ids[i]);
      text += decoder.finish();
      EXPECT_EQ(utf8::first_invalid(text), std::string::npos);
      EXPECT_TRUE(all.ends_with(text)) << json_quote(all) << " " << json_quote(text);
      ++rounds;
      if (!all.starts_with(before)) continue;  // the new tokens have changed it
      EXPECT_EQ(before + text, all);
      ++exact;
    }
  EXPECT_GT(exact, rounds / 2);
}

}  // namespace
}  // namespace jogak
