// Which tensors of a model's files become small integers, and what config.json says of them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/models/model.h"
#include "io/quantized_files.h"

namespace jogak {

struct QuantizeMatrix {
  QuantizedPlan plan;                  // under its name in the file
  bool transposed = false;             // the file has floats as [in, out]
  bool table = false;                  // a row for each word or place
  std::vector<std::string> also = {};  // heads that are tied to it
};
using QuantizeMatrices = std::map<std::string, QuantizeMatrix>;  // by name

// Every matrix of the model: tables, and what the groups do not divide, in 8 bits.
QuantizeMatrices quantize_matrices(const Model& model, const ModelFiles& files, int bits,
                                   int64_t group);

// config.json of the quantised model: "quantization_config" as compressed-tensors reads it. values:
// of 8 bits, layers ask for inputs that are rounded in each pass.
Json quantized_config(const Json& config, const QuantizeMatrices& matrices, const ModelFiles& files,
                      int values);

}  // namespace jogak
