// The one place where gradients of several processes meet. One process takes the same way.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/processes.h"
#include "nn/params.h"

namespace jogak {

class GradientReducer {
 public:
  virtual ~GradientReducer() = default;
  virtual Processes processes() const = 0;

  // Adds up the tensors of a bucket over all processes, in place, on their device. No two share
  // storage. Buckets come in the same order in every process.
  virtual void reduce(std::string_view bucket, std::span<Tensor> tensors) = 0;
  virtual int64_t sum(int64_t value) = 0;  // of a number that every host has
};

class SoloReducer final : public GradientReducer {  // one process: sums are what they are
 public:
  Processes processes() const override { return {}; }
  void reduce(std::string_view, std::span<Tensor>) override {}
  int64_t sum(int64_t value) override { return value; }
};

// Weights whose gradients travel together: those of one layer ("h.3"), or of one module outside
// the layers ("wte"). The last come first, as the walk back finishes with them first.
struct Bucket {
  std::string name;
  std::vector<size_t> members;  // places in ParamStore::trained()
};
std::vector<Bucket> buckets_of(const ParamStore& params);

// Hands every bucket of gradients to the reducer. Gradients that share storage are parted before.
void reduce_gradients(GradientReducer& reducer, std::span<const Bucket> buckets,
                      std::span<Tensor> grads);

}  // namespace jogak
