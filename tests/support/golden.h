// Goldens that PyTorch and transformers wrote: tests/goldens/.
#pragma once

#include <string>
#include <vector>

#include "tensor/tensor.h"
#include "tests/support/places.h"

namespace jogak::test {

inline std::string golden_dir(const std::string& name) {
  return source_path("tests/goldens/") + name;
}

// max |a - b| / max |b|, without the elements to skip; infinite when the sizes differ.
double relative_distance(const Tensor& got, const Tensor& wanted,
                         const std::vector<bool>& skip = {});

}  // namespace jogak::test
