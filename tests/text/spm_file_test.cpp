// What a .model may not be, and what it may.
#include "text/spm/file.h"

#include "tests/support/spm_bytes.h"
#include "tests/text/helpers.h"
#include "text/spm/tokenizer.h"

namespace jogak {
namespace {

using text::SpmKind;

using spm_bytes::bytes;
using spm_bytes::number;
using spm_bytes::piece;
using spm_bytes::single;
using spm_bytes::unk;
using spm_bytes::varint;

std::string wrong(const std::string& model) {
  return error_of<FormatError>([&] { text::spm_parts(text::read_spm(model, "f.model")); });
}

TEST(SpmFileErrors, EachNamesItsByte) {
  const std::string a = piece("a", -1);
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "byte 0: found an empty file, wanted pieces"},
      {std::string(11, '\xFF') + "a", "byte 0: found a number of more than 10 bytes"},
      {"\xFF", "byte 0: found a number cut short by the end"},
      {"\x0A\x7F"
       "abc",
       "byte 1: field 1 has 127 bytes, but only 3 are left"},
      {"\x0A" + varint(uint64_t{1} << 63),
       "byte 1: field 1 has 9223372036854775808 bytes, but only 0 are left"},
      {unk() + "\x0E", "byte 16: found wire type 6, wanted 0 to 5"},
      {unk() + "\x0F", "byte 16: found wire type 7, wanted 0 to 5"},
      {unk() + varint(9 << 3 | 3) + number(1, 5),
       "byte 16: found the start of a group without its end"},
      {unk() + varint(9 << 3 | 4), "byte 16: found the end of a group that was not begun"},
      {unk() + varint(9 << 3 | 3) + varint(8 << 3 | 4),
       "byte 17: found the end of group 8, wanted that of group 9"},
      {std::string(1, '\0'), "byte 0: found field number 0, wanted 1 to 536870911"},
      {number(9, 1), "byte 0: found no pieces, wanted some"},
      {unk() + bytes(1, ""), "byte 18: piece 1 is empty, wanted some text"},
      {unk() + a + a, "byte 30: piece \"a\" is there twice, with the ids 1 and 2"},
      {unk() + piece(std::string(1 << 20, 'a')),
       "byte 24: piece 1: found 1048576 bytes, wanted at most 65536"},
      {unk() + piece("a", std::numeric_limits<float>::quiet_NaN()),
       "byte 22: piece 1: found the score nan, wanted a finite number"},
      {unk() + piece("a", -std::numeric_limits<float>::infinity()),
       "byte 22: piece 1: found the score -inf, wanted a finite number"},
      {unk() + piece("a", 0, 7), "byte 27: piece 1: found the type 7, wanted 1 to 6"},
      {unk() + piece("a", 0, 0), "byte 27: piece 1: found the type 0, wanted 1 to 6"},
      {a, "byte 0: found no unknown piece, wanted one of type 2"},
      {unk() + piece("b", 0, 2), "byte 18: pieces 0 and 1 are both the unknown piece"},
      {unk() + piece("a\xFF"),
       "byte 21: piece 1: found bytes that are not UTF-8, wanted UTF-8 text"},
      {unk() + bytes(2, number(35, 1)),
       "byte 0: byte_fallback is on, but there is no piece <0x00>"},
      {unk() + piece("<0x00>", 0, 6),
       "byte 18: found the byte piece \"<0x00>\", but byte_fallback is off"},
      {unk() + bytes(2, number(35, 1)) + piece("<0xZZ>", 0, 6),
       "byte 23: found the byte piece \"<0xZZ>\", wanted <0x00> to <0xFF>"},
      {unk() + bytes(2, number(3, 9)),
       "byte 19: found the model type 9, wanted 1 (unigram), 2 (BPE), 3 (word) or 4 (char)"},
      {unk() + bytes(3, bytes(2, "\xFF\xFF\xFF\x7Fx")),
       "byte 20: precompiled_charsmap: found a table of 2147483647 bytes, wanted less than the 1 "
       "that are there"},
  };
  for (const auto& [model, message] : cases) EXPECT_EQ(wrong(model), "f.model: " + message);
}

TEST(SpmFile, UnknownFieldsAreSkipped) {
  std::string groups;
  for (int i = 0; i < 100; ++i) groups += varint(7 << 3 | 3);
  std::string ends;
  for (int i = 0; i < 100; ++i) ends += varint(7 << 3 | 4);
  const std::string odd = number(2, 5) + bytes(200, "x") + single(77, 1) +
                          (varint(78 << 3 | 1) + "12345678") + groups + ends;
  const std::string model =
      odd + unk() + bytes(1, odd + bytes(1, "a") + odd) + bytes(2, number(35, 0) + bytes(99, "y"));
  const text::SpmFile file = text::read_spm(model, "f");
  ASSERT_EQ(file.pieces.size(), 2u);
  EXPECT_EQ(file.pieces[1].text, "a");
  EXPECT_EQ(file.pieces[1].score, 0);
  EXPECT_EQ(wrong(varint(7 << 3 | 3) + groups + ends),
            "f.model: byte 100: found groups more than 100 deep");
}

