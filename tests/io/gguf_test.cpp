// GGUF files: every type as PyPI gguf reads it; whatever is wrong is one line that names its byte.
#include "io/gguf.h"

#include <cstring>

#include "base/random.h"
#include "io/safetensors.h"
#include "tests/support/expect.h"
#include "tests/support/places.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

std::string gguf_golden(const std::string& name) {
  return source_path("tests/goldens/gguf/" + name);
}

TEST(Gguf, EveryTypeHasItsValues) {
  const GgufFile file(gguf_golden("types.gguf"));
  const SafetensorsFile wanted(gguf_golden("types.safetensors"));
  EXPECT_EQ(file.tensors().size(), 7U);
  for (const auto& [name, info] : file.tensors()) {
    EXPECT_EQ(name, info.type->name);
    EXPECT_EQ(info.shape, (Shape{3, 512})) << name;
    EXPECT_EQ(to_host<float>(file.read(name)), to_host<float>(wanted.get(name))) << name;
  }
}

// Bytes of a file, put together piece by piece.
struct Bytes {
  std::string text;
  template <class T>
  Bytes& number(T value) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    text.append(raw, sizeof(T));
    return *this;
  }
  Bytes& word(const std::string& value) {
    number<uint64_t>(value.size());
    text += value;
    return *this;
  }
};

Bytes start(uint64_t tensors, uint64_t values, uint32_t version = 3) {
  Bytes out{"GGUF"};
  return out.number(version).number(tensors).number(values);
}

// One tensor "x" of two axes.
Bytes one_tensor(uint64_t row, uint64_t rows, uint32_t type, uint64_t at = 0) {
  Bytes out = start(1, 0).word("x").number<uint32_t>(2).number(row).number(rows);
  return out.number(type).number(at);
}

std::string refusal(const std::string& bytes) {
  const TempDir dir;
  const std::string path = dir / "x.gguf";
  write_file(path, bytes);
  const std::string message = error_of<FormatError>([&] { GgufFile file(path); });
  EXPECT_EQ(message.find('\n'), std::string::npos);
  EXPECT_TRUE(message.starts_with(path + ": byte ")) << message;
  return message.substr(path.size() + 2);
}

TEST(GgufRefused, HeadsThatAreNotWhole) {
  EXPECT_EQ(refusal("GG"), "byte 0: found other bytes, wanted a GGUF file");
  EXPECT_NE(refusal("PK\x03\x04 and so on").find("a zip archive"), std::string::npos);
  EXPECT_EQ(refusal(start(0, 0, 1).text), "byte 4: found version 1, wanted 2 or 3");
  EXPECT_EQ(refusal(start(1'000'001, 0).text),
            "byte 8: found 1000001 tensors, wanted at most 1000000");
  EXPECT_EQ(refusal(start(0, 1 << 17).text), "byte 16: found 131072 values, wanted at most 65536");
  EXPECT_EQ(refusal(start(1, 0).text), "byte 24: found the end of the file, wanted 8 more bytes");
}

TEST(GgufRefused, ValuesThatAreNotThere) {
  const auto with = [](uint32_t kind) { return start(0, 1).word("k").number(kind); };
  EXPECT_EQ(refusal(start(0, 1).number(UINT64_MAX).text),
            "byte 24: a key: found a length of 18446744073709551615, wanted at most 65536");
  EXPECT_EQ(refusal(start(0, 1).word("\xff").text),
            "byte 32: a key: found a byte that is not UTF-8");
  EXPECT_EQ(refusal(with(13).text), "byte 37: found a value of type 13, wanted 0 to 12");
  EXPECT_EQ(refusal(with(7).number<uint8_t>(2).text),
            "byte 37: found 2 for true or false, wanted 0 or 1");
  EXPECT_EQ(refusal(with(10).number(UINT64_MAX).text),
            "byte 37: found 18446744073709551615, wanted at most 9223372036854775807");
  EXPECT_EQ(
      refusal(with(9).number<uint32_t>(0).number(uint64_t{1} << 62).text),
      "byte 41: found a list of 4611686018427387904 items, wanted at most the 0 bytes that are "
      "left");
  EXPECT_EQ(refusal(with(9).number<uint32_t>(9).number<uint64_t>(1).number<uint32_t>(0).text),
            "byte 49: found a value of type 9, wanted 0 to 12, and no list within a list");
  EXPECT_EQ(refusal(start(0, 2)
                        .word("k")
                        .number<uint32_t>(0)
                        .number<uint8_t>(1)
                        .word("k")
                        .number<uint32_t>(0)
                        .number<uint8_t>(1)
                        .text),
            "byte 38: found the key \"k\" twice");
}

TEST(GgufRefused, TensorsThatDoNotFit) {
  EXPECT_EQ(refusal(start(1, 0).word("x").number<uint32_t>(5).text),
            "byte 33: tensor \"x\": found 5 axes, wanted at most 4");
  EXPECT_EQ(refusal(one_tensor(uint64_t{1} << 32, uint64_t{1} << 32, 0).text),
            "byte 45: tensor \"x\": found a size of 4294967296, which is too large");
  // Nothing times too much is nothing in the file's order, and too much in the reverse.
  const uint64_t much = uint64_t{1} << 40;
  EXPECT_EQ(refusal(start(1, 0)
                        .word("x")
                        .number<uint32_t>(3)
                        .number(uint64_t{0})
                        .number(much)
                        .number(much)
                        .number<uint32_t>(0)
                        .number(uint64_t{0})
                        .text),
            "byte 53: tensor \"x\": found a size of 1099511627776, which is too large");
  EXPECT_EQ(
      refusal(one_tensor(32, 1, 13).text),
      "byte 53: tensor \"x\": found type Q5_K, wanted one of F32, F16, Q4_0, Q8_0, Q4_K, Q6_K, "
      "BF16");
  EXPECT_EQ(refusal(one_tensor(48, 1, 8).text),
            "byte 53: tensor \"x\": found rows of 48 in Q8_0, wanted a multiple of 32");
  EXPECT_EQ(refusal(one_tensor(32, 1, 0).text),
            "byte 96: tensor \"x\": found 128 bytes at 0, wanted them within the file of 65, at a "
            "multiple of 32");
  EXPECT_EQ(refusal(one_tensor(1, 1, 0, UINT64_MAX - 31).text.append(200, 'x')),
            "byte 96: tensor \"x\": found 4 bytes at 18446744073709551584, wanted them within the "
            "file of 265, at a multiple of 32");
}

TEST(GgufRefused, NoCutOrTurnedByteDoesHarm) {
  const std::string whole = read_file(gguf_golden("gpt2.gguf"));
  const auto opens = [](const std::string& bytes) {
    try {
      read_gguf_header(bytes, "x.gguf");
      return true;
    } catch (const FormatError& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
      return false;
    }
  };
  EXPECT_TRUE(opens(whole));
  for (size_t size = 0; size < whole.size(); size += size < 12'000 ? 7 : 997)
    EXPECT_FALSE(opens(whole.substr(0, size))) << size;
  Rng rng(3);
  for (int i = 0; i < 2000; ++i) {
    std::string damaged = whole;
    damaged[rng.below(12'000)] ^= static_cast<char>(1 + rng.below(255));
    opens(damaged);
  }
}

}  // namespace
}  // namespace jogak
