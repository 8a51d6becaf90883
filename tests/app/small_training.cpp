#include "tests/app/small_training.h"

#include <algorithm>

#include "app/data/random_example.h"
#include "group/group.h"
#include "ops/mul.h"
#include "tests/support/families.h"

namespace jogak::test {
namespace {

LoraConfig lora(std::vector<std::string> targets) {
  LoraConfig out;
  out.rank = 2, out.alpha = 4, out.targets = std::move(targets);
  return out;
}

// Dropout wherever a family's configuration knows some.
std::vector<Json::Member> with_dropout(const Family& family, std::vector<Json::Member> more = {}) {
  std::vector<Json::Member> out;
  for (const std::string& key : family.keys) {
    if (key.find("drop") != std::string::npos) out.emplace_back(key, 0.1);
    if (key == "vocab_size") out.emplace_back(key, 61);
    if (key == "num_input_channels") out.emplace_back(key, 3);
  }
  for (auto& one : more) out.push_back(std::move(one));
  return out;
}

constexpr int64_t kExamples = 4, kLength = 9;

Tensor some_rows(const Tensor& x, int64_t first, int64_t count) {
  Shape shape = x.shape();
  shape[0] = count;
  return x.view(shape, x.strides(), x.offset() + first * x.strides()[0]);
}

Tensor mask() {  // the last example is short
  std::vector<uint8_t> real(kExamples * kLength, 1);
  std::fill(real.end() - 4, real.end(), 0);
  return cast(from_values(real, {kExamples, kLength}), DType::boolean);
}

}  // namespace

std::vector<Setting> training_settings() {
  std::vector<Setting> out;
  for (const Family& family : families()) {
    const std::string type = family.model_type;
    out.push_back({type, family.name, with_dropout(family)});
    if (std::count(family.keys.begin(), family.keys.end(), "tie_word_embeddings"))
      for (const bool tied : {false, true})
        out.push_back({type + (tied ? "_tied" : "_untied"), family.name,
                       with_dropout(family, {{"tie_word_embeddings", tied}})});
    if (!family.lora_targets.empty())
      out.push_back({type + "_lora", family.name, with_dropout(family), lora(family.lora_targets)});
  }
  const Json::Member words{"vocab_size", 61}, series{"num_input_channels", 3};
  const Setting more[] = {
      {"gpt2_lora_everywhere", "gpt2", {words}, lora({"c_attn", "mlp.c_proj"})},
      {"llama_gelu", "llama", {words, {"hidden_act", "gelu"}}},
      {"falcon_alibi",
       "falcon",
       {words, {"alibi", true}, {"parallel_attn", false}, {"hidden_dropout", 0.1}}},
      {"falcon_groups",
       "falcon",
       {words, {"new_decoder_architecture", true}, {"num_kv_heads", 1}, {"hidden_dropout", 0.1}}},
      {"marian_layerdrop",
       "seq2seq",
       {words,
        {"encoder_layers", 4},
        {"decoder_layers", 4},
        {"encoder_layerdrop", 0.4},
        {"decoder_layerdrop", 0.4}}},
      {"patchtst_series", "patchtst", {series, {"channel_attention", true}, {"pre_norm", true}}},
  };
  out.insert(out.end(), std::begin(more), std::end(more));
  return out;
}

Trained::Trained(const Setting& s, Device& device, WeightUse use)
    : model(new_model(preset_config(family_named(s.family), "tiny", s.config), 7,
                      {.device = &device, .lora = s.lora, .use = use})) {}

SmallBatch Trained::batch(std::span<const Pick> picks) const {
  const int64_t first = picks.front().index, count = static_cast<int64_t>(picks.size());
  const auto rows = [&](const Tensor& x) { return some_rows(x, first, count); };
  if (model.matches()) {
    const EncoderExample all = random_example(model.encoder, kExamples, kLength);
    const Tensor ids = from_values(random_tokens(kExamples * kLength, model.match.vocab),
                                   {kExamples, kLength}, model.store->device());
    return {rows(all.input.values), rows(mask()), rows(ids)};
  }
  if (model.encodes()) {
    const EncoderExample all = random_example(model.encoder, kExamples, kLength);
    return {rows(all.input.values), model.vocab > 0 ? rows(mask()) : Tensor(), rows(all.targets)};
  }
  const Tensor ids = rows(from_values(random_tokens(kExamples * kLength, model.vocab),
                                      {kExamples, kLength}, model.store->device()));
  return {ids, model.translates() ? rows(mask()) : Tensor(), ids};
}

LossSum Trained::loss(const SmallBatch& b, Run& run) const {
  if (model.matches()) {
    const MatchModel& match = model.match;
    const Tensor texts = match.text(b.targets, b.mask, run);
    const Tensor mean = match.loss(match.scores(match.image(b.values, run), texts));
    return {mean * static_cast<double>(counted(b)), counted(b)};
  }
  if (model.encodes())
    return {model.encoder.loss(model.encoder.predict({.values = b.values, .mask = b.mask}, run),
                               b.targets, {.reduction = Reduction::sum}),
            counted(b)};
  if (!model.translates()) return {model.loss_sum(b.values, b.targets, 0, run), counted(b)};
  return {model.seq2seq.loss_sum({b.values, b.mask}, b.values, b.targets, 0.1, run), counted(b)};
}

TrainTask Trained::task() const {
  TrainTask out;
  out.examples = kExamples;
  out.prepare =
      [this, make = prepare_with([this](std::span<const Pick> picks) { return batch(picks); },
                                 [this](const SmallBatch& b, Run& run) { return loss(b, run); })](
          std::span<const Pick> picks) {
        BatchLoss one = make(picks);
        one.steady = steady && !model.matches();  // it looks for a text's end on the host
        return one;
      };
  return out;
}

std::vector<StepResult> Trained::steps(int count, int64_t accumulate, Run& run) {
  Optimizer optimizer(*model.store, {});
  SoloGroup group;
  TrainStep step(*model.store, optimizer, group);
  std::vector<StepResult> out;
  for (int i = 0; i < count; ++i) {
    run.begin_step(static_cast<uint64_t>(i + 1));
    out.push_back(step(task(), {picks(), accumulate, 0.01, 1.0}, run));
  }
  return out;
}

std::span<const Pick> Trained::picks() {
  static const std::vector<Pick> all = {{0, 0}, {1, 0}, {2, 0}, {3, 0}};
  return all;
}

std::map<std::string, std::vector<double>> Trained::values() const {
  std::map<std::string, std::vector<double>> out;
  for (const Param& p : model.store->all())
    out[p.name] = to_host<double>(cast(p.value.detach(), DType::f64));
  return out;
}

Run training(bool recompute) {
  Run run;
  run.training = true, run.seed = 11, run.recompute = recompute;
  return run;
}

}  // namespace jogak::test
