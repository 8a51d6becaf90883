#include "app/tools/quantize_cost.h"

#include <algorithm>
#include <cmath>

#include "app/data/text_data.h"
#include "app/measure/parity.h"
#include "app/use/forward.h"
#include "autograd/autograd.h"
#include "text/tokenizer.h"

namespace jogak {
namespace {

constexpr int64_t kTexts = 4, kLongest = 256;
constexpr size_t kBytes = 1 << 16;  // of a file: enough for as many tokens

double log_sum(const float* x, int64_t n) {
  const double most = *std::max_element(x, x + n);
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += std::exp(x[i] - most);
  return most + std::log(sum);
}

double kl_of(const float* before, const float* after, int64_t n) {
  const double a = log_sum(before, n), b = log_sum(after, n);
  double kl = 0;
  for (int64_t i = 0; i < n; ++i)
    kl += std::exp(before[i] - a) * ((before[i] - a) - (after[i] - b));
  return std::max(kl, 0.0);
}

NamedTensors outputs_of(const Model& model, const NamedTensors& inputs) {
  const NoGrad quiet;
  Run run;
  return forward(model, ForwardInputs(inputs), run).named;
}

// The last bytes of a text, from the beginning of a character on: layers are rounded by its first.
std::string end_of(std::string_view text) {
  size_t from = text.size() - std::min(text.size(), kBytes);
  while (from < text.size() && (text[from] & 0xC0) == 0x80) ++from;
  return std::string(text.substr(from));
}

}  // namespace

CostInputs cost_inputs(const Model& model, const std::string& directory, const std::string& file) {
  if (!model.causal.forward || file.empty())
    return {parity_inputs(model), "inputs made from the configuration"};
  const std::string path = find_data(file);
  const std::string text = end_of(MappedFile(path).text());
  const Tokenizer tokenizer = Tokenizer::load(directory);
  const std::vector<int> ids =
      tokenizer.encode_ids(text, {.add_special = false, .special_as_text = true});
  const int64_t length = std::min({kLongest, model.context, static_cast<int64_t>(ids.size())});
  ensure<FormatError>(length > 0, path, ": found no text to measure on");
  const int64_t texts = std::min(kTexts, static_cast<int64_t>(ids.size()) / length);
  const std::vector<int64_t> kept(ids.end() - static_cast<ptrdiff_t>(texts * length), ids.end());
  return {{{"input_ids", from_values(kept, {texts, length})}}, path};
}

Divergence divergence(const Model& before, const Model& after, const NamedTensors& inputs) {
  const NamedTensors a = outputs_of(before, inputs), b = outputs_of(after, inputs);
  double off = 0, size = 0, kl = 0;
  int64_t rows = 0, equal = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const std::vector<float> x = to_host<float>(a[i].second), y = to_host<float>(b[i].second);
    for (size_t j = 0; j < x.size(); ++j) {
      off += std::pow(static_cast<double>(x[j]) - y[j], 2);
      size += std::pow(static_cast<double>(x[j]), 2);
    }
    const int64_t n = a[i].second.dim(-1);
    if (a[i].first.find("logits") == std::string::npos || n < 2) continue;
    for (int64_t r = 0; r < a[i].second.rows(); ++r) {
      const float *p = x.data() + r * n, *q = y.data() + r * n;
      kl += kl_of(p, q, n), ++rows;
      equal += std::max_element(p, p + n) - p == std::max_element(q, q + n) - q ? 1 : 0;
    }
  }
  Divergence out{.error = size > 0 ? std::sqrt(off / size) : 0, .kl = {}, .first = {}};
  if (rows > 0) {
    out.kl = kl / static_cast<double>(rows);
    out.first = static_cast<double>(equal) / static_cast<double>(rows);
  }
  return out;
}

}  // namespace jogak
