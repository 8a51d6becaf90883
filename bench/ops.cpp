// Times the ops on the sizes their cases name: forward alone, then forward and backward.
//
//   ops_bench [--dtype f32|f64|bf16|f16] [--threads N] [OP...]
//
// Each figure is the best of several rounds. GB/s counts what forward must read and write once.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "autograd/autograd.h"
#include "base/parallel.h"
#include "ops/kernels/isa.h"
#include "tests/ops/case.h"

namespace jogak::test {
namespace {

struct Options {
  DType dtype = DType::f32;
  std::vector<std::string> ops;  // empty: all
};

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Seconds of one call: the best of rounds that take a millisecond or more each, for 0.3 seconds.
template <class Work>
double best_of(Work&& work) {
  work();  // memory, caches, threads
  double best = 1e30;
  int calls = 1;
  for (const double stop = now() + 0.3; now() < stop;) {
    const double start = now();
    for (int i = 0; i < calls; ++i) work();
    const double taken = now() - start;
    best = std::min(best, taken / calls);
    if (taken < 1e-3) calls *= 2;
  }
  return best;
}

std::vector<Tensor> float_outputs(const OpCase& c, std::span<const Tensor> inputs) {
  std::vector<Tensor> out = c.call(inputs);
  std::erase_if(out, [](const Tensor& y) { return !is_float(y.dtype()); });
  return out;
}

// A loss whose gradient for the outputs is ready made, so that only the op's backward is timed.
Tensor loss_of(const std::vector<Tensor>& outputs, const std::vector<Tensor>& weights) {
  Tensor loss = zeros({}, outputs[0].dtype());
  record_many("loss", std::span(&loss, 1), outputs,
              [&weights](std::span<const Tensor>) { return Grads(weights); });
  return loss;
}

double time_backward(const OpCase& c, std::vector<Tensor> inputs) {
  std::vector<Tensor> leaves, weights;
  for (Tensor& x : inputs) {
    if (!is_float(x.dtype())) continue;
    x = leaf(x);
    leaves.push_back(x);
  }
  for (const Tensor& y : float_outputs(c, inputs))
    weights.push_back(full(y.shape(), 0.5, y.dtype()));
  return best_of([&] { gradients(loss_of(float_outputs(c, inputs), weights), leaves); });
}

size_t bytes_of(const std::vector<Tensor>& tensors) {
  size_t bytes = 0;
  for (const Tensor& x : tensors) bytes += x.bytes();
  return bytes;
}

void time_case(const OpCase& c, DType dtype) {
  const std::vector<Tensor> inputs = make_inputs(c.bench, dtype);
  double forward = 0;
  size_t bytes = bytes_of(inputs);
  {
    const NoGrad quiet;
    bytes += bytes_of(c.call(inputs));
    forward = best_of([&] { c.call(inputs); });
  }
  std::string sizes;
  for (const Input& input : c.bench) sizes += (sizes.empty() ? "" : " ") + text_of(input.shape);
  std::printf("%-20s %-18s %-5s %14.0f ns %8.2f GB/s", c.op.c_str(), c.name.c_str(), name_of(dtype),
              forward * 1e9, static_cast<double>(bytes) / forward * 1e-9);
  if (c.differentiable)
    std::printf(" %14.0f ns", time_backward(c, inputs) * 1e9);
  else
    std::printf(" %17s", "-");
  std::printf("  %s\n", sizes.c_str());
  std::fflush(stdout);
}

std::optional<DType> dtype_named(const std::string& name) {
  for (const DType dtype : {DType::f32, DType::f64, DType::bf16, DType::f16})
    if (name == name_of(dtype)) return dtype;
  return {};
}

Options parse(int count, char** values) {
  Options out;
  for (int i = 1; i < count; ++i) {
    const std::string word = values[i], next = i + 1 < count ? values[i + 1] : "";
    if (word == "--dtype") {
      const auto dtype = dtype_named(next);
      ensure<UsageError>(dtype.has_value(), "--dtype: found \"", next,
                         "\", wanted f32, f64, bf16 or f16");
      out.dtype = *dtype;
      ++i;
    } else if (word == "--threads") {
      char* end = nullptr;
      const long threads = std::strtol(next.c_str(), &end, 10);
      ensure<UsageError>(!next.empty() && *end == 0 && threads >= 1 && threads <= 1024,
                         "--threads: found \"", next, "\", wanted 1 to 1024");
      set_thread_count(static_cast<int>(threads));
      ++i;
    } else {
      const auto named = [&](const OpCase& c) { return c.op == word; };
      ensure<UsageError>(std::any_of(all_cases().begin(), all_cases().end(), named), "found \"",
                         word, "\", wanted the name of an op");
      out.ops.push_back(word);
    }
  }
  return out;
}

void run(const Options& options) {
  std::printf("%s, %d threads\n%-20s %-18s %-5s %17s %13s %17s\n", isa_name(), thread_count(), "op",
              "case", "dtype", "forward", "", "and backward");
  for (const OpCase& c : all_cases()) {
    const bool wanted = options.ops.empty() || std::find(options.ops.begin(), options.ops.end(),
                                                         c.op) != options.ops.end();
    const bool typed = std::find(c.dtypes.begin(), c.dtypes.end(), options.dtype) != c.dtypes.end();
    if (wanted && typed && !c.bench.empty()) time_case(c, options.dtype);
  }
}

}  // namespace
}  // namespace jogak::test

int main(int count, char** values) {
  try {
    jogak::test::run(jogak::test::parse(count, values));
  } catch (const jogak::UsageError& error) {
    std::fprintf(stderr, "ops_bench: %s\n", error.what());
    return 64;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ops_bench: %s\n", error.what());
    return 70;
  }
}
