#include "explain/studies.h"

namespace jogak {

const std::vector<LessonStudy>& lesson_studies() {
  static const std::vector<LessonStudy> all = {
      {"masks", "mask"},
      {"scale", "scale"},
      {"residual", "residual"},
      {"multihead", "heads"},
      {"heads", "heads"},
      {"order", "positions"},
      {"position-kinds", "positions"},
      {"position-kinds", "join"},
      {"beyond", "positions"},
      {"positions", "join"},
      {"feedforward", "ffn"},
      {"linear", "ffn"},
      {"gelu", "ffn"},
      {"layernorm", "norms"},
      {"batchnorm", "norms"},
      {"warmup", "norm-place"},
      {"encoder-block", "norm-place"},
      {"dropout", "dropout"},
      {"smoothing", "smoothing"},
      {"cross-attention", "gru"},
      {"attention", "gru"},
      {"adam", "batch-rate"},
      {"shapes", "width-depth"},
      {"model", "scaling"},
  };
  return all;
}

std::vector<std::string> studies_of(std::string_view topic) {
  std::vector<std::string> out;
  for (const LessonStudy& one : lesson_studies())
    if (one.topic == topic) out.push_back("recipes/study-" + std::string(one.study) + ".toml");
  return out;
}

}  // namespace jogak
