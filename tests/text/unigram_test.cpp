#include "text/models/unigram.h"

#include "tests/text/helpers.h"

namespace jogak {
namespace {

// A tokenizer.json around one unigram model.
Tokenizer with_model(const std::string& model) {
  return Tokenizer::from_json(
      R"({"version":"1.0","added_tokens":[],"model":{"type":"Unigram",)" + model + "}}", "t.json");
}

std::string wrong_model(const std::string& model) {
  return error_of<FormatError>([&] { with_model(model); });
}

TEST(Unigram, TakesTheBestSumAndOfEqualSumsTheFirstFound) {
  const Tokenizer t = with_model(
      R"("unk_id":0,"vocab":[["<unk>",0],["a",-1],["b",-1],["ab",-2],["abc",-9],["c",-3]])");
  EXPECT_EQ(t.encode("ab").tokens, (std::vector<std::string>{"ab"}));
  EXPECT_EQ(t.encode("abc").tokens, (std::vector<std::string>{"ab", "c"}));
  EXPECT_EQ(t.encode("aab").tokens, (std::vector<std::string>{"a", "ab"}));
  EXPECT_TRUE(t.encode("").ids.empty());
}

// Two ways to cut have the same sum but for the last bit, which depends on how numbers are read.
TEST(Unigram, ReadsNumbersAsTheReferenceDoes) {
  EXPECT_EQ(text::number_of_reference("-1.0666527247071267"), -1.066652724707127);
  EXPECT_EQ(text::number_of_reference("-14.277057981924953"), -14.277057981924951);
  EXPECT_EQ(text::number_of_reference("-9.25"), -9.25);
  EXPECT_EQ(text::number_of_reference("-3"), -3.0);
  EXPECT_EQ(text::number_of_reference("25e-1"), 2.5);
  EXPECT_EQ(text::number_of_reference("1.5E+3"), 1500.0);
  EXPECT_EQ(text::number_of_reference("1e-400"), 0.0);
  EXPECT_EQ(text::number_of_reference("0e999"), 0.0);
  EXPECT_EQ(text::number_of_reference("100000000000000000000000.5"), 1e23);
  const std::string file =
      R"("unk_id":0,"vocab":[["<unk>",0],["b",-6.796305310076953],["a",-7.1006306772263095],)"
      R"(["aa",-13.703106277119815]])";
  const Tokenizer t = with_model(file);
  EXPECT_EQ(t.encode("baaa").tokens, (std::vector<std::string>{"b", "aa", "a"}));
  EXPECT_NE(t.to_json().find("-7.1006306772263095"), std::string::npos);
}

TEST(Unigram, UnknownRunsAreOneTokenThatShowsItsText) {
  const Tokenizer t = with_model(R"("unk_id":1,"vocab":[["a",-1],["<unk>",0],["xy",-99]])");
  const Encoding got = t.encode("a한글a<unk>x");
  EXPECT_EQ(got.ids, (std::vector<int>{0, 1, 0, 1}));
  EXPECT_EQ(got.tokens, (std::vector<std::string>{"a", "한글", "a", "<unk>x"}));
  EXPECT_EQ(got.offsets, (std::vector<Span>{{0, 1}, {1, 3}, {3, 4}, {4, 10}}));
  EXPECT_EQ(t.encode_ids("xy"), std::vector<int>{2});  // two unknowns that spell a piece
  EXPECT_EQ(t.decode(got.ids), "a <unk> a <unk>");
}

TEST(Unigram, WithoutUnknownTokenTheCharacterIsNamed) {
  const Tokenizer t = with_model(R"("unk_id":null,"vocab":[["a",-1]])");
  EXPECT_EQ(t.encode_ids("aaa").size(), 3u);
  EXPECT_EQ(error_of<FormatError>([&] { t.encode("aé"); }),
            "text: character 1 (byte 1): \"é\" (U+00E9) is not in the vocabulary, "
            "and there is no unknown token");
}

TEST(Unigram, UnknownTextBecomesBytesThatShareTheirOffsets) {
  std::string vocab = R"(["<unk>",0],["a",-1])";
  for (int i = 0; i < 256; ++i)
    vocab += ",[\"" + text::byte_piece(static_cast<unsigned char>(i)) + "\",-5]";
  const Tokenizer t = with_model(R"("unk_id":0,"byte_fallback":true,"vocab":[)" + vocab + "]");
  const Encoding got = t.encode("aé");
  EXPECT_EQ(got.tokens, (std::vector<std::string>{"a", "<0xC3>", "<0xA9>"}));
  EXPECT_EQ(got.offsets, (std::vector<Span>{{0, 1}, {1, 2}, {1, 2}}));
  EXPECT_EQ(Tokenizer::from_json(t.to_json(), "again").to_json(), t.to_json());
}

TEST(Unigram, LongTextIsCutAsShortTextIs) {
  const Tokenizer t =
      with_model(R"("unk_id":0,"vocab":[["<unk>",0],["ab",-1.5],["a",-1],["b",-2]])");
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += "ab";
  const std::vector<int> ids = t.encode_ids(text);
  EXPECT_EQ(ids, std::vector<int>(50'000, 1));
}

TEST(UnigramErrors, EachNamesItsByte) {
  EXPECT_EQ(wrong_model(R"("unk_id":0,"vocab":[])"),
            "t.json: byte 70: \"unk_id\": found 0, wanted the id of one of the 0 pieces");
  EXPECT_EQ(wrong_model(R"("unk_id":1,"vocab":[["a",1]])"),
            "t.json: byte 70: \"unk_id\": found 1, wanted the id of one of the 1 pieces");
  EXPECT_EQ(wrong_model(R"("vocab":[["a"]])"),
            "t.json: byte 70: a unigram piece: found 1 parts, wanted [\"piece\", score]");
  EXPECT_EQ(wrong_model(R"("vocab":[["a",-1],["a",-2]])"),
            "t.json: byte 79: piece \"a\" is there twice, with the ids 0 and 1");
  EXPECT_EQ(wrong_model(R"("vocab":[["a","b"]])"),
            "t.json: byte 75: a unigram piece: found a string, wanted a number");
  EXPECT_EQ(wrong_model(R"("vocab":[["a",1]],"smooth":1)"),
            "t.json: byte 88: key \"smooth\" is not known here");
}

}  // namespace
}  // namespace jogak
