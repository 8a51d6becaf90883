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

// A model of the preset tiny and four examples of random numbers.
class Trained {
 public:
  explicit Trained(const Setting& s, Device& device = cpu_device(),
                   WeightUse use = WeightUse::trained);

  LossSum loss(std::span<const Pick> picks, Run& run) const;  // the picks are neighbours
  TrainTask task() const;
  std::vector<StepResult> steps(int count, int64_t accumulate, Run& run);
  static std::span<const Pick> picks();
  std::map<std::string, std::vector<double>> values() const;  // weights and buffers

  Model model;

 private:
  Tensor tokens() const;
};

Run training(bool recompute);

}  // namespace jogak::test
