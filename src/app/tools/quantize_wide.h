// Sensitive layers: those whose outputs suffer most from 4 bits, tried in 8.
#pragma once

#include <string>
#include <vector>

#include "app/tools/data_rounding.h"

namespace jogak {

struct WideChoice {
  std::vector<std::string> names;  // in the file
  double least = 0, median = 0;    // output errors: the smallest of these, and of all layers
  QuantizeMatrices matrices;       // the plan with these in 8 bits
};

// Layers whose outputs are off by half more than the median, the worst first, as long as the file
// grows by no more than a tenth. Layers that are one matrix when opened go together.
WideChoice sensitive_layers(const Model& model, const QuantizeMatrices& matrices,
                            const RoundedFiles& rounded);

// Whether answers that come closer by this much are worth so many bytes: in a model that goes from
// 4 to 8 bits as a whole nearly all of the distance goes for twice the size, so a layer is
// sensitive when the distance falls by twice the share that the size grows by.
bool wide_pays(double narrow, double wide, int64_t narrow_bytes, int64_t wide_bytes);

}  // namespace jogak
