// Low-rank adapters in PEFT's directories: adapter_config.json and adapter_model.safetensors, and
// the name of the model they belong to.
#pragma once

#include <string>

#include "models/families.h"

namespace jogak {

inline constexpr char kAdapterConfig[] = "adapter_config.json";
inline constexpr char kAdapterFile[] = "adapter_model.safetensors";

struct AdapterConfig {
  LoraConfig lora;
  std::string base;  // a model directory
};

// A directory of adapters alone: no model of its own.
bool is_adapter_directory(const std::string& directory);
// FormatError for what we do not do (DoRA, other ranks for some layers), naming it.
AdapterConfig read_adapter_config(const std::string& directory);

// Puts a directory's factors into a model that was opened with adapters.
void load_adapter(Model& model, const std::string& directory);
void save_adapter(const Model& model, const std::string& directory);

// The family of a model type; UsageError where it has no adapters.
const Family& adapted_family(const std::string& model_type);

}  // namespace jogak
