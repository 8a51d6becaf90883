// The parts models are made of. Each states its weights' names, shapes and start values once.
#pragma once

#include "nn/params.h"
#include "nn/run.h"
#include "ops/activation_kind.h"
#include "ops/batch_norm.h"

namespace jogak {

// A matrix a linear layer multiplies by, in the values' type or, read only, in bf16.
struct Weight {
  Tensor dense;  // [out, in]
  Tensor apply(const Tensor& x, const Tensor& bias, Activation activation) const;
};

struct Linear {
  Weight weight;
  Tensor bias;                       // undefined without one
  std::shared_ptr<const Lora> lora;  // null without adapters
  Linear(Params p, int64_t in, int64_t out, Init init = normal(0.02), bool with_bias = true);
  Tensor operator()(const Tensor& x, Activation activation = Activation::none) const;
};

struct LayerNorm {
  Tensor weight, bias;
  double eps;
  LayerNorm(Params p, int64_t width, double epsilon);
  Tensor operator()(const Tensor& x) const;
};

// Over everything but the features, with statistics that training learns and evaluation uses.
struct BatchNorm {
  Tensor weight, bias;
  BatchNormState state;
  Tensor num_batches_tracked;  // i64 []: how many batches it has learnt from
  double eps;
  BatchNorm(Params p, int64_t width, double epsilon);
  Tensor operator()(const Tensor& x, const Run& run) const;
};

struct RmsNorm {
  Tensor weight;
  double eps;
  RmsNorm(Params p, int64_t width, double epsilon);
  Tensor operator()(const Tensor& x) const;
};

// Rows of a table, as values to compute with: f32 where the table is kept in bf16.
Tensor look_up(const Tensor& table, const Tensor& ids, int64_t constant = -1);

struct Embedding {
  Tensor weight;  // [rows, width]
  Embedding(Params p, int64_t rows, int64_t width, Init init = normal(0.02));
  Tensor operator()(const Tensor& ids) const;
};

// Linear, activation, Linear. Names differ between families: they are given.
struct FeedForward {
  Linear up, down;
  Activation activation;
  FeedForward(Params up_path, Params down_path, int64_t width, int64_t inner, Activation act,
              Init down_init = normal(0.02), Init up_init = normal(0.02));
  Tensor operator()(const Tensor& x) const { return down(up(x, activation)); }
};

// Of a step over the cache only the rows whose logits are wanted, [1, wanted, C]; otherwise x.
Tensor wanted_rows(const Tensor& x, const Run& run);

// Drops elements in training; the identity otherwise.
Tensor drop(const Tensor& x, double rate, Run& run);

}  // namespace jogak
