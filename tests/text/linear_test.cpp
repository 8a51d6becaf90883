// Run by scripts/check-linear.sh, which says how long texts may take: not part of the quick tests.
#include <ctime>
#include <functional>

#include "base/utf8.h"
#include "tests/text/helpers.h"

namespace jogak {
namespace {

double seconds_to_encode(const Tokenizer& tokenizer, const std::string& text) {
  const std::clock_t start = std::clock();  // of this process: others may use the machine
  EXPECT_FALSE(tokenizer.encode_ids(text).empty());
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

std::string repeated(std::string_view unit, size_t size) {
  std::string out;
  out.reserve(size + unit.size());
  while (out.size() < size) out += unit;
  return out;
}

std::string random_letters(size_t size, char32_t first, char32_t count) {
  std::string out;
  uint64_t state = 1;
  while (out.size() < size) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    utf8::append(out, first + static_cast<char32_t>((state >> 33) % count));
  }
  return out;
}

TEST(Linear, TwiceTheTextTakesTwiceTheTime) {
  const char* path = std::getenv("JOGAK_LINEAR_TOKENIZER");
  if (!path) GTEST_SKIP() << "run by scripts/check-linear.sh";
  const char* megabytes = std::getenv("JOGAK_LINEAR_MEGABYTES");
  const size_t half = (megabytes ? std::strtoul(megabytes, nullptr, 10) : 16) << 19;
  const Tokenizer tokenizer = Tokenizer::load(path);
  const std::vector<std::pair<std::string, std::function<std::string(size_t)>>> kinds = {
      {"a", [](size_t n) { return repeated("a", n); }},
      {"space", [](size_t n) { return repeated(" ", n) + "x"; }},
      {"newline", [](size_t n) { return repeated("\n", n) + "x"; }},
      {"ab", [](size_t n) { return repeated("ab", n); }},
      {"hangul", [](size_t n) { return repeated("가", n); }},
      {"cjk run", [](size_t n) { return random_letters(n, 0x4E00, 0x2000); }},
      {"emoji", [](size_t n) { return repeated("\U0001F642", n); }},
      {"letters", [](size_t n) { return random_letters(n, 'a', 26); }},
      {"words", [](size_t n) { return repeated("the king of 한국 sings ", n); }},
      {"marks", [](size_t n) { return repeated("e\u0301", n); }},
  };
  for (const auto& [name, make] : kinds) {
    seconds_to_encode(tokenizer, make(half / 4));
    double best = 1e9, once = 0, twice = 0;
    for (int round = 0; round < 3 && best > 2.2; ++round) {
      once = seconds_to_encode(tokenizer, make(half));
      twice = seconds_to_encode(tokenizer, make(2 * half));
      best = std::min(best, twice / once);
    }
    std::printf("%-8s %6.2f MB/s  ratio %.2f\n", name.c_str(),
                static_cast<double>(2 * half) / 1e6 / twice, best);
    EXPECT_LE(best, 2.2) << name;
  }
}

}  // namespace
}  // namespace jogak
