// A probe that keeps what passes: every step's shape and size of values, attention weights,
// positions, and what each layer made.
#pragma once

#include <string>
#include <vector>

#include "draw/matrix.h"
#include "nn/probe.h"

namespace jogak {

struct StepRecord {
  std::string name;  // "h.0.attn.c_attn"
  Part part;
  int64_t layer;
  bool source;
  Shape shape;
  double mean = 0, deviation = 0, low = 0, high = 0;
};

struct AttentionMap {
  std::string kind;  // self; encoder and cross of an encoder-decoder; series of channel attention
  int64_t layer;
  Tensor weights;  // [B, heads, queries, keys]

  int64_t heads() const { return weights.dim(1); }
  Matrix of(int64_t row, int64_t head) const;  // [queries, keys]
};

struct PositionTable {
  enum class Kind : uint8_t { added, rotary, alibi, relative };
  Kind kind = Kind::added;
  std::string name;
  // added: [T, C]; rotary: cosines, then sines [T, D]; alibi: [heads, T]; relative: [heads,
  // distances], from the farthest before the query to the farthest behind it
  Matrix values;
};

class Recorder : public Probe {
 public:
  struct Wanted {
    bool attention = false, statistics = false, layers = false;
  };
  explicit Recorder(Wanted wanted) : wanted_(wanted) {}
  bool wants_attention() const override { return wanted_.attention; }
  void see(std::string_view name, int64_t layer, const Tensor& value) override;
  Tensor pass(const ProbeStep& step, const Tensor& in, const Tensor& out) override;

  std::vector<StepRecord> steps;
  std::vector<AttentionMap> maps;
  std::vector<PositionTable> positions;
  std::vector<Tensor> layers;  // of the side that answers: before the first, after each
  std::vector<std::string> layer_names;

 private:
  Wanted wanted_;
};

// Finite numbers only; 0 rows give NaN.
StepRecord measured(const ProbeStep& step, const Tensor& value, bool statistics);

}  // namespace jogak
