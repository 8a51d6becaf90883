// `jogak quantize`: a model's matrices in 8 or 4 bits, as compressed-tensors, and what that cost.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/tools/quantize_cost.h"
#include "base/json.h"
#include "base/lang.h"

namespace jogak {

struct QuantizeOptions {
  std::string directory, out;
  std::string type = "q8";  // q8 or q4
  int64_t group = 0;        // columns that share a scale; 0: of q8 a whole row, of q4 64
  std::string data = {};    // what losses are measured on; empty: none are
  bool overwrite = false;
  Lang lang = Lang::en;  // of progress
};

struct QuantizedLayer {
  std::string name;
  int bits = 8;
  double error = 0;  // of the matrix: |W - Q| / |W|
};

struct QuantizeReport {
  std::string model_type, type;
  int64_t group = 0;
  int64_t bytes_before = 0, bytes_after = 0;
  std::optional<double> loss_before, loss_after;  // on the given data
  std::string measured_on;                        // "inputs made from the configuration", a file
  Divergence divergence;
  std::vector<QuantizedLayer> layers;  // the worst first
};

QuantizeReport quantize(const QuantizeOptions& options);

std::string quantize_table(const QuantizeReport& report, Lang lang);  // for a person
// {"schema","model_type","type","group","bytes_before","bytes_after","loss_before","loss_after",
// "measured_on","output_error","kl","equal_first","layers":[{"name","bits","error"}]}
Json to_json(const QuantizeReport& report);

}  // namespace jogak
