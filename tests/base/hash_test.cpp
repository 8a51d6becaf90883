#include "base/hash/hash.h"

#include "base/file.h"
#include "base/hash/crc32c.h"
#include "base/random.h"
#include "tests/support/expect.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

TEST(Sha256, ExamplesOfTheStandard) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_hex(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PiecesMakeTheSameHash) {
  std::string text;
  Rng rng(1);
  for (int i = 0; i < 300; ++i) text += static_cast<char>(rng.next_u32());
  for (size_t size = 0; size <= text.size(); ++size) {  // every place of the padding
    Sha256 hash;
    for (size_t at = 0; at < size;) {
      const size_t step = std::min<size_t>(size - at, 1 + rng.below(90));
      hash.update(std::string_view(text).substr(at, step));
      hash.hex();  // asking on the way changes nothing
      at += step;
    }
    ASSERT_EQ(hash.hex(), sha256_hex(std::string_view(text).substr(0, size))) << size;
  }
}

TEST(Sha256, PlainLoopAndInstructionsAgree) {
  if (!detail::has_sha_instructions()) GTEST_SKIP() << "this CPU has no SHA instructions";
  Rng rng(3);
  std::vector<uint8_t> bytes(64 * 20);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(rng.next_u32());
  for (size_t blocks = 0; blocks <= 20; ++blocks) {
    Sha256State plain{}, fast{};
    for (size_t i = 0; i < 8; ++i) plain[i] = fast[i] = rng.next_u32();
    detail::mix_blocks_plain(plain, bytes.data(), blocks);
    detail::mix_blocks_fast(fast, bytes.data(), blocks);
    ASSERT_EQ(plain, fast) << blocks;
  }
}

TEST(Sha256, OfAFile) {
  const TempDir dir;
  const std::string bytes(3000001, 'k');
  write_file(dir / "f", bytes);
  EXPECT_EQ(sha256_file(dir / "f"), sha256_hex(bytes));
  expect_error<MissingError>([&] { sha256_file(dir / "no"); }, dir / "no: no such file");
}

TEST(Crc32c, ExamplesOfRfc3720) {
  std::string up, down;
  for (int i = 0; i < 32; ++i) up += static_cast<char>(i), down += static_cast<char>(31 - i);
  EXPECT_EQ(crc32c(""), 0u);
  EXPECT_EQ(crc32c("123456789"), 0xE3069283u);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAu);
  EXPECT_EQ(crc32c(std::string(32, '\xFF')), 0x62A8AB43u);
  EXPECT_EQ(crc32c(up), 0x46DD794Eu);
  EXPECT_EQ(crc32c(down), 0x113FDB5Cu);
}

TEST(Crc32c, TableAndInstructionAgreeAtEverySizeAndCut) {
  std::string text;
  Rng rng(2);
  for (int i = 0; i < 100; ++i) text += static_cast<char>(rng.next_u32());
  for (size_t size = 0; size <= text.size(); ++size) {
    const std::string_view part = std::string_view(text).substr(0, size);
    ASSERT_EQ(crc32c(part), detail::crc32c_by_table(part, 0));
    for (size_t cut = 0; cut <= size; ++cut)
      ASSERT_EQ(crc32c(part.substr(cut), crc32c(part.substr(0, cut))), crc32c(part));
  }
}

TEST(Crc32c, MaskIsTheRotatedCrcPlusAConstant) {
  // How every TensorBoard file begins: the length 24 in eight bytes, then a3 7f 4b 22.
  const std::string length("\x18\0\0\0\0\0\0\0", 8);
  const uint32_t crc = crc32c(length);
  EXPECT_EQ(masked_crc32c(length), ((crc >> 15) | (crc << 17)) + 0xA282EAD8u);
  EXPECT_EQ(masked_crc32c(length), 0x224B7FA3u);
}

}  // namespace
}  // namespace jogak
