// GPT-2 against goldens that PyTorch and transformers wrote (tests/goldens/make.py).
#include "models/gpt2.h"

#include <gtest/gtest.h>

#include <cstring>

#include "autograd/autograd.h"
#include "io/model_files.h"
#include "ops/cross_entropy.h"
#include "ops/reshape.h"
#include "ops/slice.h"
#include "tests/models/golden.h"
#include "tests/support/guarded_device.h"

namespace jogak {
namespace {

using test::expect_golden;
using test::golden_dir;
using test::GoldenWatch;

struct Golden {
  ModelFiles files;
  SafetensorsFile golden;
  ParamStore store;
  Gpt2 model;
  explicit Golden(const std::string& name)
      : files(golden_dir(name)),
        golden(golden_dir(name) + "/golden.safetensors"),
        store(ParamStore::from_files(files, kGpt2Names)),
        model(Params(store), config(name)) {
    store.finish();
  }
  static Gpt2Config config(const std::string& name) {
    const std::string file = golden_dir(name) + "/config.json";
    return read_gpt2_config(read_json_file(file), file);
  }
};

// transformers shifts inside: logits at t answer for labels at t + 1.
Tensor shifted_loss(const Tensor& logits, const Tensor& labels) {
  const int64_t T = labels.dim(1);
  return cross_entropy(slice(logits, 1, 0, T - 1), dense(slice(labels, 1, 1, T)));
}

class Gpt2Goldens : public testing::TestWithParam<const char*> {};

TEST_P(Gpt2Goldens, LogitsLossGradientsAndWhatHappensInside) {
  Golden g(GetParam());
  jogak::Run run;
  GoldenWatch watch(g.golden);
  run.probe = &watch;
  const Tensor ids = g.golden.get("input_ids");
  const Tensor logits = g.model(ids, run);
  EXPECT_EQ(watch.seen, 2 * g.model.config.layers + 1);
  expect_golden(logits, g.golden.get("logits"), "logits");
  const Tensor loss = shifted_loss(logits, g.golden.get("labels"));
  expect_golden(loss, g.golden.get("loss"), "loss");
  test::expect_golden_gradients(g.store, gradients(loss, g.store.trained()), g.golden);
}

INSTANTIATE_TEST_SUITE_P(All, Gpt2Goldens,
                         testing::Values("gpt2-a", "gpt2-b", "gpt2-c", "gpt2-d", "gpt2-e",
                                         "gpt2-f"));

TEST(Gpt2, WhatWasReadIsWrittenBackByteForByte) {
  Golden g("gpt2-a");
  const std::string path = testing::TempDir() + "/gpt2-a-again.safetensors";
  save_safetensors(path, to_file(g.store), {{"format", "pt"}});
  EXPECT_EQ(read_file(path), read_file(golden_dir("gpt2-a") + "/model.safetensors"));
}

TEST(Gpt2, ALongerInputThanThePositionsIsRefused) {
  Golden g("gpt2-e");
  jogak::Run run;
  EXPECT_THROW(g.model(zeros({1, 20}, DType::i64), run), ShapeError);
}

TEST(Gpt2, AStopRequestIsSeenAtALayer) {
  Golden g("gpt2-a");
  const std::atomic<bool> stop{true};
  jogak::Run run;
  run.stop = &stop;
  EXPECT_THROW(g.model(zeros({1, 3}, DType::i64), run), Stopped);
}

// A whole training pass hands kernels to the device and never looks or waits.
TEST(Gpt2, ATrainingPassTouchesNoDeviceMemoryFromTheHost) {
  test::GuardedDevice device;
  {
    const Gpt2Config config{
        .vocab = 31, .context = 12, .width = 16, .layers = 2, .heads = 4, .inner = 64};
    std::vector<std::vector<Tensor>> results;
    const std::vector<int64_t> tokens = {1, 5, 30, 2, 2, 7, 9, 11, 0, 3};
    for (Device* place : {&cpu_device(), static_cast<Device*>(&device)}) {
      ParamStore store = ParamStore::fresh(3, DType::f32, *place);
      const Gpt2 model(Params(store), config);
      const Tensor ids = from_values(tokens, {2, 5}, *place);
      device.synchronize();
      const int64_t before = device.synchronizations();
      jogak::Run run;
      run.training = true;  // with dropout
      const Tensor loss = cross_entropy(model(ids, run), ids);
      results.push_back(gradients(loss, store.trained()));
      results.back().push_back(loss);
      EXPECT_EQ(device.synchronizations(), before);
    }
    for (size_t i = 0; i < results[0].size(); ++i)
      ASSERT_EQ(to_host<float>(results[0][i]), to_host<float>(results[1][i])) << "tensor " << i;
  }
}

// With a cache, in one pass or token by token, beside others or alone: the same bits.
TEST(Gpt2, TheCacheGivesTheBitsOfTheWholePass) {
  Golden g("gpt2-a");
  const NoGrad quiet;
  const std::vector<int64_t> ids = to_host<int64_t>(g.golden.get("input_ids"));
  const std::vector<int64_t> first(ids.begin(), ids.begin() + 17);
  jogak::Run whole;
  const Tensor logits = g.model(from_values(first, {1, 17}), whole);
  KvCache cache(g.model.cache_shape());
  const int a = cache.add(), b = cache.add();
  jogak::Run run;
  run.cache = &cache;
  for (int64_t t = 0; t < 17; ++t) {  // b trails behind with other tokens
    CacheStep step = cache.begin({b, a}, {2, 1});
    run.cache_step = &step;
    const std::vector<int64_t> rows = {5, 6, first[t]};
    const Tensor got = g.model(from_values(rows, {1, 3}), run);
    const float* const wanted = logits.data<float>() + t * g.model.config.vocab;
    ASSERT_EQ(0, std::memcmp(got.data<float>() + 2 * g.model.config.vocab, wanted,
                             sizeof(float) * g.model.config.vocab))
        << "token " << t;
  }
  EXPECT_EQ(cache.length(a), 17);
  EXPECT_EQ(cache.length(b), 34);
}

}  // namespace
}  // namespace jogak
