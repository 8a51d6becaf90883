// A model of any family: opened from its directory, or fresh from a configuration.
#pragma once

#include <string>
#include <vector>

#include "app/train/recipe.h"
#include "models/families.h"

namespace jogak {

// What the weights are made on; a model directory says nothing of these.
struct ModelPlace {
  DType dtype = DType::f32;
  Device* device = nullptr;      // null: that of the command, see device.h
  bool allow_nonfinite = false;  // open weights that hold NaN or infinity
  LoraConfig lora = {};          // of rank above 0: only adapters learn
  WeightUse use = WeightUse::trained;
  std::vector<Json::Member> settings = {};  // in place of the directory's: dropout, for example
  std::shared_ptr<const LayerSplit> split = nullptr;  // null: that of the command, see divided.h
  int value_bits = 0;  // of what meets small integers, 16 or 8; 0: as the configuration says
};

// What a command's --dtype asks of weights that are only read: auto, f32 or bf16.
WeightUse weight_use(const std::string& dtype);
// The same of weights that learn, f32 or bf16; UsageError that begins with `who` for
// another.
WeightUse trained_use(const std::string& dtype, const char* who);

// A directory's configuration with `settings` on top; UsageError for one it does not have.
Json with_settings(const Json& config, const std::vector<Json::Member>& settings,
                   const std::string& directory);
// A directory of adapters opens as the model they belong to, changed by them.
Model open_model(const std::string& directory, ModelPlace place = {});
Model new_model(const Json& config, uint64_t seed, ModelPlace place = {});

// A model that continues text, or that translates; FormatError saying which command fits another.
Model open_language_model(const std::string& directory, ModelPlace place = {});
Model open_translator(const std::string& directory, ModelPlace place = {});

// config.json, generation_config.json and model.safetensors, each replaced atomically; of a model
// that learns by adapters only these, in PEFT's files.
enum class Telling : uint8_t { nothing, progress };  // beyond two seconds a line on stderr
void save_model(const Model& model, const std::string& directory,
                Telling telling = Telling::nothing);

// A preset's configuration with `changes` on top, as --set brought them; an unknown key is an error
// with the nearest.
Json preset_config(const Family& family, const std::string& preset,
                   const std::vector<Json::Member>& changes);
// The same of a recipe and what is known beside it: errors name its file, or --set.
Json recipe_config(const ModelRecipe& recipe, const std::vector<Json::Member>& changes);
Json parse_setting(const std::string& text);  // 12, 0.5, true, "text" or text

}  // namespace jogak
