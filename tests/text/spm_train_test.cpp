#include <chrono>
#include <filesystem>

#include "tests/text/helpers.h"
#include "text/pair_tokenizer.h"
#include "text/spm/file.h"
#include "text/train/spm.h"

namespace jogak {
namespace {

// Made-up lines: enough different words for a few hundred pieces.
std::vector<std::string> lines(int count) {
  const std::vector<std::string> heads = {"조각", "한국", "학교", "king", "night", "read"};
  const std::vector<std::string> tails = {"을", "에서", "ing", "er", "의", "s", "dom"};
  std::vector<std::string> out;
  for (int i = 0; i < count; ++i) {
    std::string line;
    for (int j = 0; j < 5; ++j)
      line += heads[(i * 7 + j * 3) % heads.size()] + tails[(i * 5 + j * j) % tails.size()] + " ";
    out.push_back(line + std::to_string(2000 + i % 40) + "-05-" + std::to_string(10 + i % 20));
  }
  return out;
}

TEST(TrainSpm, SameTextSameBytes) {
  const auto texts = lines(200);
  for (const char* type : {"unigram", "bpe", "char"}) {
    const SpmTraining training{.type = type, .vocab_size = 70, .control = {"<a,\"b\">"}};
    const std::string model = train_spm(views(texts), training);
    EXPECT_EQ(train_spm(views(texts), training), model);
    const text::SpmFile file = text::read_spm(model, "trained");
    EXPECT_EQ(file.pieces[0].text, "<unk>");
    EXPECT_EQ(file.pieces[1].text, "</s>");
    EXPECT_EQ(file.pieces[2].text, "<a,\"b\">");
    EXPECT_EQ(file.pieces[2].kind, text::SpmKind::control);
    EXPECT_EQ(file.pieces.size(), std::string_view(type) == "char" ? 38u : 70u);
  }
}

TEST(TrainSpm, SizesThatCannotBeNameTheNearest) {
  const auto texts = lines(50);
  const auto error = [&](SpmTraining training) {
    return error_of<UsageError>([&] { train_spm(views(texts), training); });
  };
  const std::string high = error({.vocab_size = 5000, .extra = 1});
  EXPECT_EQ(high, "vocabulary size: found 5000, wanted at most 80: this text gives no more pieces");
  // The number it names is possible, and one more is not.
  EXPECT_NO_THROW(train_spm(views(texts), {.vocab_size = 80, .extra = 1}));
  EXPECT_EQ(error({.vocab_size = 81, .extra = 1}),
            "vocabulary size: found 81, wanted at most 80: this text gives no more pieces");
  EXPECT_EQ(error({.vocab_size = 12}),
            "vocabulary size: found 12, wanted at least 37: each character of the text needs a "
            "piece");
  EXPECT_EQ(error({.vocab_size = 2}), "vocabulary size: found 2, wanted 3 to 16777216");
  EXPECT_EQ(error({.type = "words"}), "tokenizer type: found words, wanted unigram, bpe or char");
  EXPECT_EQ(error({.control = {"</s>"}}), "special tokens: found </s> twice");
  const std::vector<std::string_view> empty = {"", " \n"};
  EXPECT_EQ(error_of<UsageError>([&] { train_spm(empty, {}); }),
            "tokenizer: found only empty lines, wanted text to train on");
  const std::vector<std::string_view> bad = {"a", "b\xFF"};
  EXPECT_EQ(error_of<FormatError>([&] { train_spm(bad, {}); }),
            "text 1: byte 1: found bytes that are not UTF-8, wanted UTF-8 text");
}

TEST(TrainSpm, LongLinesAndOddCharactersAreNotDropped) {
  std::string text = std::string("a\tb\0c\u2585d", 9);
  for (int i = 0; i < 3000; ++i) text += "가나다라마";
  text += "z";
  const std::vector<std::string_view> texts = {text};
  const text::SpmFile file =
      text::read_spm(train_spm(texts, {.type = "char", .normalize = false}), "trained");
  std::string all;
  for (const text::SpmPiece& piece : file.pieces) all += piece.text;
  for (const char* one : {"a", "b", "c", "d", "가", "마", "z"})
    EXPECT_NE(all.find(one), std::string::npos) << one;
}

TEST(TrainSpm, NfcComposesAndLeavesTheRest) {
  const auto texts = lines(200);
  SpmTraining training{.vocab_size = 60, .nfc = true};
  const std::string model = train_spm(views(texts), training);
  EXPECT_EQ(train_spm(views(texts), training), model);
  const Tokenizer spm = Tokenizer::from_spm(model, "trained");
  const Tokenizer json = Tokenizer::from_json(spm.to_json(), "json");
  for (const Tokenizer* one : {&spm, &json}) {
    // 학교 taken apart in full, and with a syllable that lacks its last sound.
    EXPECT_EQ(one->encode_ids("\u1112\u1161\u11a8\u1100\u116d"), one->encode_ids("학교"));
    EXPECT_EQ(one->encode_ids("\ud558\u11a8교"), one->encode_ids("학교"));
    EXPECT_EQ(one->encode_ids("학교\n\t학교"), one->encode_ids("학교 학교"));
    // NFKC would make this an ordinary letter.
    EXPECT_EQ(one->encode_ids("Ａ"), one->encode_ids("쀍"));
  }
}

TEST(TrainSpm, ReportThatThrowsEndsItAtOnce) {
  std::vector<std::string> texts;
  for (int i = 0; i < 40000; ++i)
    texts.push_back(text_of("조각을 읽는 ", i * 7919 % 40009, " of ", i * 104729 % 39989));
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(error_of<Stopped>([&] {
              train_spm(views(texts), {.vocab_size = 8000, .progress = [](const TrainProgress&) {
                                         fail<Stopped>("stop");
                                       }});
            }),
            "stop");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

TEST(TrainPair, SharedAndSeparateVocabularies) {
  const auto source = lines(200), target = lines(120);
  for (const bool shared : {true, false})
    for (const char* type : {"unigram", "bpe", "char"}) {
      SCOPED_TRACE(text_of(type, " ", shared));
      const PairTokenizer pair = train_pair_tokenizer(
          views(source), views(target), {.type = type, .vocab_size = 70, .shared = shared});
      EXPECT_EQ(pair.shared, shared);
      EXPECT_EQ(pair.source.role_id("eos_token"), 0);
      EXPECT_EQ(pair.source.role_id("unk_token"), 1);
      EXPECT_EQ(pair.target.role_id("pad_token"), shared ? pair.target.vocab_size() - 1 : 2);
      EXPECT_EQ(pair.source.role_id("pad_token"), pair.target.role_id("pad_token"));
      EXPECT_EQ(pair.source.vocab_size(), std::string_view(type) == "char" ? 38 : 70);
      for (const std::string& line : {source[3], source[7]}) {
        const std::vector<int> ids = pair.source.encode_ids(line);
        EXPECT_EQ(ids.back(), 0);
        EXPECT_EQ(pair.source.decode(ids), line);
      }
      const std::string folder = folder_for_test();
      save_pair_tokenizer(pair, folder);
      const PairTokenizer again = load_pair_tokenizer(folder);
      EXPECT_EQ(again.shared, shared);
      EXPECT_EQ(again.target.encode_ids(target[5]), pair.target.encode_ids(target[5]));
      EXPECT_EQ(again.target.vocab_size(), pair.target.vocab_size());
    }
}

TEST(TrainPair, CharactersAreOneTokenEachAndNothingIsLost) {
  const std::vector<std::string_view> source = {"2031년 5월 9일 금요일", "Friday, May 9th, 2031",
                                                "８월  16일"};
  const std::vector<std::string_view> target = {"2031-05-09", "1987-12-30 46"};
  const PairTokenizer pair =
      train_pair_tokenizer(source, target, {.type = "char", .vocab_size = 500, .normalize = false});
  EXPECT_LT(pair.source.vocab_size(), 60);
  const Encoding date = pair.target.encode("2031-05-09");
  EXPECT_EQ(date.tokens,
            (std::vector<std::string>{"2", "0", "3", "1", "-", "0", "5", "-", "0", "9", "</s>"}));
  EXPECT_EQ(pair.target.decode(date.ids), "2031-05-09");
  const Encoding korean = pair.source.encode("8월  9일");
  EXPECT_EQ(korean.tokens, (std::vector<std::string>{"8", "월", "▁", "▁", "9", "일", "</s>"}));
  EXPECT_EQ(pair.source.decode(korean.ids), "8월  9일");
  EXPECT_EQ(pair.source.decode(pair.source.encode_ids("８월")), "８월");  // kept as it was
}

// make_marian.py reads what this writes with MarianTokenizer.
TEST(TrainPair, WriteForReference) {
  const char* folder = std::getenv("JOGAK_PAIR_OUT");
  if (!folder) GTEST_SKIP() << "run by tests/goldens/tokenizers/make_marian.py";
  const auto source = lines(200), target = lines(120);
  for (const bool shared : {true, false})
    for (const char* type : {"unigram", "bpe", "char"})
      save_pair_tokenizer(
          train_pair_tokenizer(views(source), views(target),
                               {.type = type, .vocab_size = 70, .shared = shared}),
          join_path(folder, text_of("trained-", type, shared ? "-shared" : "-separate")));
}

}  // namespace
}  // namespace jogak
