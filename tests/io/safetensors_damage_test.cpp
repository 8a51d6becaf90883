// Every truncation and every flipped bit of a small file: refused, or loaded within its bounds.
#include <cstring>

#include "io/safetensors.h"
#include "tests/io/bytes.h"
#include "tests/support/expect.h"

namespace jogak {
namespace {

std::string small_file(const std::string& path) {
  const Tensor x = randn({3, 4}, Rng(1));
  save_safetensors(path,
                   {{"weight", x},
                    {"bias", cast(x, DType::bf16)},
                    {"ids", arange(0, 5)},
                    {"mask", full({4}, 1, DType::boolean)},
                    {"none", zeros({0, 2})},
                    {"scale", scalar(2, DType::f64)}},
                   {{"format", "pt"}});
  return read_file(path);
}

struct Outcome {
  int refused = 0, loaded = 0;
};

// Reads every byte of every tensor through both ways in.
void try_file(const std::string& path, const std::string& bytes, Outcome& outcome) {
  test::write_plain(path, bytes);
  try {
    const SafetensorsFile file(path);
    uint64_t sum = 0;
    for (const std::string& name : file.names()) {
      const TensorInfo& info = file.info(name);
      ASSERT_LE(info.end, bytes.size());
      if (!info.type->dtype) continue;
      const Tensor borrowed = file.get(name), copied = file.read(name);
      ASSERT_EQ(borrowed.bytes(), info.bytes());
      ASSERT_EQ(std::memcmp(borrowed.raw(), copied.raw(), copied.bytes()), 0);
      for (const uint8_t byte : std::span(static_cast<const uint8_t*>(copied.raw()), info.bytes()))
        sum += byte;
    }
    ASSERT_LE(sum, 255 * bytes.size());
    ++outcome.loaded;
  } catch (const FormatError& error) {
    ASSERT_EQ(std::string(error.what()).find(path + ": byte "), 0u) << error.what();
    ++outcome.refused;
  }
}

TEST(SafetensorsDamage, EveryTruncationIsRefused) {
  const TempDir dir;
  const std::string good = small_file(dir / "good");
  Outcome outcome;
  for (size_t size = 0; size < good.size(); ++size)
    try_file(dir / "f", good.substr(0, size), outcome);
  EXPECT_EQ(outcome.refused, static_cast<int>(good.size()));
  try_file(dir / "f", good, outcome);
  EXPECT_EQ(outcome.loaded, 1);
}

TEST(SafetensorsDamage, EveryFlippedBitIsRefusedOrHarmless) {
  const TempDir dir;
  const std::string good = small_file(dir / "good");
  Outcome outcome;
  for (size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::string bytes = good;
    bytes[bit / 8] ^= static_cast<char>(1 << (bit % 8));
    try_file(dir / "f", bytes, outcome);
    if (HasFatalFailure()) FAIL() << "bit " << bit;
  }
  EXPECT_EQ(outcome.refused + outcome.loaded, static_cast<int>(good.size() * 8));
  EXPECT_GT(outcome.loaded, 100);  // flips in values are not for this reader to notice
  EXPECT_GT(outcome.refused, 1000);
  RecordProperty("bytes", static_cast<int>(good.size()));
  RecordProperty("refused", outcome.refused);
  RecordProperty("loaded", outcome.loaded);
}

TEST(SafetensorsDamage, RandomBytesInTheHeader) {
  const TempDir dir;
  const std::string good = small_file(dir / "good");
  Outcome outcome;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    Rng rng(seed);
    std::string bytes = good;
    for (uint64_t n = 1 + rng.below(6); n > 0; --n) {
      constexpr std::string_view kUseful = "{}[]\",:0123456789-.eE\\ aFIU\x80\xFF";
      bytes[8 + rng.below(400)] = kUseful[rng.below(kUseful.size())];
    }
    try_file(dir / "f", bytes, outcome);
    if (HasFatalFailure()) FAIL() << "seed " << seed;
  }
  EXPECT_GT(outcome.refused, 1000);
}

}  // namespace
}  // namespace jogak
