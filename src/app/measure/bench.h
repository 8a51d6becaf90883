// `jogak bench`: what this machine can do, and how fast models train and write on it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"

namespace jogak {

struct BenchOptions {
  std::string family = "gpt2", preset = "base";
  std::vector<Json::Member> settings;  // Hugging Face's configuration keys
  std::string dtype = "f32";           // of the weights
  std::string directory = {};          // a model that is there, its weights as they are stored
  int64_t batch = 1, seq = 64, steps = 20;
  int beams = 4;   // of bench translate
  int rounds = 3;  // of bench generate and translate; one more warms up
  bool profile = false;
  bool recompute = false;  // of bench train: blocks keep their inputs alone
};

// What was measured, on what.
struct BenchedModel {
  std::string family;
  int64_t parameters = 0, batch = 0, seq = 0, steps = 0;
  int threads = 0;
  std::string isa, dtype;
};

struct OpCost {  // a step
  std::string op;
  int64_t calls = 0;
  double forward_ms = 0, backward_ms = 0, share = 0;
};
struct StepProfile {
  double matrix_products_share = 0;
  std::vector<OpCost> ops = {};  // the dearest first; what is left (optimizer, norms, sums) last
};
struct TrainBench {
  BenchedModel model;
  bool recompute = false;
  double ms_per_step = 0, ms_per_step_best = 0, examples_per_s = 0;
  std::optional<double> tokens_per_s = {};  // of texts
  double peak_rss_mb = 0;
  std::optional<double> peak_device_mb = {};  // of a GPU's memory, handed out at once
  std::optional<StepProfile> profile = {};    // when asked for
};
// Forward, backward, clipping and AdamW on random inputs; the median of the steps after three to
// warm up.
TrainBench bench_train(const BenchOptions& options);
Json to_json(const TrainBench& bench);

struct ForwardBench {
  BenchedModel model;
  double ms_per_pass = 0, ms_per_pass_best = 0, examples_per_s = 0, peak_rss_mb = 0;
  double gflop = 0;  // of a pass: matrix products and attention, as they were asked for
};
// A pass over random texts, images or series, without gradients; the median of the steps after
// three to warm up. An encoder-decoder reads a text and writes one as long.
ForwardBench bench_forward(const BenchOptions& options);
Json to_json(const ForwardBench& bench);

// Weights read a second, beside what the machine reads at best just before and after.
struct ReadingSpeed {
  int64_t weight_bytes_per_token = 0;
  double weight_gb_s = 0, read_gb_s = 0, bandwidth_share = 0;  // medians
  double weight_gb_s_best = 0, read_gb_s_best = 0;
};
struct GenerateBench {
  BenchedModel model;
  double prefill_tokens_per_s = 0, decode_tokens_per_s = 0, first_token_ms = 0;
  std::optional<ReadingSpeed> reading = {};  // of one text
  double peak_rss_mb = 0;
};
// A prompt of `seq` random tokens, then `steps` more, each alone; the best of the rounds.
GenerateBench bench_generate(const BenchOptions& options);
Json to_json(const GenerateBench& bench);

struct TranslateBench {
  BenchedModel model;
  int beams = 0;
  double seconds = 0, tokens_per_s = 0, peak_rss_mb = 0;
};
// `batch` sentences of `seq` random tokens become `steps` tokens each by beam search; the median of
// the rounds after one to warm up.
TranslateBench bench_translate(const BenchOptions& options);
Json to_json(const TranslateBench& bench);

struct LayerBench {  // GFLOP/s of the three products of a layer, and the peak between them
  int64_t rows = 0, outputs = 0, inputs = 0;
  double forward = 0, inputs_gradient = 0, weights_gradient = 0, peak = 0;  // gradients: 0 if none
};
struct MachineBench {
  int threads = 0;
  std::string isa;
  double gflops_f32 = 0, gflops_bf16 = 0, gops_int8 = 0, read_gb_s = 0;  // int8: 0 if none
  std::string dtype = {};                                                // of the shapes
  std::vector<LayerBench> shapes = {};                                   // when asked for
};
// The peaks everything else is measured against; with `shapes` also what the matrix products of
// layers reach, in f32 or bf16, or with weights in 8 bits (q8).
MachineBench bench_machine(bool shapes = false, const std::string& dtype = "f32");
Json to_json(const MachineBench& bench);

}  // namespace jogak
