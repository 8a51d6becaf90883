// Blocks whose inputs alone are kept: the same bits, in less memory.
#include <gtest/gtest.h>

#include <map>
#include <ostream>

#include "app/data/random_example.h"
#include "app/models/model.h"
#include "autograd/autograd.h"
#include "base/parallel.h"
#include "look/switches.h"
#include "train/memory.h"
#include "train/reducer.h"
#include "train/step.h"

namespace jogak {
namespace {

struct Setting {
  const char* name;
  const char* family;
  std::vector<Json::Member> config;  // on top of the preset tiny
  LoraConfig lora = {};
};

void PrintTo(const Setting& s, std::ostream* out) { *out << s.name; }

LoraConfig lora(std::vector<std::string> targets) {
  LoraConfig out;
  out.rank = 2, out.alpha = 4, out.targets = std::move(targets);
  return out;
}

// Every family with dropout wherever it has some; heads tied and apart; adapters.
std::vector<Setting> settings() {
  const Json::Member words{"vocab_size", 61};
  return {
      {"gpt2", "gpt2", {words}},
      {"gpt2_untied", "gpt2", {words, {"tie_word_embeddings", false}}},
      {"gpt2_lora", "gpt2", {words}, lora({"c_attn", "mlp.c_proj"})},
      {"llama", "llama", {words, {"attention_dropout", 0.2}}},
      {"llama_tied", "llama", {words, {"tie_word_embeddings", true}, {"hidden_act", "gelu"}}},
      {"llama_lora", "llama", {words, {"attention_dropout", 0.2}}, lora({"q_proj", "v_proj"})},
      {"falcon", "falcon", {words, {"attention_dropout", 0.2}, {"hidden_dropout", 0.1}}},
      {"falcon_alibi",
       "falcon",
       {words, {"alibi", true}, {"parallel_attn", false}, {"hidden_dropout", 0.1}}},
      {"falcon_groups",
       "falcon",
       {words, {"new_decoder_architecture", true}, {"num_kv_heads", 1}, {"hidden_dropout", 0.1}}},
      {"falcon_lora", "falcon", {words, {"hidden_dropout", 0.1}}, lora({"query_key_value"})},
      {"marian",
       "seq2seq",
       {words, {"dropout", 0.1}, {"attention_dropout", 0.1}, {"activation_dropout", 0.1}}},
      {"marian_layerdrop",
       "seq2seq",
       {words,
        {"encoder_layers", 4},
        {"decoder_layers", 4},
        {"encoder_layerdrop", 0.4},
        {"decoder_layerdrop", 0.4}}},
      {"marian_apart", "seq2seq", {words, {"tie_word_embeddings", false}}},
      {"marian_lora", "seq2seq", {words}, lora({"q_proj", "v_proj"})},
      {"bert", "bert", {words}},
      {"bert_untied", "bert", {words, {"tie_word_embeddings", false}}},
      {"bert_lora", "bert", {words}, lora({"query", "value"})},
      {"vit", "vit", {{"hidden_dropout_prob", 0.1}, {"attention_probs_dropout_prob", 0.1}}},
      {"patchtst", "patchtst", {{"num_input_channels", 3}, {"attention_dropout", 0.1}}},
      {"patchtst_series",
       "patchtst",
       {{"num_input_channels", 3}, {"channel_attention", true}, {"pre_norm", true}}},
  };
}

constexpr int64_t kExamples = 4, kLength = 9;

Tensor some_rows(const Tensor& x, int64_t first, int64_t count) {
  Shape shape = x.shape();
  shape[0] = count;
  return x.view(shape, x.strides(), x.offset() + first * x.strides()[0]);
}

struct Trained {
  explicit Trained(const Setting& s, Device& device = cpu_device())
      : model(new_model(preset_config(family_named(s.family), "tiny", s.config), 7,
                        {.device = &device, .lora = s.lora})) {}

