// What `jogak quantize` tells of its work: sizes, losses, layers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/tools/quantize_cost.h"
#include "base/json.h"
#include "base/lang.h"

namespace jogak {

struct QuantizedLayer {
  std::string name;
  int bits = 8;
  double error = 0;  // of the matrix: |W - Q| / |W|
  // With data, of what the layer makes of it: |X (W - Q)^T| / |X W^T|, and that of rounding to
  // nearest.
  std::optional<double> output, nearest;
};

// Layers that were tried in 8 bits because their outputs suffered most from 4.
struct WideLayers {
  std::vector<std::string> names;
  bool kept = false;                  // it paid
  double least = 0, median = 0;       // output errors: the smallest of theirs, and of all layers
  double distance = 0, wide = 0;      // of the answers, in 4 and in 8 bits: KL, or the change
  int64_t bytes = 0, wide_bytes = 0;  // of the files
};

struct QuantizeReport {
  std::string model_type, type;
  int64_t group = 0;
  int values = 16;                       // bits of what meets the weights
  std::optional<Divergence> finer = {};  // of 8: the answers of the same weights with 16
  int64_t bytes_before = 0, bytes_after = 0;
  std::optional<double> loss_before, loss_after;  // on the given data
  std::string measured_on;                        // "inputs made from the configuration", a file
  Divergence divergence;
  WideLayers wide;                     // of q4 with data
  std::vector<QuantizedLayer> layers;  // the worst first: by outputs where they are known
};

std::string quantize_table(const QuantizeReport& report, Lang lang);  // for a person
// {"schema","model_type","type","group","bytes_before","bytes_after","loss_before","loss_after",
// "measured_on","output_error","kl","equal_first","wide":{"names","kept","least","median",
// "distance","distance_wide","bytes","bytes_wide"},"layers":[{"name","bits","error","output_error",
// "output_error_nearest"}]}
Json to_json(const QuantizeReport& report);

}  // namespace jogak
