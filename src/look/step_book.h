// A forward pass step by step: what each step is for, its shape and size, and what it made of one
// token.
#pragma once

#include <string>
#include <vector>

#include "look/recorder.h"

namespace jogak {

struct StepPage {
  StepRecord record;
  // What it does, whatever its family calls it: embedding, positions, norm, project, q, k, v,
  // weights, heads, mix, sum, widen, gated, narrow, layer, head, other.
  std::string role;
  Matrix values;  // of the token: a row, or a row for each head; the first numbers of each
};

class StepBook : public Probe {
 public:
  explicit StepBook(int64_t token) : token_(token) {}
  bool wants_attention() const override { return true; }
  Tensor pass(const ProbeStep& step, const Tensor& in, const Tensor& out) override;

  std::vector<StepPage> pages;

  static constexpr int64_t kRows = 16, kColumns = 16;  // of what is kept

 private:
  std::string role_of(const ProbeStep& step, const std::string& name);

  int64_t token_;
  bool in_layers_ = false;  // a layer was met: what stands outside comes after them
  bool reads_ = false;      // the last step was the encoder's
  enum class Place : uint8_t { before, inside, after, widened } place_ = Place::before;
};

// Whether a step shows nothing that another does not show: only a switch needs it.
bool repeats_another(Part part);

}  // namespace jogak