  // The picks are neighbours: example i is row i.
  LossSum loss(std::span<const Pick> picks, Run& run) const {
    const int64_t first = picks.front().index, count = static_cast<int64_t>(picks.size());
    if (model.encodes()) {
      const EncoderExample all = random_example(model.encoder, kExamples, kLength);
      EncoderInput input;
      input.values = some_rows(all.input.values, first, count);
      if (model.vocab > 0) input.mask = some_rows(mask(), first, count);
      const Tensor targets = some_rows(all.targets, first, count);
      return {model.encoder.loss(model.encoder.predict(input, run), targets,
                                 {.reduction = Reduction::sum}),
              targets.count()};
    }
    const Tensor ids = some_rows(tokens(), first, count);
    if (!model.translates()) return {model.loss_sum(ids, ids, 0, run), ids.count()};
    const Source source{ids, some_rows(mask(), first, count)};
    return {model.seq2seq.loss_sum(source, ids, ids, 0.1, run), ids.count()};
  }
  Tensor tokens() const {
    return from_values(random_tokens(kExamples * kLength, model.vocab), {kExamples, kLength},
                       device());
  }
  static Tensor mask() {  // the last example is short
    std::vector<uint8_t> real(kExamples * kLength, 1);
    std::fill(real.end() - 4, real.end(), 0);
    return cast(from_values(real, {kExamples, kLength}), DType::boolean);
  }
  Device& device() const { return model.store->all().front().value.device(); }

  TrainTask task() const {
    TrainTask out;
    out.examples = kExamples;
    out.prepare = [this](std::span<const Pick> picks) {
      return [this, own = std::vector<Pick>(picks.begin(), picks.end())](Run& run) {
        return loss(own, run);
      };
    };
    return out;
  }

  std::vector<StepResult> steps(int count, int64_t accumulate, Run& run) {
    Optimizer optimizer(*model.store, {});
    SoloReducer reducer;
    TrainStep step(*model.store, optimizer, reducer);
    std::vector<StepResult> out;
    for (int i = 0; i < count; ++i) {
      run.begin_step(static_cast<uint64_t>(i + 1));
      out.push_back(step(task(), {picks(), accumulate, 0.01, 1.0}, run));
    }
    return out;
  }
  static std::span<const Pick> picks() {
    static const std::vector<Pick> all = {{0, 0}, {1, 0}, {2, 0}, {3, 0}};
    return all;
  }

  std::map<std::string, std::vector<double>> values() const {  // weights and buffers
    std::map<std::string, std::vector<double>> out;
    for (const Param& p : model.store->all())
      out[p.name] = to_host<double>(cast(p.value.detach(), DType::f64));
    return out;
  }

  Model model;
};

Run training(bool recompute) {
  Run run;
  run.training = true, run.seed = 11, run.recompute = recompute;
  return run;
}

class Recomputed : public testing::TestWithParam<Setting> {};

TEST_P(Recomputed, LossAndGradientsHaveTheSameBits) {
  std::vector<std::vector<std::vector<float>>> results;
  std::map<std::string, std::vector<double>> buffers[2];
  for (const bool recompute : {false, true}) {
    const Trained t(GetParam());
    jogak::Run run = training(recompute);
    run.begin_step(3);
    const LossSum loss = t.loss(Trained::picks(), run);
    const uint64_t streams = run.next_stream();
    results.emplace_back();
    results.back().push_back(to_host<float>(loss.sum));
    for (const Tensor& grad : gradients(loss.sum, t.model.store->trained()))
      results.back().push_back(to_host<float>(grad));
    EXPECT_EQ(run.next_stream(), streams + 1) << "the second pass drew from the run's own streams";
    buffers[recompute] = t.values();
  }
  ASSERT_EQ(results[0].size(), results[1].size());
  for (size_t i = 0; i < results[0].size(); ++i) EXPECT_EQ(results[0][i], results[1][i]) << i;
  EXPECT_EQ(buffers[0], buffers[1]);
}

TEST_P(Recomputed, StepsOfMicroBatchesEndInTheSameWeights) {
  Trained kept(GetParam()), again(GetParam());
  jogak::Run one = training(false), two = training(true);
  const auto a = kept.steps(3, 2, one), b = again.steps(3, 2, two);
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_TRUE(a[i].updated()) << a[i].bad;
    EXPECT_EQ(a[i].loss_sum, b[i].loss_sum) << "step " << i;
    EXPECT_EQ(a[i].grad_norm, b[i].grad_norm) << "step " << i;
  }
  EXPECT_EQ(kept.values(), again.values());
}

// How much the tape holds when the loss is there.
size_t held_by_tape(const Setting& s, bool recompute) {
  const Trained t(s);
  jogak::Run run = training(recompute);
  const size_t before = cpu_device().allocator().stats().live_bytes;
  const LossSum loss = t.loss(Trained::picks(), run);
  return cpu_device().allocator().stats().live_bytes - before;
}

TEST_P(Recomputed, TheTapeHoldsLess) {
  EXPECT_LT(held_by_tape(GetParam(), true), held_by_tape(GetParam(), false) * 3 / 4);
}

INSTANTIATE_TEST_SUITE_P(Families, Recomputed, testing::ValuesIn(settings()),
                         [](const auto& setting) { return std::string(setting.param.name); });

class Counting : public Probe {
 public:
  explicit Counting(bool may_repeat = false) : repeatable_(may_repeat) {}
  bool repeatable() const override { return repeatable_; }
  Tensor pass(const ProbeStep& step, const Tensor&, const Tensor& out) override {
    ++seen[step.name()];
    return out;
  }
  std::map<std::string, int> seen;

