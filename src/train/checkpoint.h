// A checkpoint's directory: weights.safetensors, optimizer.safetensors, state.json, and
// manifest.json, which seals the three.
#pragma once

#include <string>

#include "io/safetensors.h"
#include "nn/params.h"
#include "train/optimizer.h"
#include "train/state.h"

namespace jogak {

// Writes the files into an empty directory and reads them back. RunDirectory::commit makes that
// directory a checkpoint. `moments` is the optimizer's whole state.
void write_checkpoint(const std::string& directory, const ParamStore& params,
                      const NamedTensors& moments, const TrainState& state);

class Checkpoint {
 public:
  // Verifies every byte. FormatError or MissingError names the file and, where it can, the tensor.
  explicit Checkpoint(const std::string& directory);

  const std::string& directory() const { return directory_; }
  const TrainState& state() const { return state_; }
  std::string state_file() const;

  // Puts the values back; weights or state of another model are refused, naming the tensor.
  void restore(ParamStore& params, Optimizer& optimizer) const;
  // The same in two parts: the optimizer's state is checked, and read elsewhere.
  void restore_weights(ParamStore& params, const Optimizer& optimizer) const;
  SafetensorsFile optimizer_file() const;

 private:
  std::string directory_;
  TrainState state_;
};

// The weights of a checkpoint, which must be those of `params`, one by one.
class CheckpointWeights {
 public:
  CheckpointWeights(const Checkpoint& checkpoint, const ParamStore& params);
  Tensor get(const Param& p) const { return file_.read(p.name); }

 private:
  SafetensorsFile file_;
};

}  // namespace jogak
