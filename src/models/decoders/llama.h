// LLaMA: a causal decoder with rotary positions, RMS norms before each sub-layer, query heads that
// share key heads, and a gated feed-forward.
#pragma once

#include "models/decoders/rotary_decoder.h"

namespace jogak {

struct LlamaConfig : RotaryDecoderConfig {
  static const ConfigTable<LlamaConfig>& table();
};

using Llama = RotaryDecoderOf<LlamaConfig>;

}  // namespace jogak
