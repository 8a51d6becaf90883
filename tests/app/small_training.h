// A few steps of small models of every family, on any device.
#pragma once

#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "app/models/model.h"
#include "train/step.h"

namespace jogak::test {

struct Setting {
  std::string name;
  std::string family;
  std::vector<Json::Member> config;  // on top of the preset tiny
  LoraConfig lora = {};
};

inline void PrintTo(const Setting& s, std::ostream* out) { *out << s.name; }

// Every family, its head tied and apart, and with adapters; then what only one of them has. Dropout
// wherever a configuration knows some.
std::vector<Setting> training_settings();

struct SmallBatch {
  Tensor values, mask, targets;
};
template <class F>
void each_input(SmallBatch& b, F f) {
  f(b.values), f(b.mask), f(b.targets);
}
inline int64_t counted(const SmallBatch& b) { return b.targets.count(); }

// A model of the preset tiny and four examples of random numbers.
class Trained {
 public:
  explicit Trained(const Setting& s, Device& device = cpu_device(),
                   WeightUse use = WeightUse::trained);

  SmallBatch batch(std::span<const Pick> picks) const;  // the picks are neighbours
  LossSum loss(const SmallBatch& batch, Run& run) const;
  TrainTask task() const;
  std::vector<StepResult> steps(int count, int64_t accumulate, Run& run);
  static std::span<const Pick> picks();
  std::map<std::string, std::vector<double>> values() const;  // weights and buffers

  Model model;
  bool steady = true;  // batches may be recorded
};

Run training(bool recompute);

}  // namespace jogak::test
