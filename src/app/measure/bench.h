// `jogak bench`: what this machine can do, and how fast models train and write on it.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"

namespace jogak {

struct BenchRequest {
  std::string family = "gpt2", preset = "base";
  std::vector<Json::Member> settings;  // Hugging Face's configuration keys
  std::string dtype = "f32";           // of the weights
  int64_t batch = 1, seq = 64, steps = 20;
  int beams = 4;   // of bench translate
  int rounds = 3;  // of bench generate and translate; one more warms up
  bool profile = false;
  bool recompute = false;  // of bench train: blocks keep their inputs alone
};

// {"ms_per_step","examples_per_s","tokens_per_s","peak_rss_mb",..}: forward, backward, clipping and
// AdamW on random inputs; the median of the steps after three to warm up.
Json bench_train(const BenchRequest& request);

// {"ms_per_pass","examples_per_s",..}: a pass of an encoder over random texts, images or series,
// without gradients; the median of the steps after three to warm up.
Json bench_forward(const BenchRequest& request);

// {"prefill_tokens_per_s","decode_tokens_per_s","first_token_ms",..}: a prompt of `seq` random
// tokens, then `steps` more, each alone; the best of the rounds. Of one text also
// {"weight_bytes_per_token","weight_gb_s", "read_gb_s","bandwidth_share"}: weights read a second,
// beside what the machine reads at best just before and after.
Json bench_generate(const BenchRequest& request);

// {"tokens_per_s","seconds",..}: `batch` sentences of `seq` random tokens become `steps` tokens
// each by beam search; the median of the rounds after one to warm up.
Json bench_translate(const BenchRequest& request);

// {"gflops_f32","gflops_bf16","read_gb_s"}: the peaks everything else is measured against; with
// `shapes` also what the matrix products of layers reach.
Json bench_machine(bool shapes = false);

double peak_rss_mb();

}  // namespace jogak
