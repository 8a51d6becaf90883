// Low-rank adapters in PEFT's directories: adapter_config.json and adapter_model.safetensors, and
// the name of the model they belong to.
#pragma once

#include <string>

#include "app/models/model.h"
#include "app/train/recipe.h"

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

// The model the adapters belong to, with what they learnt made part of its weights.
Model open_adapted(const std::string& directory, ModelPlace place);
// Puts a directory's factors into a model that was opened with adapters.
void load_adapter(Model& model, const std::string& directory);
void save_adapter(const Model& model, const std::string& directory);

// What a recipe trains: rank 0 without adapters. Layers that are not named are the family's usual.
LoraConfig recipe_lora(const Recipe& recipe);

// `jogak merge`: a model directory like any other from one of adapters.
void merge_adapter(const std::string& directory, const std::string& out);

}  // namespace jogak
