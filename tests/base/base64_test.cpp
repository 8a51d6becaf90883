#include "base/hash/base64.h"

#include "base/error.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

TEST(Base64, ExamplesOfTheStandardBothWays) {
  const std::pair<const char*, const char*> known[] = {{"", ""},
                                                       {"f", "Zg=="},
                                                       {"fo", "Zm8="},
                                                       {"foo", "Zm9v"},
                                                       {"foob", "Zm9vYg=="},
                                                       {"fooba", "Zm9vYmE="},
                                                       {"foobar", "Zm9vYmFy"}};
  for (const auto& [plain, letters] : known) {
    EXPECT_EQ(encode_base64(plain), letters);
    EXPECT_EQ(decode_base64(letters, "x"), plain);
  }
}

TEST(Base64, EveryByteComesBack) {
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  for (size_t cut = 0; cut < 4; ++cut)
    EXPECT_EQ(decode_base64(encode_base64(all.substr(cut)), "x"), all.substr(cut));
}

TEST(Base64, OtherTextIsRefused) {
  expect_error<FormatError>([] { decode_base64("Zm9", "x"); },
                            "x: found base64 of 3 characters, wanted a multiple of 4");
  expect_error<FormatError>(
      [] { decode_base64("Zm 9", "x"); },
      "x: character 2: found one that is not base64, wanted A-Z, a-z, 0-9, + or /");
}

}  // namespace
}  // namespace jogak
