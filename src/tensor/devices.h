// Which devices there are besides the CPU.
#pragma once

#include <cstddef>
#include <string>

#include "tensor/device.h"

namespace jogak {

struct CudaFound {
  Device* device = nullptr;  // the first GPU; null: there is none that can be used
  std::string about;         // its name, or why there is none
  size_t memory = 0;         // bytes in all
};

// Looks once; the device lives as long as the program.
const CudaFound& find_cuda();

}  // namespace jogak
