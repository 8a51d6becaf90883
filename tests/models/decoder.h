// A causal decoder of any family, through what its record builds.
#pragma once

#include "io/model_files.h"
#include "tests/models/golden.h"

namespace jogak::test {

struct DecoderGolden {
  std::string name;
  ModelFiles files;
  SafetensorsFile golden;
  Model model;

  explicit DecoderGolden(const std::string& which, WeightUse use = WeightUse::trained);
  ParamStore& store() const { return *model.store; }
  Tensor logits(const Tensor& ids, Run& run) const { return model.causal.forward(ids, run); }

  void expect_forward(bool with_gradients = true) const;
  void expect_same_bits_from_the_cache() const;
};

// A fresh model of a family's smallest preset with some settings on top.
Model fresh_model(const std::string& family, const std::vector<Json::Member>& settings,
                  Device& device = cpu_device());

// transformers shifts inside: logits at t answer for labels at t + 1.
Tensor shifted_loss(const Tensor& logits, const Tensor& labels);

// Token by token, beside another sequence: the bits of the whole pass.
void expect_same_bits_from_the_cache(const Model& model, const std::vector<int64_t>& ids,
                                     const std::string& name);

// A whole training pass hands kernels to the device and never looks or waits.
void expect_untouched_by_the_host(const std::string& family,
                                  const std::vector<Json::Member>& settings);

}  // namespace jogak::test
