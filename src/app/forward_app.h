// `jogak forward`: the bare model on named tensors, without dropout.
#pragma once

#include <string>

namespace jogak {

struct ForwardRequest {
  std::string directory, input, output;
  bool attentions = false, hidden = false, grads = false;
  bool allow_nonfinite = false;
};

// Reads input_ids and, when there, attention_mask and labels; writes logits, loss, attentions.N,
// hidden_states.N and grads.<parameter>, named as in transformers.
void run_forward(const ForwardRequest& request);

}  // namespace jogak
