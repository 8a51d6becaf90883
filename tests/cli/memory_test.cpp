// What --dry-run says of memory, beside what the run takes; scripts/check-memory.py does the same
// for nine settings.
#include "base/file.h"
#include "base/json.h"
#include "tests/cli/process.h"
#include "tests/support/expect.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

class Memory : public testing::Test {
 protected:
  TempDir dir;

  static Json answer(const Result& got) {
    EXPECT_EQ(got.code, 0) << got.err;
    return parse_json(got.out.empty() ? "{}" : got.out, "stdout");
  }
  void within_five_percent(const std::string& model, const std::string& data,
                           const std::string& train) {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "sanitizers take memory of their own";
#endif
    write_file(dir / "r.toml", "[model]\npreset = \"tiny\"\n" + model + "[data]\n" + data +
                                   "[train]\nsteps = 3\neval_every = 2\ncheckpoint_every = 1\n" +
                                   train);
    const Arguments words = {"train", dir / "r.toml", "--out", dir / "run", "--json"};
    Arguments dry = words;
    dry.push_back("--dry-run");
    const double predicted = answer(jogak(dry)).find("predicted_peak_mb")->number();
    const double measured = answer(jogak(words)).find("peak_rss_mb")->number();
    printf("  predicted %.1f MB, measured %.1f MB\n", predicted, measured);
    EXPECT_NEAR(predicted / measured, 1, 0.05);
  }
};

TEST_F(Memory, OfALanguageModelThatIsAveraged) {
  within_five_percent("n_embd = 192\nn_layer = 4\nn_head = 4\nn_positions = 64\n",
                      "kind = \"lines\"\nmake = \"dates\"\ncount = 2000\nvalid_count = 50\n",
                      "batch = 64\naverage = 3\nkeep = 3\n");
}

TEST_F(Memory, OfAClassifier) {
  within_five_percent("family = \"bert\"\n",
                      "kind = \"labels\"\nmake = \"dates\"\ncount = 4000\nvalid_count = 100\n",
                      "batch = 64\n");
}

TEST_F(Memory, WhatDoesNotFitIsRefusedBeforeTheFirstStep) {
  write_file(dir / "r.toml",
             "[model]\nn_embd = 262144\nn_layer = 96\nn_head = 64\nn_positions = 64\n[data]\nkind "
             "= \"lines\"\nmake = "
             "\"dates\"\ncount = 100\nvalid_count = 10\n[train]\nsteps = 1\n");
  const Arguments words = {"train", dir / "r.toml", "--out", dir / "run"};
  const Result got = jogak(words);
  EXPECT_EQ(got.code, 74) << got.err;
  EXPECT_EQ(got.err.find("jogak: this run would take "), 0u) << got.err;
  for (const char* said : {"B of memory, ", " are free; --recompute takes ", "--force"})
    EXPECT_NE(got.err.find(said), std::string::npos) << said << got.err;
  EXPECT_FALSE(file_exists(dir / "run"));
  Arguments forced = words;
  forced.push_back("--force");
  const Result tried = jogak(forced);
  EXPECT_EQ(tried.code, 74) << tried.err;
  EXPECT_NE(tried.err.find("jogak: out of memory"), std::string::npos) << tried.err;
}

}  // namespace
}  // namespace jogak
