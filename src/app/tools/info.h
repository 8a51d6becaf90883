// `jogak info`: what a model directory holds.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/lang.h"

namespace jogak {

struct TokenizerInfo {
  std::string file;
  int64_t vocab = 0;
  std::optional<int64_t> target_vocab = {};  // of two sides
};
struct ModuleInfo {
  std::string name;
  int64_t tensors = 0, parameters = 0, bytes = 0;
};
struct TensorEntry {
  std::string name, dtype;
  std::vector<int64_t> shape;
  int64_t parameters = 0, bytes = 0;
};

struct AdapterInfo {
  std::string base;  // the model they belong to
  int64_t rank = 0;
  double alpha = 0;
  std::vector<std::string> targets;
};

// What says nothing of the model is left out: the vocabulary of images, the image of texts.
struct ModelInfo {
  std::string model_type, command;  // and which command runs it
  int64_t parameters = 0;
  int64_t bytes = 0, memory_bytes = 0;  // in the files, and once they are opened
  int64_t layers = 0, width = 0;
  std::optional<int64_t> vocab = {}, series = {}, context = {}, horizon = {};
  std::optional<std::array<int64_t, 2>> image = {};  // height and width
  std::optional<int64_t> channels = {};
  std::optional<std::vector<std::string>> labels = {};
  bool reads_text = false;                      // and so wants a tokenizer
  std::optional<TokenizerInfo> tokenizer = {};  // none: the directory has none
  std::optional<AdapterInfo> adapter = {};      // then the tensors and bytes are the adapters'
  std::vector<ModuleInfo> modules = {};
  std::vector<TensorEntry> tensors = {};
};

ModelInfo model_info(const std::string& directory);
std::string info_table(const ModelInfo& info, Lang lang);  // for a person
// {"schema","model_type","parameters","bytes","layers",..,"tokenizer","modules":[..],"tensors":[..]}
Json to_json(const ModelInfo& info);

}  // namespace jogak