 private:
  bool repeatable_;
};

TEST(RecomputedWithProbe, EverythingIsSeenOnce) {
  const Trained t(settings()[0]);
  Counting probe;
  jogak::Run run = training(true);
  run.probe = &probe;
  gradients(t.loss(Trained::picks(), run).sum, t.model.store->trained());
  EXPECT_GT(probe.seen.size(), 20u);
  for (const auto& [name, times] : probe.seen) EXPECT_EQ(times, 1) << name;
}

TEST(RecomputedWithProbe, OneThatMayRepeatStandsInBothPasses) {
  const Trained t(settings()[0]);
  Counting probe(true);
  jogak::Run run = training(true);
  run.probe = &probe;
  gradients(t.loss(Trained::picks(), run).sum, t.model.store->trained());
  EXPECT_EQ(probe.seen.at("h.0.attn.c_attn"), 2);
  EXPECT_EQ(probe.seen.at("h.0"), 1);  // outside the block
}

TEST(RecomputedWithProbe, PartsThatAreOffAreOffInBothPasses) {
  std::map<std::string, std::vector<double>> ends[2];
  for (const bool recompute : {false, true}) {
    Trained t(settings()[0]);
    Ablation off(parse_switches("mask,ffn:1"));
    jogak::Run run = training(recompute);
    run.probe = &off;
    t.steps(2, 1, run);
    off.check_used();
    ends[recompute] = t.values();
  }
  EXPECT_EQ(ends[0], ends[1]);
}

// The counting device tells what the caching allocator will hold, within 5 %: the rest is scratch
// memory of kernels, a megabyte for each thread, so that so small a model is measured with one.
TEST(RecomputedMemory, IsPredicted) {
  const int threads = thread_count();
  set_thread_count(1);
  const Setting wide{"gpt2",
                     "gpt2",
                     {{"vocab_size", 64},
                      {"n_layer", 6},
                      {"n_embd", 128},
                      {"n_positions", 256},
                      {"n_inner", 512}}};
  const std::vector<int64_t> tokens = random_tokens(4 * 256, 64);
  const auto two_steps = [&](Device& device, bool recompute) {
    Trained t(wide, device);
    const Tensor ids = from_values(tokens, {4, 256}, device);
    TrainTask task;
    task.examples = 4;
    task.prepare = [&](std::span<const Pick>) {
      return [&](jogak::Run& run) {
        return LossSum{t.model.loss_sum(ids, ids, 0, run), ids.count()};
      };
    };
    Optimizer optimizer(*t.model.store, {});
    SoloReducer reducer;
    TrainStep step(*t.model.store, optimizer, reducer);
    jogak::Run run = training(recompute);
    for (int i = 0; i < 2; ++i) step(task, {Trained::picks(), 1, 0.01, 1.0}, run);
  };
  double measured[2] = {};
  for (const bool recompute : {false, true}) {
    size_t predicted = 0;
    predict_peak([&](CountingDevice& device) {
      two_steps(device, recompute);
      predicted = device.allocator().stats().peak_bytes;
    });
    CachingAllocator& real = cpu_device().allocator();
    const size_t before = real.stats().live_bytes;
    real.reset_peak();
    two_steps(cpu_device(), recompute);
    measured[recompute] = static_cast<double>(real.stats().peak_bytes - before);
    printf("  recompute %d: predicted %.2f MB, measured %.2f MB\n", recompute,
           static_cast<double>(predicted) / 1e6, measured[recompute] / 1e6);
    EXPECT_NEAR(static_cast<double>(predicted) / measured[recompute], 1, 0.05);
  }
  EXPECT_LT(measured[1], 0.6 * measured[0]);
  set_thread_count(threads);
}

}  // namespace
}  // namespace jogak
