// `jogak merge`: a model directory like any other from one of adapters.
#pragma once

#include <string>

namespace jogak {

struct MergeOptions {
  std::string adapters, out;
  bool overwrite = false;  // a model that is there
};
void merge_adapters(const MergeOptions& options);

}  // namespace jogak
