// How long a training step takes on many GPUs, before anybody pays for them: a model of products,
// memory, links and pipelines, with two numbers fitted to published runs, or a machine's own table
// of products (docs/scale.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"

namespace jogak {

struct PlanModel {
  std::string name;
  int64_t width = 0, layers = 0, vocab = 0, context = 0;
  int64_t inner = 0;   // of the feed-forward network
  int64_t keys = 0;    // width of keys, and of values
  bool gated = false;  // three matrices instead of two
  double parameters() const;
};

struct PlanProduct {  // that was measured: of [rows, inner] by [inner, columns]
  double rows = 0, columns = 0, inner = 0;
  double share = 0;  // of the peak
};

struct PlanGpu {
  std::string name;
  double flops = 0;         // a second, dense, bf16
  double memory = 0;        // bytes
  double memory_speed = 0;  // bytes a second
  double link = 0;          // to the GPUs of its machine, in one direction
  double network = 0;       // to others, of its own adapter
  int64_t per_machine = 8;
  // Fitted to two rows of Megatron-LM's table (1.7B on 48 and 314B on 3,072 H100): the share of the
  // peak that large products reach where none were measured (of H100 and H200 they were: there,
  // what is kept of them), and the numbers that norms, activations and sums move, in widths a token
  // and layer. A machine that was measured has its own.
  double products = 0.70, moved = 110;
  double small_side = 128;  // of a product, where half of its speed is lost
  double number_bytes = 2;  // of what is computed with, moved and exchanged
  int64_t at_once = 0;      // how many compute at this speed, the others take turns; 0: all
  double latency = 8e-6;    // seconds from one to another
  std::vector<PlanProduct> gemm = {};  // where it is not empty, instead of products and small_side

  double share_of(double rows, double columns, double inner) const;  // a product's, of the peak
};

// Of H100 and H200, as they were measured on one, and what long runs keep of that.
inline constexpr double kKeptOfProducts = 0.93;
std::vector<PlanProduct> hopper_products();

struct PlanSplit {  // how the work is divided
  int64_t tensor = 1, pipeline = 1, data = 1;
  int64_t gpus() const { return tensor * pipeline * data; }
};

struct PlanStep {
  PlanSplit split;
  int64_t micro_batches = 1;  // of one sequence each, in every pipeline
  double seconds = 0;         // of a step
  double mfu = 0;             // of the GPUs' peak, by the model's own operations
  double memory = 0;          // bytes a GPU
  // Where the seconds go: waiting for the pipeline, for other GPUs' numbers.
  double bubble = 0, tensor_wait = 0, data_wait = 0;
};

struct PlanRequest {
  PlanModel model;
  PlanGpu gpu;
  int64_t gpus = 1;
  int64_t sequences = 1;  // of a step
};

PlanStep predict_step(const PlanRequest& request, const PlanSplit& split);
// Every way that the numbers allow and the memory holds, the fastest first. UsageError: none.
std::vector<PlanStep> plan_training(const PlanRequest& request);

PlanModel plan_model(const std::string& name);  // "gpt2", "llama", or a config.json
PlanGpu plan_gpu(const std::string& name);      // "h100", "h200", "a100", or a JSON file
std::vector<std::string> plan_gpu_names();

Json to_json(const PlanRequest& request, const PlanStep& step);

}  // namespace jogak
