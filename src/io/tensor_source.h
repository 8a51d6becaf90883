// Tensors that are made as they are written, one at a time: a file may be larger than memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "io/model_files.h"

namespace jogak {

struct TensorSource {
  std::string name;
  DType dtype = DType::f32;
  Shape shape = {};
  std::function<Tensor()> make = {};  // of this type and shape

  uint64_t bytes() const { return static_cast<uint64_t>(shape.count()) * size_of(dtype); }
};
using TensorSources = std::vector<TensorSource>;

// Tensors that are there already.
TensorSources sources_of(const NamedTensors& tensors);

// As their namesakes for tensors in memory (safetensors.h, model_files.h). `wrote`, if any, is told
// of every tensor that is done.
using WroteTensor = std::function<void(const TensorSource&)>;
void save_safetensors(const std::string& path, const TensorSources& tensors,
                      const Metadata& metadata, const WroteTensor& wrote = {});
void save_model_files(const std::string& directory, const TensorSources& tensors,
                      const Metadata& metadata, uint64_t max_shard_bytes,
                      const WroteTensor& wrote = {});

}  // namespace jogak
