// Run by scripts/check-linear.sh, which says how long texts may take: not part of the quick tests,
// but for what is said of the stack.
#include <pthread.h>

#include <cstring>
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
  const char* const chosen = std::getenv("JOGAK_LINEAR_KINDS");  // ",a,letters,"
  for (const auto& [name, make] : kinds) {
    if (chosen && !std::strstr(chosen, ("," + name + ",").c_str())) continue;
    seconds_to_encode(tokenizer, make(half / 4));
    double best = 1e9, once = 0, twice = 0;
    for (int round = 0; round < 6 && best > 2.2; ++round) {
      once = seconds_to_encode(tokenizer, make(half));
      twice = seconds_to_encode(tokenizer, make(2 * half));
      best = std::min(best, twice / once);
    }
    std::printf("%-8s %6.2f MB/s  ratio %.2f\n", name.c_str(),
                static_cast<double>(2 * half) / 1e6 / twice, best);
    EXPECT_LE(best, 2.2) << name;
  }
}

TEST(Linear, AMillionAddedTokens) {
  if (!std::getenv("JOGAK_LINEAR_ADDED")) GTEST_SKIP() << "run by scripts/check-linear.sh";
  std::string json = R"({"added_tokens":[)";
  for (int i = 0; i < 1'000'000; ++i)
    json += text_of(i > 0 ? "," : "", R"({"id":)", i + 1, R"(,"content":"<extra_)", i,
                    R"(>","special":)", i % 2 == 0 ? "true}" : "false}");
  json += R"(],"model":{"type":"BPE","vocab":{"a":0},"merges":[]}})";
  std::clock_t start = std::clock();
  const Tokenizer tokenizer = Tokenizer::from_json(json, "t.json");
  const double load = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  std::string text;
  for (int i = 0; text.size() < 16 << 20; i = (i + 7919) % 1'000'000)
    text += text_of("a<extra_", i, ">");
  start = std::clock();
  const std::vector<int> ids = tokenizer.encode_ids(text);
  const double encode = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  EXPECT_EQ(ids[3], 7919 + 1);
  std::printf("a million added tokens: %zu bytes load in %.2f s, 16 MiB encode in %.2f s\n",
              json.size(), load, encode);
  EXPECT_LT(load, 10);
  EXPECT_LT(encode, 10);
}

// Runs `work` on a thread with a small stack; running over it ends the process.
void with_small_stack(const std::function<void()>& work) {
#ifdef __SANITIZE_ADDRESS__
  constexpr size_t kStack = 1 << 20;  // its guards between variables make frames larger
#else
  constexpr size_t kStack = 256 << 10;
#endif
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, kStack), 0);
  pthread_t thread{};
  const auto run = [](void* call) -> void* {
    (*static_cast<const std::function<void()>*>(call))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, const_cast<std::function<void()>*>(&work)),
            0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

void encode_long_texts(const Tokenizer& tokenizer) {
  for (const std::string& text :
       {repeated("a", 10000), repeated("가", 10000), repeated(" ", 10000) + "x",
        repeated("(", 10000), repeated("e\u0301\u0316", 10000), random_letters(10000, 'a', 26),
        random_letters(10000, 0x4E00, 0x2000)})
    tokenizer.decode(tokenizer.encode_ids(text));
}

TEST(SmallStack, EveryFamilyAndModelLoadsAndEncodes) {
  with_small_stack([] {
    const Json families = read_json_file(golden("families.json"));
    for (const Json& one : families.find("families")->items())
      encode_long_texts(Tokenizer::from_json(one.find("tokenizer")->dump(), "golden"));
    for (const std::string& name : list_directory(golden("spm")))
      encode_long_texts(Tokenizer::load(golden("spm/" + name)));
  });
}

TEST(SmallStack, DeepPatternsAndDeepFiles) {
  with_small_stack([] {
    std::string pattern = "a";
    for (int i = 0; i < 60; ++i) pattern = "(?:" + pattern + "|(?=b)c)*";
    std::string steps =
        R"({"type":"Split","pattern":{"Regex":")" + pattern + R"("},"behavior":"Isolated"})";
    for (int i = 0; i < 20; ++i) steps = R"({"type":"Sequence","pretokenizers":[)" + steps + "]}";
    encode_long_texts(Tokenizer::from_json(R"({"pre_tokenizer":)" + steps + R"(,"model":{"type":)" +
                                               R"("WordLevel","unk_token":"a","vocab":{"a":0}}})",
                                           "deep.json"));
    error_of<FormatError>([&] { Tokenizer::from_json(std::string(1 << 20, '['), "t.json"); });
    error_of<FormatError>([&] { Tokenizer::from_json(repeated("{\"a\":", 1 << 20), "t.json"); });
  });
}

}  // namespace
}  // namespace jogak
