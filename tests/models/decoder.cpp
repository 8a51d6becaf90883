#include "tests/models/decoder.h"

#include <cstring>

#include "autograd/autograd.h"
#include "base/random.h"
#include "nn/cache.h"
#include "ops/cross_entropy.h"
#include "ops/slice.h"
#include "tests/support/guarded_device.h"

namespace jogak::test {
namespace {

Model built(const std::string& name, const ModelFiles& files, WeightUse use) {
  const Json config = config_json(name);
  const Family& family = family_of(config, "config.json");
  ParamStore store = ParamStore::from_files(files, family.names);
  store.open_for(use);
  return family.build(config, "config.json", std::move(store));
}

}  // namespace

DecoderGolden::DecoderGolden(const std::string& which, WeightUse use)
    : name(which),
      files(golden_dir(which)),
      golden(golden_dir(which) + "/golden.safetensors"),
      model(built(which, files, use)) {}

void DecoderGolden::expect_forward(bool with_gradients) const {
  Run run;
  GoldenWatch watch(golden);
  const bool inside = golden.has("hidden_states.0");  // a long text's is left out
  if (inside) run.probe = &watch;
  const Tensor got = logits(golden.get("input_ids"), run);
  EXPECT_EQ(watch.seen, inside ? 2 * model.layers + 1 : 0);
  expect_golden(got, golden.get("logits"), "logits");
  const Tensor loss = shifted_loss(got, golden.get("labels"));
  expect_golden(loss, golden.get("loss"), "loss");
  if (!with_gradients) return;
  expect_golden_gradients(store(), gradients(loss, store().trained()), golden);
}

void DecoderGolden::expect_same_bits_from_the_cache() const {
  const Tensor ids = golden.get("input_ids");
  std::vector<int64_t> row = to_host<int64_t>(ids);
  row.resize(static_cast<size_t>(ids.dim(1)));
  test::expect_same_bits_from_the_cache(model, row, name);
}

Model fresh_model(const std::string& family_name, const std::vector<Json::Member>& settings,
                  Device& device) {
  const Family& family = family_named(family_name);
  Json config = Json::object(family.presets.at(0).config);
  for (const auto& [key, value] : settings) config.set(key, value);
  return family.build(family.complete(config, "settings"), "settings",
                      ParamStore::fresh(3, DType::f32, device, family.names));
}

Tensor shifted_loss(const Tensor& logits, const Tensor& labels) {
  const int64_t T = labels.dim(1);
  return cross_entropy(slice(logits, 1, 0, T - 1), dense(slice(labels, 1, 1, T)));
}

void expect_same_bits_from_the_cache(const Model& model, const std::vector<int64_t>& ids,
                                     const std::string& name) {
  const NoGrad quiet;
  const auto T = static_cast<int64_t>(ids.size()), V = model.vocab;
  Run whole;
  const Tensor logits = model.causal.forward(from_values(ids, {1, T}), whole);
  KvCache cache(model.causal.cache);
  const int a = cache.add(), b = cache.add();
  Run run;
  run.cache = &cache;
  for (int64_t t = 0; t < T; ++t) {  // b runs ahead with other tokens, as far as it can
    const int64_t ahead = std::min<int64_t>(2, model.context - cache.length(b));
    CacheStep step = ahead > 0 ? cache.begin({b, a}, {ahead, 1}) : cache.begin({a}, {1});
    run.cache_step = &step;
    std::vector<int64_t> rows(static_cast<size_t>(ahead), 5);
    rows.push_back(ids[static_cast<size_t>(t)]);
    const Tensor got = model.causal.forward(from_values(rows, {1, ahead + 1}), run);
    ASSERT_EQ(0, std::memcmp(got.data<float>() + ahead * V, logits.data<float>() + t * V,
                             sizeof(float) * static_cast<size_t>(V)))
        << name << ", token " << t;
  }
}

void expect_untouched_by_the_host(const std::string& family,
                                  const std::vector<Json::Member>& settings) {
  GuardedDevice device;
  std::vector<std::vector<Tensor>> results;
  const std::vector<int64_t> tokens = {1, 5, 30, 2, 2, 7, 9, 11, 0, 3};
  for (Device* place : {&cpu_device(), static_cast<Device*>(&device)}) {
    const Model model = fresh_model(family, settings, *place);
    const Tensor ids = from_values(tokens, {2, 5}, *place);
    device.synchronize();
    const int64_t before = device.synchronizations();
    Run run;
    run.training = true;
    const Tensor loss = cross_entropy(model.causal.forward(ids, run), ids);
    results.push_back(gradients(loss, model.store->trained()));
    results.back().push_back(loss);
    EXPECT_EQ(device.synchronizations(), before);
  }
  for (size_t i = 0; i < results[0].size(); ++i)
    ASSERT_EQ(to_host<float>(results[0][i]), to_host<float>(results[1][i])) << "tensor " << i;
  results.clear();
}

}  // namespace jogak::test
