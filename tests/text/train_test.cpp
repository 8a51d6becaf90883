#include "tests/text/helpers.h"
#include "text/train/bpe.h"
#include "text/train/char.h"
#include "text/train/word_piece.h"

namespace jogak {
namespace {

std::vector<std::string> strings_of(const Fields& fields, const char* key) {
  std::vector<std::string> out;
  for (const Json& item : fields.list(key)) out.push_back(item.text());
  return out;
}

Json merges_of(const Tokenizer& tokenizer) {
  return *parse_json(tokenizer.to_json(), "json").find("model")->find("merges");
}

TEST(TrainBpe, MergesAreThoseOfTheReference) {
  const Json golden_file = read_json_file(golden("train.json"));
  for (const Json& one : golden_file.find("cases")->items()) {
    const Fields fields(one, "train.json");
    const std::vector<std::string> texts = strings_of(fields, "texts");
    BpeTrainOptions options;
    options.vocab_size = static_cast<int>(fields.integer("vocab_size", {}));
    options.min_frequency = fields.integer("min_frequency", {});
    options.special_tokens = strings_of(fields, "special_tokens");
    const Tokenizer tokenizer = train_bpe(views(texts), options);
    EXPECT_EQ(merges_of(tokenizer).dump(), fields.at("merges").dump());
    for (const std::string& text : texts)
      EXPECT_EQ(tokenizer.decode(tokenizer.encode_ids(text)), text);
  }
}

TEST(TrainBpe, IdsStartWithSpecialTokensAndBytes) {
  const std::vector<std::string_view> texts = {"aa aa aa"};
  const Tokenizer tokenizer =
      train_bpe(texts, {.vocab_size = 260, .special_tokens = {"<s>", "<p>"}});
  EXPECT_EQ(tokenizer.token_to_id("<s>"), 0);
  EXPECT_EQ(tokenizer.token_to_id("<p>"), 1);
  EXPECT_EQ(tokenizer.token_to_id("!"), 2);
  EXPECT_EQ(tokenizer.id_to_token(257), "\u0143");  // the last byte of the alphabet
  EXPECT_EQ(tokenizer.vocab_size(), 260);
  EXPECT_TRUE(tokenizer.is_special(0));
  EXPECT_FALSE(tokenizer.is_special(2));
}

TEST(TrainBpe, ProgressEndsAtItsTotal) {
  std::vector<TrainProgress> seen;
  const std::vector<std::string_view> texts = {"one two", "two three", "three"};
  train_bpe(texts,
            {.vocab_size = 300, .progress = [&](const TrainProgress& p) { seen.push_back(p); }});
  ASSERT_GE(seen.size(), 2u);
  EXPECT_EQ(seen.back().done, seen.back().total);
  EXPECT_STREQ(seen.front().stage, "counting words");
  EXPECT_STREQ(seen.back().stage, "merging");
}

TEST(TrainBpe, PrefixSpaceJoinsTheFirstWord) {
  const std::vector<std::string_view> texts = {"word word", "word"};
  const Tokenizer tokenizer = train_bpe(texts, {.vocab_size = 300, .add_prefix_space = true});
  EXPECT_EQ(tokenizer.encode("word").tokens, (std::vector<std::string>{"\u0120word"}));
}

TEST(TrainBpe, WrongOptionsAreNamed) {
  const std::vector<std::string_view> texts = {"a"};
  const auto train = [&](BpeTrainOptions options) {
    return error_of<UsageError>([&] { train_bpe(texts, options); });
  };
  EXPECT_EQ(train({.vocab_size = 256, .special_tokens = {"<s>"}}),
            "vocabulary size: found 256, wanted at least 257 (256 bytes and 1 special tokens)");
  EXPECT_EQ(train({.special_tokens = {"<s>", "<s>"}}), "special token <s> is given twice");
  EXPECT_EQ(train({.special_tokens = {""}}), "a special token is empty");
  EXPECT_EQ(train({.min_frequency = -1}), "minimum frequency: found -1, wanted at least 0");
}

TEST(TrainBpe, InvalidTextIsNamedByPlace) {
  const std::vector<std::string_view> texts = {"fine", "a\xFF"};
  EXPECT_EQ(error_of<FormatError>([&] { train_bpe(texts); }),
            "text 1: byte 1: found bytes that are not UTF-8, wanted UTF-8 text");
}

constexpr const char* kApart = "\u1112\u1161\u11ab\u1100\u1173\u11af";  // 한글, taken apart

TEST(TrainBpe, NormalFormComesFirst) {
  const std::vector<std::string_view> texts = {"한글 한글 한글", kApart};
  const Tokenizer tokenizer =
      train_bpe(texts, {.vocab_size = 300, .normal_form = text::NormalForm::nfc});
  EXPECT_EQ(tokenizer.encode_ids(kApart), tokenizer.encode_ids("한글"));
  EXPECT_EQ(tokenizer.encode_ids(kApart).size(), 1u);
  const Tokenizer same = Tokenizer::from_json(tokenizer.to_json(), "json");
  EXPECT_EQ(same.decode(same.encode_ids(kApart)), "한글");
}

TEST(TrainBpe, MetaspaceWordsStartWithTheirSpace) {
  const std::vector<std::string_view> texts = {"나비야 나비야 이리 날아 오너라", "나비야 bye"};
  const Tokenizer tokenizer =
      train_bpe(texts, {.vocab_size = 290, .special_tokens = {"<s>"}, .metaspace = true});
  EXPECT_EQ(tokenizer.token_to_id("<s>"), 0);
  EXPECT_EQ(tokenizer.token_to_id("<0x00>"), 1);
  EXPECT_EQ(tokenizer.id_to_token(257), "▁");  // the most frequent character
  EXPECT_EQ(tokenizer.encode("나비야").tokens, (std::vector<std::string>{"▁나비야"}));
  for (const char* text : {"나비야 오너라", "ㅋ 뷁 🙂 나비야", "a\nb", "bye  bye"})
    EXPECT_EQ(tokenizer.decode(tokenizer.encode_ids(text)), text);
  EXPECT_EQ(tokenizer.encode("뷁").tokens,
            (std::vector<std::string>{"▁", "<0xEB>", "<0xB7>", "<0x81>"}));
}

TEST(TrainBpe, RareCharactersBecomeBytes) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "가나 ";
  const std::vector<std::string_view> texts = {text, "쀍"};
  const BpeTrainOptions options{.vocab_size = 300, .metaspace = true};
  EXPECT_FALSE(train_bpe(texts, options).token_to_id("쀍"));
  BpeTrainOptions all = options;
  all.coverage = 1;
  EXPECT_TRUE(train_bpe(texts, all).token_to_id("쀍"));
}

TEST(TrainBpe, ReportThatThrowsEndsIt) {
  const std::vector<std::string_view> texts = {"one two", "two three"};
  for (const bool metaspace : {false, true})
    EXPECT_EQ(error_of<Stopped>([&] {
                train_bpe(texts, {.metaspace = metaspace,
                                  .progress = [](const TrainProgress&) { fail<Stopped>("stop"); }});
              }),
              "stop");
}

TEST(TrainWordPiece, PiecesInsideAWordCarryTheMark) {
  const std::vector<std::string_view> texts = {"sing singing, sings!",
                                               "sing singing 학교 학교에서"};
  const Tokenizer tokenizer = train_word_piece(texts, {.vocab_size = 60});
  EXPECT_EQ(tokenizer.token_to_id("[PAD]"), 0);
  EXPECT_EQ(tokenizer.token_to_id("[UNK]"), 1);
  EXPECT_EQ(tokenizer.encode("singing 학교!").tokens,
            (std::vector<std::string>{"[CLS]", "singing", "학교", "!", "[SEP]"}));
  EXPECT_EQ(tokenizer.encode("singings").tokens,
            (std::vector<std::string>{"[CLS]", "singing", "##s", "[SEP]"}));
  EXPECT_EQ(tokenizer.decode(tokenizer.encode_ids("singings, 학교에서")), "singings, 학교에서");
  EXPECT_EQ(tokenizer.encode("ox sing").tokens,
            (std::vector<std::string>{"[CLS]", "[UNK]", "sing", "[SEP]"}));
  // No token for places where a character was never seen.
  EXPECT_TRUE(tokenizer.token_to_id("!"));
  EXPECT_FALSE(tokenizer.token_to_id("##!"));
}

TEST(TrainWordPiece, KoreanIsNotTakenApart) {
  const std::vector<std::string_view> texts = {"한글 한글 École École"};
  for (const bool lowercase : {false, true}) {
    const Tokenizer tokenizer = train_word_piece(
        texts, {.vocab_size = 40, .lowercase = lowercase, .normal_form = text::NormalForm::nfc});
    EXPECT_EQ(tokenizer.encode(kApart).tokens,
              (std::vector<std::string>{"[CLS]", "한글", "[SEP]"}));
    EXPECT_EQ(tokenizer.decode(tokenizer.encode_ids("École")), lowercase ? "école" : "École");
  }
}

TEST(TrainWordPiece, SpecialTokensAreThoseGiven) {
  const std::vector<std::string_view> texts = {"a b"};
  const Tokenizer tokenizer = train_word_piece(
      texts, {.vocab_size = 20, .special_tokens = {"<pad>"}, .unk_token = "<unk>"});
  EXPECT_EQ(tokenizer.token_to_id("<pad>"), 0);
  EXPECT_EQ(tokenizer.role_id("unk_token"), 1);
  EXPECT_EQ(tokenizer.encode("a ?").tokens, (std::vector<std::string>{"a", "<unk>"}));
  EXPECT_EQ(error_of<UsageError>([&] { train_word_piece(texts, {.vocab_size = 6}); }),
            "vocabulary size: found 6, wanted at least 7 (5 special tokens and a character)");
}

TEST(TrainWordPiece, VocabularyIsNeverLargerThanAsked) {
  const std::vector<std::string_view> texts = {"abcdefgh ijklmnop", "한국어 글자를 읽는다"};
  for (const int size : {7, 12, 25, 400})
    EXPECT_LE(train_word_piece(texts, {.vocab_size = size, .min_frequency = 0}).vocab_size(), size);
}

TEST(TrainChar, NormalFormComesFirst) {
  const std::vector<std::string_view> texts = {kApart};
  const Tokenizer tokenizer = train_char(texts, {.normal_form = text::NormalForm::nfc});
  EXPECT_EQ(tokenizer.vocab_size(), 2);
  EXPECT_EQ(tokenizer.encode_ids(kApart), tokenizer.encode_ids("한글"));
}

TEST(TrainChar, IdsAreSortedCharacters) {
  const std::vector<std::string_view> texts = {"b\na", "한a 🙂"};
  const Tokenizer tokenizer = train_char(texts);
  EXPECT_EQ(tokenizer.vocab_size(), 6);
  EXPECT_EQ(tokenizer.encode_ids("\n ab한🙂"), (std::vector<int>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(tokenizer.decode(std::vector{5, 0, 1, 4, 3}), "🙂\n 한b");
  const Encoding encoding = tokenizer.encode("🙂 한");
  EXPECT_EQ(encoding.tokens, (std::vector<std::string>{"🙂", " ", "한"}));
  EXPECT_EQ(encoding.offsets, (std::vector<Span>{{0, 1}, {1, 2}, {2, 3}}));
}

TEST(TrainChar, UnknownCharacterIsNamedWithItsPlace) {
  const std::vector<std::string_view> texts = {"가나다"};
  const Tokenizer tokenizer = train_char(texts);
  EXPECT_EQ(error_of<FormatError>([&] { tokenizer.encode("가나라"); }),
            "text: character 2 (byte 6): \"라\" (U+B77C) is not in the vocabulary, nor is the "
            "unknown token \"<unk>\"");
  EXPECT_EQ(tokenizer.encode_ids("나"), std::vector<int>{1});  // still of use afterwards
}

TEST(TrainChar, UnknownAndSpecialTokensComeAfterTheCharacters) {
  const std::vector<std::string_view> texts = {"ab"};
  const Tokenizer tokenizer = train_char(texts, {.special_tokens = {"<s>"}, .unk_token = "<unk>"});
  EXPECT_EQ(tokenizer.encode_ids("a?<s>b"), (std::vector<int>{0, 3, 2, 1}));
  EXPECT_EQ(tokenizer.decode(std::vector{0, 3, 2, 1}), "ab");
  EXPECT_EQ(tokenizer.role_id("unk_token"), 3);
  EXPECT_EQ(error_of<UsageError>([&] { train_char(texts, {.special_tokens = {"a"}}); }),
            "special token a is given twice or is a character of the text");
}

}  // namespace
}  // namespace jogak
