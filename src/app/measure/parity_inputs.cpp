#include <algorithm>

#include "app/data/random_example.h"
#include "app/measure/parity.h"
#include "ops/cross_entropy.h"

namespace jogak {
namespace {

constexpr int64_t kMostTokens = 12, kMostNumbers = 1'000'000;
constexpr int64_t kIgnoredLabel = -100;

// Few enough tokens that the logits stay readable.
int64_t tokens_for(int64_t vocab, int64_t context) {
  const int64_t fit = kMostNumbers / (2 * std::max<int64_t>(vocab, 1));
  return std::clamp<int64_t>(fit, 1, std::min(kMostTokens, context));
}

Tensor tokens(int64_t rows, int64_t count, int64_t vocab, uint64_t seed) {
  Rng rng(seed);
  std::vector<int64_t> ids(static_cast<size_t>(rows * count));
  for (int64_t& id : ids) id = static_cast<int64_t>(rng.below(static_cast<uint64_t>(vocab)));
  return from_values(ids, {rows, count});
}

// Of two texts the second is shorter by a third: padding stands at its left or right.
Tensor padding(int64_t count, bool left) {
  std::vector<int64_t> mask(static_cast<size_t>(2 * count), 1);
  for (int64_t i = 0; i < count / 3; ++i) mask[count + (left ? i : count - 1 - i)] = 0;
  return from_values(mask, {2, count});
}

// Labels where the mask is 1, less every fifth.
Tensor some_labels(const Tensor& ids, const Tensor& mask) {
  std::vector<int64_t> out = to_host<int64_t>(ids);
  const auto counts = to_host<int64_t>(mask);
  for (size_t i = 0; i < out.size(); ++i)
    if (counts[i] == 0 || i % 5 == 1) out[i] = kIgnoredLabel;
  return from_values(out, ids.shape());
}

NamedTensors causal_inputs(const Model& m) {
  const int64_t T = tokens_for(m.vocab, m.context);
  const Tensor ids = tokens(2, T, m.vocab, 1), mask = padding(T, true);
  return {{"input_ids", ids}, {"attention_mask", mask}, {"labels", some_labels(ids, mask)}};
}

NamedTensors seq2seq_inputs(const Model& m) {
  const int64_t T = tokens_for(m.vocab, m.context);
  const Tensor ids = tokens(2, T, m.vocab, 1), written = tokens(2, T, m.vocab, 2);
  const Tensor all = from_values(std::vector<int64_t>(static_cast<size_t>(2 * T), 1), {2, T});
  return {{"input_ids", ids},
          {"attention_mask", padding(T, false)},
          {"decoder_input_ids", written},
          {"labels", some_labels(tokens(2, T, m.vocab, 3), all)}};
}

NamedTensors text_inputs(const Model& m) {
  const int64_t T = tokens_for(m.encoder.task == EncoderTask::fill ? m.vocab : 1, m.context);
  const EncoderExample one = random_example(m.encoder, 2, T);
  const Tensor mask = padding(T, false);
  const Json* types = m.config.find("type_vocab_size");
  const int64_t kinds = types && types->is_integer() ? types->integer() : 2;
  NamedTensors out = {{"input_ids", one.input.values},
                      {"attention_mask", mask},
                      {"token_type_ids", tokens(2, T, std::max<int64_t>(kinds, 1), 4)}};
  if (m.encoder.task == EncoderTask::answer) {
    const int64_t ends = std::max<int64_t>(T / 2, 1) - 1;
    out.emplace_back("start_positions", from_values(std::vector<int64_t>{0, ends / 2}, {2}));
    out.emplace_back("end_positions", from_values(std::vector<int64_t>{ends, ends}, {2}));
  } else if (one.targets.defined()) {
    // Of replaced tokens transformers leaves out padding alone.
    const bool some = m.encoder.task != EncoderTask::detect &&
                      one.targets.shape() == mask.shape() && !is_float(one.targets.dtype());
    out.emplace_back("labels", some ? some_labels(one.targets, mask) : one.targets);
  }
  return out;
}

}  // namespace

NamedTensors parity_inputs(const Model& m) {
  if (m.translates()) return seq2seq_inputs(m);
  if (!m.encodes()) return causal_inputs(m);
  if (m.vocab > 0) return text_inputs(m);
  const EncoderExample one = random_example(m.encoder, 2, 0);
  const bool series = m.encoder.task == EncoderTask::forecast;
  NamedTensors out = {{series ? "past_values" : "pixel_values", one.input.values}};
  if (one.targets.defined()) out.emplace_back(series ? "future_values" : "labels", one.targets);
  return out;
}

}  // namespace jogak
