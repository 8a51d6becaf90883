// Where models are put and computed: the CPU, or what a command's --device says.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tensor/device.h"

namespace jogak {

struct Model;

struct DeviceInfo {
  std::string name;            // as --device says it
  std::string about;           // what it is, or why it cannot be used
  std::string libraries = {};  // whose kernels it runs, where that is to be said
  size_t memory = 0;           // bytes in all; 0 where unknown
  Device* device = nullptr;    // null: it cannot be used
};
std::vector<DeviceInfo> list_devices();

// cpu or cuda; UsageError that says what is missing. For every model opened from then on. Of
// several processes on a machine with several GPUs each takes its own.
void use_device(const std::string& name);
Device& model_device();

// A model takes its inputs from anywhere and brings them to the device of its weights. Called once
// on a model just built.
void bring_inputs(Model& model);

}  // namespace jogak
