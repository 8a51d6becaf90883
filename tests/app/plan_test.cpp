// The planner against runs that others have published: two rows gave its two numbers, the others
// must follow from them.
#include "app/tools/plan.h"

#include <cmath>
#include <iostream>

#include "app/measure/bench.h"
#include "base/file.h"
#include "tests/support/expect.h"
#include "tests/support/temp_dir.h"

namespace jogak {
namespace {

struct Published {
  const char* name;
  int64_t width, layers, vocab, context;
  const char* gpu;
  PlanSplit split;
  int64_t sequences;
  double mfu;
};

// Megatron-LM's table gives sizes; widths and depths are those that have them, with 131,072 words.
const Published kMegatron[] = {
    {"1.7B", 2048, 24, 131072, 4096, "h100", {1, 1, 48}, 192, 41},
    {"7.1B", 4096, 30, 131072, 4096, "h100", {2, 1, 48}, 192, 47},
    {"16B", 6144, 32, 131072, 4096, "h100", {4, 1, 48}, 192, 49},
    {"32B", 8192, 37, 131072, 4096, "h100", {8, 1, 48}, 192, 46},
    {"70B", 8192, 84, 131072, 4096, "h100", {8, 2, 48}, 384, 42},
    {"119B", 12288, 64, 131072, 4096, "h100", {8, 4, 48}, 768, 43},
    {"177B", 12288, 96, 131072, 4096, "h100", {8, 6, 48}, 1152, 44},
    {"314B", 16384, 96, 131072, 4096, "h100", {8, 8, 48}, 1536, 48},
    {"462B", 18432, 112, 131072, 4096, "h100", {8, 16, 48}, 3072, 47},
};

double predicted(const Published& row) {
  PlanRequest r;
  r.model = {row.name, row.width, row.layers, row.vocab, row.context, 4 * row.width, row.width};
  r.gpu = plan_gpu(row.gpu);
  r.gpus = row.split.gpus();
  r.sequences = row.sequences;
  return 100 * predict_step(r, row.split).mfu;
}

TEST(Plan, NineRunsOfMegatronWithinTenPercent) {
  for (const Published& row : kMegatron) {
    const double got = predicted(row), error = 100 * (got / row.mfu - 1);
    std::cout << row.name << ": published " << row.mfu << " %, predicted " << got << " %, error "
              << error << " %\n";
    EXPECT_LT(std::abs(error), 10) << row.name;
  }
}

// What docs/scale.md says beside figures that nothing was fitted to.
TEST(Plan, WhatTheDocumentationSaysOfOtherRuns) {
  const std::pair<Published, double> said[] = {
      {{"1T", 25600, 128, 51200, 2048, "a100", {8, 64, 6}, 3072, 52}, 54.8},
      {{"MegaScale", 12288, 96, 64000, 2048, "a100", {8, 8, 192}, 6144, 55.2}, 48.5},
      {{"177B", 12288, 96, 131072, 4096, "h100", {8, 6, 2}, 1152, 47}, 51.7},
      {{"177B", 12288, 96, 131072, 4096, "h100", {8, 6, 96}, 1152, 42}, 41.0},
  };
  for (const auto& [row, mfu] : said) EXPECT_NEAR(predicted(row), mfu, 0.1) << row.name;
}

TEST(Plan, SizesOfTheTableAreThoseOfItsShapes) {
  const double billions[] = {1.7, 7.1, 16, 32, 70, 119, 177, 314, 462};
  for (size_t i = 0; i < std::size(kMegatron); ++i) {
    const Published& row = kMegatron[i];
    const PlanModel model{row.name,    row.width,     row.layers, row.vocab,
                          row.context, 4 * row.width, row.width};
    EXPECT_NEAR(model.parameters() / 1e9, billions[i], 0.03 * billions[i]) << row.name;
  }
}

TEST(Plan, TheFastestOfWhatFitsComesFirst) {
  PlanRequest r{plan_model("llama"), plan_gpu("h100"), 64, 256};
  const std::vector<PlanStep> all = plan_training(r);
  ASSERT_GT(all.size(), 3u);
  for (size_t i = 1; i < all.size(); ++i) EXPECT_LE(all[i - 1].seconds, all[i].seconds);
  for (const PlanStep& step : all) {
    EXPECT_EQ(step.split.gpus(), 64);
    EXPECT_LE(step.memory, r.gpu.memory);
    EXPECT_GT(step.mfu, 0.05);
    EXPECT_LT(step.mfu, 0.7);
  }
}

TEST(Plan, AMachineThatWasMeasuredHasItsOwnNumbers) {
  const TempDir dir;
  const auto with = [&](const std::string& more, int64_t processes) {
    write_file(dir / "machine.json",
               R"({"name": "two cores", "tflops": 0.1, "memory_gb": 8, "memory_gb_s": 20,
                   "link_gb_s": 1, "network_gb_s": 1)" +
                   more + "}");
    PlanRequest r{plan_model("gpt2"), plan_gpu(dir / "machine.json"), processes, 8};
    return predict_step(r, {.tensor = 1, .pipeline = 1, .data = processes});
  };
  const double plain = with("", 1).seconds;
  EXPECT_LT(with(R"(, "products": 0.9)", 1).seconds, plain);
  EXPECT_GT(with(R"(, "number_bytes": 4)", 1).seconds, plain);
  EXPECT_LT(with(R"(, "small_side": 0)", 1).seconds, plain);
  EXPECT_LT(with(R"(, "moved": 10)", 1).seconds, plain);
  EXPECT_EQ(with(R"(, "latency_us": 1000000)", 1).seconds, plain);
  EXPECT_GT(with(R"(, "latency_us": 1000000000)", 2).seconds, 1000);
  EXPECT_LT(with(R"(, "gemm": [[1024, 768, 768, 0.95]])", 1).seconds, plain);
  EXPECT_GT(with(R"(, "number_bytes": 4)", 1).memory, with("", 1).memory - 1e6);
  // Four on two cores take turns.
  EXPECT_NEAR(with(R"(, "at_once": 2)", 4).seconds / with("", 4).seconds, 2, 0.1);
  EXPECT_EQ(with(R"(, "at_once": 2)", 2).seconds, with("", 2).seconds);
  error_of<FormatError>([&] { with(R"(, "moved": -1)", 1); });
}

// A table of products takes the place of the two numbers; `jogak bench machine --shapes` writes it.
TEST(Plan, ProductsThatWereMeasuredAreTakenAsTheyAre) {
  PlanGpu gpu = plan_gpu("a100");
  EXPECT_NEAR(gpu.share_of(4096, 4096, 4096), 0.70 * std::pow(4096.0 / (4096 + 128), 3), 1e-12);
  gpu.gemm = {{256, 768, 768, 0.8}, {256, 768, 3072, 0.4}, {256, 50257, 768, 0.9}};
  EXPECT_EQ(gpu.share_of(256, 768, 768), 0.8);
  EXPECT_EQ(gpu.share_of(256, 50257, 768), 0.9);
  // Half way between the first two, and the third is far.
  EXPECT_NEAR(gpu.share_of(256, 768, 1536), std::sqrt(0.8 * 0.4), 0.01);
  EXPECT_NEAR(gpu.share_of(256, 768, 900), 0.8, 0.01);
  EXPECT_NEAR(gpu.share_of(256, 100000, 768), 0.9, 0.01);
  gpu.gemm = {{256, 768, 768, 0.5}};  // as if products had no other shape
  EXPECT_NEAR(gpu.share_of(4096, 12288, 12288), 0.5, 1e-12);
}

TEST(Plan, WhatTheMachineMeasuredIsReadAsItsTable) {
  const TempDir dir;
  MachineBench bench;
  bench.shapes = {{256, 3072, 768, 80, 60, 40, 100}, {256, 50257, 512, 45, 0, 0, 90}};
  Json machine = Json::object();
  for (const char* key : {"tflops", "memory_gb", "memory_gb_s", "link_gb_s", "network_gb_s"})
    machine.set(key, 1);
  machine.set("name", "this one").set("gemm", *to_json(bench).find("gemm"));
  write_file(dir / "machine.json", machine.dump());
  const PlanGpu gpu = plan_gpu(dir / "machine.json");
  EXPECT_EQ(gpu.gemm.size(), 4u);  // gradients that were not measured are none
  EXPECT_EQ(gpu.share_of(256, 3072, 768), 0.8);
  EXPECT_EQ(gpu.share_of(256, 768, 3072), 0.6);
  EXPECT_EQ(gpu.share_of(3072, 768, 256), 0.4);
  EXPECT_EQ(gpu.share_of(256, 50257, 512), 0.5);
}

// The three products of a layer, each by its own shape.
TEST(Plan, GradientsAreProductsOfOtherShapes) {
  PlanRequest r{{"one layer", 1024, 1, 16, 256, 4096, 1024}, plan_gpu("h100"), 1, 1};
  r.gpu.moved = 0, r.gpu.memory_speed = 1e18;  // products alone
  const auto seconds = [&](std::vector<PlanProduct> gemm) {
    r.gpu.gemm = std::move(gemm);
    return predict_step(r, {}).seconds;
  };
  const double even = seconds({{256, 4096, 1024, 0.5}});
  // Slow where 256 rows are summed over alone: the gradients of weights.
  const double slow = seconds({{256, 4096, 1024, 0.5},
                               {256, 1024, 4096, 0.5},
                               {256, 1024, 1024, 0.5},
                               {4096, 1024, 256, 0.25},
                               {1024, 4096, 256, 0.25},
                               {1024, 1024, 256, 0.25},
                               {3072, 1024, 256, 0.25},
                               {256, 3072, 1024, 0.5}});
  EXPECT_GT(slow, 1.2 * even);
  EXPECT_LT(slow, 1.4 * even);
}

TEST(Plan, ATableThatIsNoneIsRefused) {
  const TempDir dir;
  for (const std::string gemm : {"7", "[]", "[[1, 2, 3]]", "[[1, 2, 3, 0]]", "[[1, 2, 3, \"x\"]]",
                                 "[[1, 2, 3, 0.5], [1, -2, 3, 0.5]]"}) {
    write_file(dir / "machine.json",
               R"({"name": "x", "tflops": 1, "memory_gb": 8, "memory_gb_s": 20, "link_gb_s": 1,
                   "network_gb_s": 1, "gemm": )" +
                   gemm + "}");
    EXPECT_NE(error_of<FormatError>([&] { plan_gpu(dir / "machine.json"); }).find("gemm: found "),
              std::string::npos)
        << gemm;
  }
}

TEST(Plan, WhatCannotBeIsRefused) {
  PlanRequest r{plan_model("llama"), plan_gpu("h100"), 7, 256};
  EXPECT_EQ(error_of<UsageError>([&] { plan_training(r); }),
            "plan: 256 sequences and 32 layers cannot be divided among 7 GPUs");
  r.gpus = 1;
  error_of<UsageError>([&] { plan_training(r); });  // 7B and Adam in 80 GB
  error_of<MissingError>([] { plan_gpu("h900"); });
}

}  // namespace
}  // namespace jogak
