// Odd words and surroundings: one line each.
#include <algorithm>

#include "base/file.h"
#include "tests/cli/process.h"
#include "tests/support/expect.h"
#include "tests/support/places.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

TEST(Environment, WordsThatAreNotUtf8) {
  const Result got = jogak({"info", "a\xff\xfe"});
  EXPECT_EQ(got.code, 2);
  EXPECT_EQ(got.err.find("jogak: word 2 of the command, "), 0u) << got.err;
  EXPECT_EQ(std::count(got.err.begin(), got.err.end(), '\n'), 1) << got.err;
}

TEST(Environment, AnInstructionSetThatNobodyKnows) {
  const Result got = jogak({"--version"}, {.environment = {{"JOGAK_MAX_ISA", "avx22"}}});
  EXPECT_EQ(got.code, 2);
  EXPECT_EQ(got.err,
            "jogak: JOGAK_MAX_ISA: found \"avx22\", wanted baseline, avx2, avx2-vnni, avx512 or "
            "avx512-bf16 (did you mean \"avx2\"?)\n");
  EXPECT_EQ(jogak({"--version"}, {.environment = {{"JOGAK_MAX_ISA", "avx2"}}}).code, 0);
}

TEST(Environment, MoreThreadsThanProcessors) {
  const TempDir dir;
  const Arguments words = {"forward", source_path("tests/goldens/gpt2-a"), "--example",
                           dir / "in.safetensors"};
  for (const auto& [arguments, threads] :
       {std::pair<Arguments, std::string>{{"--threads", "1000"}, ""},
        std::pair<Arguments, std::string>{{}, "100000"}}) {
    Arguments all = words;
    all.insert(all.end(), arguments.begin(), arguments.end());
    const Result got =
        jogak(all, threads.empty() ? Call{} : Call{.environment = {{"OMP_NUM_THREADS", threads}}});
    EXPECT_EQ(got.code, 0) << got.err;
    EXPECT_NE(got.err.find("more than there are do not help; "), std::string::npos) << got.err;
    EXPECT_EQ(std::count(got.err.begin(), got.err.end(), '\n'), 1) << got.err;
    std::remove((dir / "in.safetensors").c_str());
  }
}

TEST(Environment, ThreadsThatAreNoNumberAreOneLine) {
  for (const char* odd : {"abc", "0", "-1", "2x", "1.5", "99999999999999999999"}) {
    const Result got = jogak({"--version"}, {.environment = {{"OMP_NUM_THREADS", odd}}});
    EXPECT_EQ(got.code, 2) << odd;
    EXPECT_EQ(got.err, text_of("jogak: OMP_NUM_THREADS: found \"", odd,
                               "\", wanted a whole number from 1 to 1024\n"));
  }
  for (const char* good : {"1", "2,1", ""}) {
    const Result got = jogak({"--version"}, {.environment = {{"OMP_NUM_THREADS", good}}});
    EXPECT_EQ(got.code, 0) << good;
    EXPECT_EQ(got.err, "");
  }
}

TEST(Environment, NamesThatSteerATerminalAreShown) {
  const Result got = jogak({"info", "no\x1b[31m\nsuch"});
  EXPECT_EQ(got.code, 66);
  EXPECT_NE(got.err.find("no\\x1b[31m\\nsuch"), std::string::npos) << got.err;
  EXPECT_EQ(std::count(got.err.begin(), got.err.end(), '\n'), 1);
  const Result endless = jogak({"info", std::string(100'000, 'a')});
  EXPECT_LE(endless.err.size(), 2000u);
  EXPECT_NE(endless.err.find(" bytes in all)"), std::string::npos);
}

}  // namespace
}  // namespace jogak
