// What the tests of every causal decoder ask, whatever its family.
#pragma once

#include <cstring>
#include <set>

#include "autograd/autograd.h"
#include "io/model_files.h"
#include "nn/cache.h"
#include "ops/cross_entropy.h"
#include "ops/mul.h"
#include "ops/slice.h"
#include "tests/models/golden.h"
#include "tests/support/guarded_device.h"

namespace jogak::test {

// transformers shifts inside: logits at t answer for labels at t + 1.
inline Tensor shifted_loss(const Tensor& logits, const Tensor& labels) {
  const int64_t T = labels.dim(1);
  return cross_entropy(slice(logits, 1, 0, T - 1), dense(slice(labels, 1, 1, T)));
}

// Token by token, beside another sequence: the bits of the whole pass.
template <class Model>
void expect_same_bits_from_the_cache(const Model& model, const std::vector<int64_t>& ids,
                                     const std::string& name) {
  const NoGrad quiet;
  const auto T = static_cast<int64_t>(ids.size()), V = model.config.vocab;
  Run whole;
  const Tensor logits = model(from_values(ids, {1, T}), whole);
  KvCache cache(model.cache_shape());
  const int a = cache.add(), b = cache.add();
  Run run;
  run.cache = &cache;
  for (int64_t t = 0; t < T; ++t) {  // b runs ahead with other tokens
    CacheStep step = cache.begin({b, a}, {2, 1});
    run.cache_step = &step;
    const std::vector<int64_t> rows = {5, 6, ids[static_cast<size_t>(t)]};
    const Tensor got = model(from_values(rows, {1, 3}), run);
    ASSERT_EQ(0,
              std::memcmp(got.template data<float>() + 2 * V, logits.template data<float>() + t * V,
                          sizeof(float) * static_cast<size_t>(V)))
        << name << ", token " << t;
  }
}

template <class Model, class Config, Config (*read_config)(const Json&, const std::string&)>
struct DecoderGolden : ModelGolden<Model, Config, read_config> {
  using Base = ModelGolden<Model, Config, read_config>;
  using Base::files, Base::golden, Base::model, Base::store;
  std::string name;
  NameMap names;

  DecoderGolden(const std::string& which, const NameMap& map, WeightUse use = WeightUse::trained)
      : Base(which, map, use), name(which), names(map) {}

  void expect_forward(bool with_gradients = true) {
    Run run;
    GoldenWatch watch(golden);
    const bool inside = golden.has("hidden_states.0");  // a long text's is left out
    if (inside) run.probe = &watch;
    const Tensor logits = model(golden.get("input_ids"), run);
    EXPECT_EQ(watch.seen, inside ? 2 * model.config.layers + 1 : 0);
    expect_golden(logits, golden.get("logits"), "logits");
    const Tensor loss = shifted_loss(logits, golden.get("labels"));
    expect_golden(loss, golden.get("loss"), "loss");
    if (!with_gradients) return;
    expect_golden_gradients(store, gradients(loss, store.trained()), golden);
  }

  // Where a token is padding its logits say nothing, and the golden has 0.
  void expect_padded() {
    Run run;
    const Tensor real = golden.get("padded.attention_mask");
    run.key_mask = cast(real, DType::boolean);
    const Tensor logits = model(golden.get("padded.input_ids"), run);
    const Shape one{real.dim(0), real.dim(1), 1};
    const Tensor counted =
        mul(logits.detach(), cast(real, DType::f32).view(one, row_major(one), 0));
    expect_golden(counted, golden.get("padded.logits"), "padded.logits");
    const Tensor loss = shifted_loss(logits, golden.get("padded.labels"));
    expect_golden(loss, golden.get("padded.loss"), "padded.loss");
    expect_golden(gradients(loss, store.trained())[0], golden.get("padded.embedding_grad"),
                  "padded.embedding_grad");
  }

  // Every tensor of the file with the same bytes, but for those that say nothing.
  void expect_written_back() {
    std::set<std::string> written;
    for (const Param& p : store.all())
      for (const auto& [tensor, value] : store.in_file_layout(p, p.value)) {
        const Tensor wanted = files.get(tensor);
        ASSERT_EQ(text_of(value.shape()), text_of(wanted.shape())) << tensor;
        EXPECT_EQ(0, std::memcmp(value.raw(), wanted.raw(), wanted.bytes())) << tensor;
        written.insert(tensor);
      }
    for (const std::string& tensor : files.names())
      if (!written.contains(tensor)) {
        EXPECT_TRUE(names.is_ignored(tensor)) << tensor;
      }
  }

  void expect_same_bits_from_the_cache() const {
    const Tensor ids = golden.get("input_ids");
    std::vector<int64_t> row = to_host<int64_t>(ids);
    row.resize(static_cast<size_t>(ids.dim(1)));
    test::expect_same_bits_from_the_cache(model, row, name);
  }
};

// Relative to each frequency: the fast pairs of a long text must be right, too.
inline void expect_frequencies(const std::vector<float>& got, const Tensor& wanted) {
  const auto w = to_host<float>(wanted);
  ASSERT_EQ(got.size(), w.size());
  for (size_t i = 0; i < w.size(); ++i) EXPECT_NEAR(got[i], w[i], 3e-7 * w[i]) << "pair " << i;
}

// A whole training pass hands kernels to the device and never looks or waits.
template <class Model, class Config>
void expect_untouched_by_the_host(const Config& config) {
  GuardedDevice device;
  std::vector<std::vector<Tensor>> results;
  const std::vector<int64_t> tokens = {1, 5, 30, 2, 2, 7, 9, 11, 0, 3};
  for (Device* place : {&cpu_device(), static_cast<Device*>(&device)}) {
    ParamStore store = ParamStore::fresh(3, DType::f32, *place);
    const Model model(Params(store), config);
    const Tensor ids = from_values(tokens, {2, 5}, *place);
    device.synchronize();
    const int64_t before = device.synchronizations();
    Run run;
    run.training = true;
    const Tensor loss = cross_entropy(model(ids, run), ids);
    results.push_back(gradients(loss, store.trained()));
    results.back().push_back(loss);
    EXPECT_EQ(device.synchronizations(), before);
  }
  for (size_t i = 0; i < results[0].size(); ++i)
    ASSERT_EQ(to_host<float>(results[0][i]), to_host<float>(results[1][i])) << "tensor " << i;
  results.clear();
}

}  // namespace jogak::test
