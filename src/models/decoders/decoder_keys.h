// What records of decoders share: the sizes people ask for by name, and the outline. C is a
// family's configuration.
#pragma once

#include <vector>

#include "models/family.h"

namespace jogak {

// tiny, small and base; size(layers, heads, width, context) says it in the family's keys.
inline std::vector<Family::Preset> decoder_presets(std::vector<Json::Member> (*size)(int, int, int,
                                                                                     int)) {
  return {{"tiny", size(2, 2, 64, 128)},
          {"small", size(4, 4, 128, 256)},
          {"base", size(12, 12, 768, 1024)}};
}

// Of one whose heads have keys and values of their own, with norms before its sub-layers and at the
// end; what a family does otherwise it says itself.
template <class C>
ModelOutline decoder_outline(const C& c, int64_t inner) {
  return {.wiring = ModelOutline::Wiring::decoder,
          .block = ModelOutline::Block::pre,
          .decoder = {c.layers, c.heads, c.heads, inner},
          .width = c.width,
          .head_width = c.head_width(),
          .vocab = c.vocab,
          .context = c.context,
          .outputs = c.vocab,
          .final_norm = true,
          .positions = "learned",
          .activation = activation_title(c.activation)};
}

}  // namespace jogak
