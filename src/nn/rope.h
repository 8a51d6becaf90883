// Rotary positions: how fast each pair of a head rotates, and the table a forward pass rotates by.
// Frequencies and factors are those of transformers 5.22.
#pragma once

#include <vector>

#include "base/json.h"
#include "nn/run.h"

namespace jogak {

enum class RopeKind : uint8_t {
  plain,    // theta^(-2i/D)
  linear,   // every frequency divided by `factor`
  dynamic,  // texts longer than `original` raise theta: frequencies follow from the length
  yarn,     // slow pairs divided by `factor`, fast ones not, a ramp between
  llama3,   // the same by wavelengths
  longrope  // each pair divided by a number of its own, others in texts longer than `original`
};

struct RopeConfig {
  RopeKind kind = RopeKind::plain;
  double theta = 10000, factor = 1;
  double part = 1;        // of a head's elements: the first of them rotate
  double usual_part = 1;  // the family's: written where either is not 1
  int64_t original = 0;   // tokens the model was trained on before it was stretched
  // YaRN
  double attention_factor = 0;        // 0: follows from factor and mscale
  double mscale = 0, mscale_all = 0;  // 0: not given
  double beta_fast = 32,
         beta_slow = 1;  // rotations within `original` where the ramp begins and ends
  bool truncate = true;  // the ramp begins and ends at whole pairs
  // llama3
  double low_freq = 0, high_freq = 0;
  // longrope: one a pair
  std::vector<double> short_factors = {}, long_factors = {};

  // Whether frequencies follow from the length of the text.
  bool stretches() const { return kind == RopeKind::dynamic || kind == RopeKind::longrope; }

  // The longest text for a model of so many positions: a dynamic one goes on beyond them.
  int64_t context(int64_t positions) const;
  // How much of a head rotates.
  int64_t width(int64_t head) const {
    return static_cast<int64_t>(part * static_cast<double>(head));
  }
};

// What a family calls things, and has where its configuration is silent.
struct RopeUsage {
  double theta = 10000;
  const char* theta_key = "rope_theta";
  bool longrope = false;  // known, too
  bool partial = false;   // parts of heads may rotate
  bool by_kind = false;   // each kind of layers has its own
  double part = 1;
  const char* part_key = "partial_rotary_factor";
};

// From `rope_parameters`, or the older `rope_scaling` beside `rope_theta`. `positions`:
// max_position_embeddings.
RopeConfig read_rope(const Fields& fields, int64_t positions, const RopeUsage& usage = {});
Json write_rope(const RopeConfig& rope);  // what stands in `rope_parameters`

// One frequency a pair, width / 2, of a text of `length` tokens.
std::vector<float> rope_frequencies(const RopeConfig& rope, int64_t width, int64_t length);
double rope_factor(const RopeConfig& rope);  // of cosines and sines

// What a model holds.
struct RotaryPositions {
  RopeConfig config;
  int64_t width = 0;   // what rotates of each head
  Tensor frequencies;  // [width / 2]
  RotaryPositions(const RopeConfig& rope, int64_t head_width, Device& device);

  // The table for ops/rope.h, [B or 1, T, width]: positions 0, 1, 2 .., the run's, or those of the
  // cache's step.
  Tensor table(const Tensor& ids, const Run& run) const;
};

}  // namespace jogak
