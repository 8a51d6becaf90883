#include "train/average.h"

#include <memory>

#include "train/checkpoint.h"

namespace jogak {

void average_checkpoints(ParamStore& params, const std::vector<std::string>& directories) {
  ensure<Error>(!directories.empty(), "average: found no checkpoint, wanted at least one");
  std::vector<std::unique_ptr<CheckpointWeights>> files;
  for (const std::string& directory : directories)
    files.push_back(std::make_unique<CheckpointWeights>(Checkpoint(directory), params));
  params.assign([&](const Param& p) {
    if (p.frozen) return Tensor();
    const Tensor sum = zeros(p.value.shape(), DType::f64);
    for (const auto& file : files) accumulate(sum, cast(file->get(p), DType::f64));
    scale_in_place(sum, 1 / static_cast<double>(files.size()));
    return to_device(cast(sum, p.value.dtype()), p.value.device());
  });
}

}  // namespace jogak
