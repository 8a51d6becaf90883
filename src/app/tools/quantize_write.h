// Writing a quantised model: its weights one at a time, and what stands beside them.
#pragma once

#include "app/tools/data_rounding.h"
#include "app/tools/quantize_report.h"

namespace jogak {

// Tokenizers, preprocessing, the recipe, modules of embeddings: everything but weights and config.
void copy_beside_weights(const std::string& from, const std::string& to);

struct QuantizedWeights {
  const Model& model;
  const ModelFiles& files;
  const RoundedFiles* rounded = nullptr;  // null: all to nearest
  int values = 16;                        // bits of what meets them
};

// config.json and the weights of `matrices` into a directory; what became of each matrix.
std::vector<QuantizedLayer> write_quantized(const QuantizedWeights& weights,
                                            const QuantizeMatrices& matrices,
                                            const std::string& directory, Lang lang);

}  // namespace jogak
