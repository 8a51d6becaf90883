#include <cmath>

#include "ops/concat.h"
#include "ops/mul.h"
#include "ops/paged_attention.h"
#include "ops/reshape.h"
#include "tests/ops/case.h"

namespace jogak::test {
namespace {

struct PagedSizes {
  std::vector<int64_t> lengths;  // tokens of each sequence
  std::vector<int64_t> rows;     // queries of each
  int64_t h, g, d, e;
  bool whole = false;  // every query sees all of its sequence; else the last ones see as they stand
  bool biased = false;  // key t of head h gets (h + 1) t / 50
  int64_t window = 0;
  double cap = 0;
  bool distant = false;  // a key t before the row gets sin(t + h)
  int64_t first = 7;     // where this layer's part of a page begins
  int64_t all(const std::vector<int64_t>& n) const {
    int64_t sum = 0;
    for (const int64_t i : n) sum += i;
    return sum;
  }
};

Tensor bias_for(const PagedSizes& n, Device& device) {
  int64_t longest = 0;
  for (const int64_t length : n.lengths) longest = std::max(longest, length);
  const auto numbers = [&](int64_t first, int64_t count, const Shape& shape) {
    return reshape(cast(arange(first, first + count, device), DType::f32), shape);
  };
  return scale(mul(numbers(1, n.h, {1, n.h, 1}), numbers(0, longest + 3, {1, 1, longest + 3})),
               1.0 / 50);
}

Tensor distances_for(const PagedSizes& n, Device& device) {
  int64_t longest = 0;
  for (const int64_t length : n.lengths) longest = std::max(longest, length);
  std::vector<float> values;
  for (int64_t h = 0; h < n.h; ++h)
    for (int64_t t = longest + 1; t >= 0; --t)
      values.push_back(std::sin(static_cast<float>(t + h)));
  return from_values(values, {n.h, longest + 2}, device);
}

// Pages of every sequence, filled with its rows of k and v; then all queries at once.
std::vector<Tensor> over_pages(const PagedSizes& n, std::span<const Tensor> in) {
  Device& device = in[0].device();
  const PageLayout layout{n.g, n.d, n.e, n.first};
  const Tensor parts[] = {reshape(in[1], {-1, n.g * n.d}), reshape(in[2], {-1, n.g * n.e})};
  std::vector<Tensor> memory;
  std::vector<int64_t> pages, places;
  std::vector<PageRun> runs;
  int64_t row = 0;
  for (size_t s = 0; s < n.lengths.size(); ++s) {
    const int64_t length = n.lengths[s], count = n.rows[s];
    runs.push_back({.first = row,
                    .rows = count,
                    .position = n.whole ? length - 1 : length - count,
                    .stride = n.whole ? 0 : 1,
                    .pages = {}});
    for (int64_t t = 0; t < length; ++t) {
      if (t % kPageTokens == 0) {
        memory.push_back(
            zeros({n.first + layout.key_size() + layout.value_size()}, DType::f32, device));
        runs.back().pages.push_back(page_address(memory.back()));
      }
      pages.push_back(page_address(memory.back()));
      places.push_back(t % kPageTokens);
    }
    row += count;
  }
  cache_rows(concat(parts, 1).detach(), page_slots(pages, places, device), layout);
  const Tensor bias = n.biased ? bias_for(n, device) : Tensor();
  return {paged_attention(in[0], page_runs(runs, device), layout,
                          {.window = n.window,
                           .cap = n.cap,
                           .key_bias = bias,
                           .distance_bias = n.distant ? distances_for(n, device) : Tensor()})};
}

Values plain(const PagedSizes& n, const Values& q, const Values& k, const Values& v) {
  Values out({n.all(n.rows), n.h, n.e});
  const double scale = 1 / std::sqrt(static_cast<double>(n.d));
  int64_t row = 0, token = 0;
  for (size_t s = 0; s < n.lengths.size(); token += n.lengths[s++])
    for (int64_t i = 0; i < n.rows[s]; ++i, ++row)
      for (int64_t h = 0; h < n.h; ++h) {
        const int64_t seen = n.whole ? n.lengths[s] : n.lengths[s] - n.rows[s] + i + 1;
        const int64_t kv = h / (n.h / n.g);
        std::vector<double> w;
        double sum = 0;
        const int64_t first = n.window > 0 ? std::max<int64_t>(0, seen - n.window) : 0;
        for (int64_t t = 0; t < seen; ++t) {
          double dot = 0;
          for (int64_t c = 0; c < n.d; ++c)
            dot += q[(row * n.h + h) * n.d + c] * k[((token + t) * n.g + kv) * n.d + c];
          dot *= scale;
          if (n.cap > 0) dot = n.cap * std::tanh(dot / n.cap);
          double line = n.biased ? static_cast<double>((h + 1) * t) / 50 : 0.0;
          if (n.distant) line += std::sin(static_cast<float>(seen - 1 - t + h));
          w.push_back(t < first ? 0 : std::exp(dot + line));
          sum += w.back();
        }
        for (int64_t t = 0; t < seen; ++t)
          for (int64_t c = 0; c < n.e; ++c)
            out[(row * n.h + h) * n.e + c] +=
                w[static_cast<size_t>(t)] / sum * v[((token + t) * n.g + kv) * n.e + c];
      }
  return out;
}

OpCase make(const char* name, PagedSizes n, Memory memory = Memory::dense, bool timed = false) {
  const int64_t tokens = n.all(n.lengths), rows = n.all(n.rows);
  std::vector<Input> inputs = {{{rows, n.h, n.d}, Fill::normal, 0, memory},
                               {{tokens, n.g, n.d}, Fill::normal},
                               {{tokens, n.g, n.e}, Fill::normal}};
  return {
      .op = "paged_attention",
      .name = name,
      .inputs = inputs,
      .call = [n](std::span<const Tensor> in) { return over_pages(n, in); },
      .reference =
          [n](std::span<const Values> in) { return std::vector{plain(n, in[0], in[1], in[2])}; },
      .differentiable = false,
      .dtypes = {DType::f32, DType::bf16, DType::f16},
      .slack = 2,
      .bench = timed ? inputs : std::vector<Input>()};
}

// The layer's part begins where 16 bytes do, as those of models: the GPU's fast kernel takes it.
PagedSizes even(PagedSizes n) {
  n.first = 8;
  return n;
}

const AddCases cases({
    make("one-token", {{1}, {1}, 1, 1, 4, 4}),
    make("a-step-of-three-sequences", {{65, 3, 130}, {1, 1, 1}, 4, 2, 8, 8}),
    make("a-prompt-beside-a-step", {{70, 21}, {1, 21}, 2, 2, 5, 7}, Memory::sliced),
    make("more-rows-than-a-tile", {{150}, {40}, 2, 1, 16, 16}),
    make("whole-sources", {{9, 66}, {3, 2}, 2, 2, 8, 8, true}),
    make("with-key-bias", {{80, 64}, {2, 64}, 3, 1, 8, 8, false, true}),
    make("with-a-window", {{150, 64, 3}, {1, 64, 3}, 2, 1, 8, 8, false, false, 10}),
    make("with-a-window-over-pages", {{300}, {40}, 2, 2, 8, 8, false, true, 70}),
    make("with-a-cap", {{80, 64}, {2, 64}, 3, 1, 8, 8, false, false, 0, 0.6}),
    make("with-distances", {{150, 64, 3}, {20, 64, 1}, 3, 1, 8, 8, false, false, 0, 0, true}),
    make("with-distances-and-a-window", {{150}, {20}, 2, 2, 8, 8, false, false, 70, 0, true}),
    make("prompts", even({{200, 70, 64}, {200, 70, 1}, 4, 2, 64, 64})),
    make("a-piece-of-a-prompt", even({{300}, {90}, 2, 1, 128, 128}), Memory::sliced),
    make("prompts-in-narrow-heads", even({{9, 140}, {9, 130}, 2, 2, 24, 24})),
    make("prompts-over-whole-sources", even({{9, 66}, {30, 20}, 2, 2, 8, 8, true})),
    make("prompts-with-key-bias-and-window", even({{150}, {70}, 2, 1, 16, 16, false, true, 70})),
    make("prompts-with-a-cap", even({{150}, {70}, 2, 1, 16, 16, false, false, 0, 0.6})),
    make("prompts-with-distances", even({{150}, {70}, 2, 1, 16, 16, false, false, 0, 0, true})),
    make("wide-heads", {{130}, {2}, 2, 1, 128, 128}),
    make("a-long-text", {{1000}, {1}, 12, 12, 64, 64}, Memory::dense, true),
});

}  // namespace
}  // namespace jogak::test