TEST(SpmFile, FiftyMegabytesOfUnknownFields) {
  std::string nested(50'000'000, 'x');
  for (int i = 0; i < 5; ++i) nested = bytes(300, nested);
  EXPECT_EQ(text::read_spm(unk() + nested, "f").pieces.size(), 1u);
}

TEST(SpmFile, AnEmptyCharsmapIsNone) {
  const text::SpmFile file = text::read_spm(unk() + bytes(3, bytes(2, "")), "f");
  EXPECT_FALSE(file.normalizing.charsmap);
}

TEST(SpmFile, MessagesThatComeTwiceAreJoined) {
  const std::string model = unk() + bytes(2, number(3, 4)) + bytes(2, bytes(44, "?")) +
                            bytes(3, number(3, 0)) + bytes(3, number(4, 0));
  const text::SpmFile file = text::read_spm(model, "f");
  EXPECT_EQ(file.type, text::SpmType::character);
  EXPECT_EQ(file.unk_surface, "?");
  EXPECT_FALSE(file.normalizing.add_dummy_prefix);
  EXPECT_FALSE(file.normalizing.remove_extra_whitespaces);
  EXPECT_TRUE(file.normalizing.escape_whitespaces);
}

TEST(SpmFile, ZeroBytesArePiecesAndText) {
  const std::string zero(1, '\0');
  for (const int type : {1, 2, 3, 4}) {
    const std::string model = unk() + piece(zero, -1) + piece("a" + zero, -2) + piece("a", -3) +
                              bytes(2, number(3, static_cast<uint64_t>(type))) +
                              bytes(3, number(3, 0));
    const Tokenizer tokenizer(text::spm_parts(text::read_spm(model, "f")));
    const std::string text = "a" + zero + zero;
    EXPECT_EQ(tokenizer.encode_ids(text), type == 4   ? (std::vector<int>{3, 1, 1})
                                          : type == 3 ? std::vector<int>{0}
                                                      : (std::vector<int>{2, 1}));
  }
}

TEST(SpmFile, EveryPrefixAndEveryBitOfAModel) {
  const std::string model = read_file(golden("spm/unigram-raw.model"));
  const auto try_one = [](const std::string& bytes) {
    try {
      const Tokenizer tokenizer(text::spm_parts(text::read_spm(bytes, "f")));
      tokenizer.decode(tokenizer.encode_ids("한국 the king\n 뷁"));
    } catch (const FormatError&) {
    }
  };
  for (size_t size = 0; size < model.size(); size += 3) try_one(model.substr(0, size));
  for (size_t bit = 0; bit < model.size() * 8; bit += 17) {
    std::string changed = model;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << bit % 8));
    try_one(changed);
  }
}

TEST(SpmFile, IsFoundByNameByContentAndInADirectory) {
  const std::string folder = folder_for_test();
  const std::string model = unk() + piece("\u2581", -1) + piece("a", -1);
  for (const char* name : {"a.model", "a.spm", "a", "tokenizer.model"}) {
    const std::string path = join_path(folder, name);
    write_file(path, model);
    EXPECT_EQ(Tokenizer::load(path).encode_ids("a"), (std::vector<int>{1, 2})) << name;
    EXPECT_EQ(Tokenizer::load(path).spm(), model);
  }
  EXPECT_EQ(Tokenizer::load(folder).encode_ids("a"), (std::vector<int>{1, 2}));
  EXPECT_FALSE(text::looks_like_spm("\n{\n}"));
  EXPECT_FALSE(text::looks_like_spm("{}"));
  EXPECT_FALSE(text::looks_like_spm("\n \n"));
  EXPECT_TRUE(text::looks_like_spm(model));
}

TEST(SpmFile, RolesAreControlPiecesOfThatName) {
  const std::string model = unk() + piece("<s>", 0, 3) + piece("</s>", 0, 1) + piece("[P]", 0, 3) +
                            bytes(2, bytes(48, "[P]") + bytes(46, ""));
  const Tokenizer tokenizer(text::spm_parts(text::read_spm(model, "f")));
  EXPECT_EQ(tokenizer.role_id("unk_token"), 0);
  EXPECT_EQ(tokenizer.role_id("bos_token"), 1);
  EXPECT_FALSE(tokenizer.role_id("eos_token"));  // there it is text
  EXPECT_EQ(tokenizer.role_id("pad_token"), 3);
  EXPECT_TRUE(tokenizer.is_special(1));
  EXPECT_FALSE(tokenizer.is_special(2));
  EXPECT_EQ(tokenizer.decode(std::vector{1, 2, 3}), "</s>");
  EXPECT_EQ(tokenizer.decode(std::vector{1, 2, 3}, false), "<s></s>[P]");
}

}  // namespace
}  // namespace jogak
