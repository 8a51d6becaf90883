// Which devices there are besides the CPU.
#pragma once

#include <cstddef>
#include <string>

#include "base/side_stream.h"
#include "tensor/device.h"

namespace jogak {

struct CudaFound {
  Device* device = nullptr;  // one GPU; null: there is none that can be used
  std::string about;         // its name, or why there is none
  size_t memory = 0;         // bytes in all
  int count = 0;             // of GPUs on this machine
  std::string place = {};    // which of them it is: its address on the machine's bus
};

// Which of the machine's GPUs find_cuda() takes, counted round; before it looks.
void prefer_gpu(int64_t number);

// Looks once; the device lives as long as the program.
const CudaFound& find_cuda();

SideStream side_stream();  // of that GPU; lives as long as the program

}  // namespace jogak
