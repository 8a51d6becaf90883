// The parts models are made of. Each states its weights' names, shapes and start values once.
#pragma once

#include "nn/params.h"
#include "nn/run.h"
#include "ops/activation_kind.h"
#include "ops/batch_norm.h"

namespace jogak {

// A matrix a linear layer multiplies by, in the values' type or, read only, in bf16 or packed.
struct Weight {
  Tensor dense;  // [out, in]
  Tensor apply(const Tensor& x, const Tensor& bias, Activation activation, double times = 1) const;
};

// Modules called with a run show their results to its probe under their path.
struct Linear {
  std::string path;  // "h.0.attn.c_attn"
  Weight weight;
  Tensor bias;                              // undefined without one
  std::shared_ptr<const Lora> lora;         // null without adapters
  std::shared_ptr<const LayerSplit> split;  // whose processes make parts of a sum each; null: alone
  Linear(Params p, int64_t in, int64_t out, Init init = normal(0.02), bool with_bias = true);
  Tensor operator()(const Tensor& x, Activation activation = Activation::none) const;
  Tensor operator()(const Tensor& x, LayerRun run, Activation activation = Activation::none) const {
    return run.made(Part::other, path, x, (*this)(x, activation));
  }
};

struct LayerNorm {
  std::string path;
  Tensor weight, bias;  // bias: undefined without one
  double eps;
  LayerNorm(Params p, int64_t width, double epsilon) : LayerNorm(p, width, epsilon, true) {}
  LayerNorm(Params p, int64_t width, double epsilon, bool with_bias);
  Tensor operator()(const Tensor& x) const;
  Tensor operator()(const Tensor& x, LayerRun run) const {
    return run.made(Part::norm, path, x, (*this)(x));
  }
};

// Over everything but the features, with statistics that training learns and evaluation uses.
struct BatchNorm {
  std::string path;
  Tensor weight, bias;
  BatchNormState state;
  Tensor num_batches_tracked;  // i64 []: how many batches it has learnt from
  double eps;
  BatchNorm(Params p, int64_t width, double epsilon);
  Tensor operator()(const Tensor& x, LayerRun run) const;
};

struct RmsNorm {
  std::string path;
  Tensor weight;
  double eps;
  bool less_one;  // the weight is the gain less 1, as Gemma keeps it
  RmsNorm(Params p, int64_t width, double epsilon, bool weight_less_one = false);
  Tensor gain() const;
  Tensor operator()(const Tensor& x) const;
  Tensor operator()(const Tensor& x, LayerRun run) const {
    return run.made(Part::norm, path, x, (*this)(x));
  }
};

// Rows of a table, as values to compute with: f32 where the table alone is kept in fewer bits.
Tensor look_up(const Tensor& table, const Tensor& ids, DType values, int64_t constant = -1);

struct Embedding {
  std::string path;
  Tensor weight;  // [rows, width]
  DType values;   // what it gives
  Embedding(Params p, int64_t rows, int64_t width, Init init = normal(0.02));
  Tensor operator()(const Tensor& ids) const;
  Tensor operator()(const Tensor& ids, LayerRun run) const {
    return run.made(Part::other, path, ids, (*this)(ids));
  }
};

// Linear, activation, Linear. Names differ between families: they are given.
struct FeedForward {
  Linear up, down;
  Activation activation;
  FeedForward(Params up_path, Params down_path, int64_t width, int64_t inner, Activation act,
              Init down_init = normal(0.02), Init up_init = normal(0.02));
  Tensor operator()(const Tensor& x, LayerRun run) const {
    return run.pass(Part::ffn, {}, x, down(up(x, run, activation), run));
  }
  Tensor onto(const Tensor& x, const Tensor& read, double dropped, LayerRun run) const;  // add_made
};

// x + update: what every residual connection does.
Tensor add_skip(const Tensor& x, const Tensor& update, LayerRun run);
// {the sum, the norm of it}, in one pass over memory unless a probe stands between the two.
std::pair<Tensor, Tensor> add_and_norm(const Tensor& x, const Tensor& update, const LayerNorm& norm,
                                       LayerRun run);
std::pair<Tensor, Tensor> add_and_norm(const Tensor& x, const Tensor& update, const RmsNorm& norm,
                                       LayerRun run);

// {x, the norm of it}: what goes on beside its norm. Their gradients meet in one pass.
std::pair<Tensor, Tensor> keep_and_norm(const Tensor& x, const LayerNorm& norm, LayerRun run);
std::pair<Tensor, Tensor> keep_and_norm(const Tensor& x, const RmsNorm& norm, LayerRun run);

// x + drop(last(inside)): the end of a part that read `read` joins the stream, within the product
// itself unless something stands between the two.
Tensor add_made(Part part, const Tensor& x, const Linear& last, const Tensor& inside,
                const Tensor& read, double dropped, LayerRun run);

// Of a step over the cache only the rows whose logits are wanted, [1, wanted, C]; otherwise x.
Tensor wanted_rows(const Tensor& x, const Run& run);

// Drops elements in training; the identity otherwise.
Tensor drop(const Tensor& x, double rate, Run& run);

}  // namespace jogak
