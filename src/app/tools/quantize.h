// `jogak quantize`: a model's matrices in 8 or 4 bits, as compressed-tensors, and what that cost.
#pragma once

#include <string>

#include "app/tools/quantize_report.h"
#include "base/lang.h"

namespace jogak {

struct QuantizeOptions {
  std::string directory, out;
  std::string type = "q8";  // q8 or q4
  int64_t group = 0;        // columns that share a scale; 0: of q8 a whole row, of q4 64
  int values = 16;          // bits to which products round what meets the weights: 16 or 8
  std::string data = {};    // what layers are rounded by and losses measured on; empty: nothing
  bool overwrite = false;
  Lang lang = Lang::en;  // of progress
};

QuantizeReport quantize(const QuantizeOptions& options);

}  // namespace jogak
