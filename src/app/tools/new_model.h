// `jogak new`: a fresh model directory.
#pragma once

#include <string>
#include <vector>

#include "app/tools/info.h"
#include "base/json.h"

namespace jogak {

struct NewModel {
  std::string directory, family = "gpt2", preset = "tiny";
  std::vector<std::string> settings = {};  // "key=value"
  std::string tokenizer = {};              // copied into the directory; its size becomes vocab_size
  uint64_t seed = 1;
  bool overwrite = false;  // a model that is there
};

// Refuses a directory that already holds one.
ModelInfo make_new_model(const NewModel& what);

// A line per preset for the help: name, parameters.
std::vector<std::pair<std::string, int64_t>> preset_sizes(const std::string& family);

std::vector<Json::Member> parse_settings(const std::vector<std::string>& settings);

}  // namespace jogak
