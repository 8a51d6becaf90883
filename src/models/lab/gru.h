// The recurrent encoder-decoder that attention was invented for. Gated recurrent units read the
// source token by token; the decoder goes on from their last state and, with attention, may look
// back at each of them. As many parameters as the Transformer of the same configuration, so that
// the two can be compared.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/lab/lab.h"

namespace jogak {

// A layer of gated recurrent units, as PyTorch's GRU:
//   r = sigmoid(W_r x + U_r h), z = sigmoid(W_z x + U_z h),
//   n = tanh(W_n x + r * (U_n h)), h' = n + z * (h - n)
struct GruLayer {
  Linear input, state;  // [3 H, in] and [3 H, H]: rows of r, z and n
  int64_t width;
  GruLayer(Params p, int64_t in, int64_t hidden);
  Tensor step(const Tensor& from_input, const Tensor& h) const;  // [B, 3 H], [B, H] -> [B, H]
  // Token by token from state h [B, H]; a padded token leaves the state as it was.
  Tensor operator()(const Tensor& x, Tensor h, const Tensor& mask) const;  // -> [B, T, H]
};

// score(q, k) = v . tanh(W q + U k), as Bahdanau, Cho and Bengio have it.
struct AdditiveAttention {
  Linear query, key, score;
  AdditiveAttention(Params p, int64_t width);
  Tensor operator()(const Tensor& q, const Tensor& memory, const Tensor& mask, LayerRun run) const;
};

struct Gru {
  LabConfig config;
  Embedding source, target;
  std::vector<GruLayer> encoder, decoder;
  std::optional<AdditiveAttention> attention;
  Linear out;  // the state, and what was looked at beside it -> [B, T, C]
  Weight lm_head;
  Gru(Params p, const LabConfig& c);

  Tensor encode(const Source& in, Run& run) const;  // [B, S] -> [B, S, layers H]
  Tensor hidden(const Tensor& ids, const Tensor& memory, const Tensor& mask, Run& run) const;
  Tensor logits(const Tensor& hidden) const;

 private:
  Tensor finish(const Tensor& states, const Tensor& seen) const;
  Tensor cached(const Tensor& ids, Run& run) const;  // over the states that run.cache holds
};

Seq2SeqModel gru_model(std::shared_ptr<const Gru> net);

// How wide the states are, so that there are as many parameters as in the Transformer.
int64_t gru_width_for(const LabConfig& c);

}  // namespace jogak
