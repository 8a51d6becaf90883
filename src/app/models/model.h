// A model of any family: opened from its directory, or fresh from a configuration.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "nn/causal_model.h"
#include "nn/encoder_model.h"
#include "nn/params.h"
#include "nn/seq2seq_model.h"

namespace jogak {

struct Model {
  std::string model_type;             // Hugging Face's: "gpt2"
  Json config;                        // as config.json has it
  std::unique_ptr<ParamStore> store;  // every weight
  std::string base;                   // with adapters: the directory they belong to
  int64_t layers = 0, width = 0, vocab = 0;
  int64_t context = 0;  // most tokens of a text

  // What it can do. A language model continues text; its forward is empty in other families.
  CausalModel causal;
  // The sum of the losses of the targets that count (i64 [B, T], -100: not), ready for backward.
  std::function<Tensor(const Tensor& ids, const Tensor& targets, double label_smoothing, Run& run)>
      loss_sum;
  // What a language model would say after any of its layers [B, T, C], as if it were the last:
  // logits [B, T, V].
  std::function<Tensor(const Tensor& hidden, Run& run)> read;
  // An encoder-decoder translates; its encode is empty in other families.
  Seq2SeqModel seq2seq;
  bool translates() const { return seq2seq.encode != nullptr; }
  // An encoder fills in, classifies, embeds or forecasts; its hidden is empty in other families.
  EncoderModel encoder;
  bool encodes() const { return encoder.hidden != nullptr; }
};

// One family: what `jogak new --family` knows of it. A new family adds a row to the table in
// families.cpp.
struct Family {
  const char* name;        // as the command line says it
  const char* model_type;  // as config.json says it
  struct Preset {
    const char* name;
    std::vector<Json::Member> config;
  };
  std::vector<Preset> presets;
  Json (*complete)(const Json& config, const std::string& file);  // checked, every key filled in
  Model (*build)(const Json& config, const std::string& file, ParamStore store);
  const NameMap* names;
  std::vector<std::string> more_keys = {};  // that complete() leaves out unless they are set
};

const std::vector<Family>& families();
const Family& family_named(const std::string& name);  // UsageError suggesting the nearest
const Family& family_of(const Json& config, const std::string& file);  // by model_type

// What the weights are made on; a model directory says nothing of these.
struct ModelPlace {
  DType dtype = DType::f32;
  Device* device = nullptr;      // null: the CPU
  bool allow_nonfinite = false;  // open weights that hold NaN or infinity
  LoraConfig lora = {};          // of rank above 0: only adapters learn
  WeightUse use = WeightUse::trained;
};

// What a command's --dtype asks of weights that are only read: auto, f32 or bf16.
WeightUse weight_use(const std::string& dtype);

// A directory of adapters opens as the model they belong to, changed by them.
Model open_model(const std::string& directory, ModelPlace place = {});
Model new_model(const Json& config, uint64_t seed, ModelPlace place = {});

// A model that continues text, or that translates; FormatError saying which command fits another.
Model open_language_model(const std::string& directory, ModelPlace place = {});
Model open_translator(const std::string& directory, ModelPlace place = {});

// config.json, generation_config.json and model.safetensors, each replaced atomically; of a model
// that learns by adapters only these, in PEFT's files.
void save_model(const Model& model, const std::string& directory);

// A preset's configuration with `changes` on top; an unknown key is an error with the nearest.
Json preset_config(const Family& family, const std::string& preset,
                   const std::vector<Json::Member>& changes);
Json parse_setting(const std::string& text);  // 12, 0.5, true, "text" or text

}  // namespace jogak
