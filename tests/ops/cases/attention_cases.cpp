#include <cmath>

#include "ops/alibi.h"
#include "ops/attention.h"
#include "tests/ops/case.h"

namespace jogak::test {
namespace {

struct Sizes {
  int64_t b, tq, tk, h, g, d, e;
  int64_t window = 0;
  double cap = 0;
};

// Lines a head adds to its scores: steeper with every head, over the real keys of a batch.
double line_at(int64_t h, int64_t place) {
  return static_cast<float>(h + 1) * static_cast<float>(place) / 50.0f;
}
Tensor lines_for(const Tensor& q, int64_t keys, const Tensor& mask) {
  const Tensor slopes = cast(arange(1, q.dim(2) + 1, q.device()), DType::f32);
  return alibi(slopes, keys, {.key_mask = mask, .divisor = 50});
}

// Plain loops over q, k, v as [B, T, heads, width]; mask (when given) over [B, Tk].
Values plain(const Values& q, const Values& k, const Values& v, const Values* mask, bool causal,
             Sizes n, bool lines = false, const Values* distances = nullptr) {
  Values out({n.b, n.tq, n.h, n.e});
  const double scale = 1 / std::sqrt(static_cast<double>(n.d));
  for (int64_t b = 0; b < n.b; ++b)
    for (int64_t h = 0; h < n.h; ++h)
      for (int64_t i = 0; i < n.tq; ++i) {
        const int64_t kv = h / (n.h / n.g);
        std::vector<double> w(static_cast<size_t>(n.tk), 0.0);
        double top = -INFINITY, sum = 0;
        const auto seen = [&](int64_t j) {
          const int64_t back = i + n.tk - n.tq - j;
          return (!causal || back >= 0) && (n.window == 0 || std::abs(back) < n.window) &&
                 (!mask || (*mask)[b * n.tk + j] != 0);
        };
        int64_t real = 0;
        for (int64_t j = 0; j < n.tk; ++j) {
          for (int64_t c = 0; c < n.d; ++c)
            w[j] +=
                q[((b * n.tq + i) * n.h + h) * n.d + c] * k[((b * n.tk + j) * n.g + kv) * n.d + c];
          w[j] *= scale;
          if (n.cap > 0) w[j] = n.cap * std::tanh(w[j] / n.cap);
          if (lines && (!mask || (*mask)[b * n.tk + j] != 0)) w[j] += line_at(h, real++);
          if (distances)
            w[j] += (*distances)[h * (n.tq + n.tk - 1) + n.tk - 1 + j - (i + n.tk - n.tq)];
          if (seen(j)) top = std::max(top, w[j]);
        }
        for (int64_t j = 0; j < n.tk; ++j) sum += w[j] = seen(j) ? std::exp(w[j] - top) : 0;
        for (int64_t j = 0; j < n.tk; ++j)
          for (int64_t c = 0; c < n.e; ++c)
            out[((b * n.tq + i) * n.h + h) * n.e + c] +=
                sum > 0 ? w[j] / sum * v[((b * n.tk + j) * n.g + kv) * n.e + c] : 0;
      }
  return out;
}

OpCase make(const char* name, Sizes n, bool causal = false, bool masked = false,
            Memory memory = Memory::dense, std::vector<Input> bench = {}) {
  std::vector<Input> inputs = {{{n.b, n.tq, n.h, n.d}, Fill::normal, 0, memory},
                               {{n.b, n.tk, n.g, n.d}, Fill::normal, 0, memory},
                               {{n.b, n.tk, n.g, n.e}, Fill::normal, 0, memory}};
  if (masked) inputs.push_back({{n.b, n.tk}, Fill::flags});
  return {
      .op = "attention",
      .name = name,
      .inputs = std::move(inputs),
      .call =
          [=](std::span<const Tensor> in) {
            AttentionOptions o{.causal = causal, .window = n.window, .cap = n.cap};
            if (masked) o.key_mask = in[3];
            return std::vector{attention(in[0], in[1], in[2], o)};
          },
      .reference =
          [=](std::span<const Values> in) {
            return std::vector{plain(in[0], in[1], in[2], masked ? &in[3] : nullptr, causal, n)};
          },
      .slack = 2,
      .bench = std::move(bench)};
}

// The same with a key bias.
OpCase biased(const char* name, Sizes n, bool causal, bool masked) {
  OpCase c = make(name, n, causal, masked);
  c.call = [=](std::span<const Tensor> in) {
    AttentionOptions o{.causal = causal, .window = n.window, .cap = n.cap};
    if (masked) o.key_mask = in[3];
    o.key_bias = lines_for(in[0], n.tk, o.key_mask);
    return std::vector{attention(in[0], in[1], in[2], o)};
  };
  c.reference = [=](std::span<const Values> in) {
    return std::vector{plain(in[0], in[1], in[2], masked ? &in[3] : nullptr, causal, n, true)};
  };
  return c;
}

// The same with a bias by distance, which has a gradient.
OpCase distant(const char* name, Sizes n, bool causal, bool masked, Memory memory = Memory::dense) {
  OpCase c = make(name, n, causal, masked, memory);
  c.inputs.push_back({{n.h, n.tq + n.tk - 1}, Fill::normal, 0, memory});
  c.call = [=](std::span<const Tensor> in) {
    AttentionOptions o{.causal = causal, .window = n.window};
    if (masked) o.key_mask = in[3];
    o.distance_bias = in.back();
    return std::vector{attention(in[0], in[1], in[2], o)};
  };
  c.reference = [=](std::span<const Values> in) {
    return std::vector{
        plain(in[0], in[1], in[2], masked ? &in[3] : nullptr, causal, n, false, &in.back())};
  };
  return c;
}

OpCase packed(const char* name, Sizes n) {
  return {.op = "attention_packed",
          .name = name,
          .inputs = {{{n.b, n.tq, (n.h + 2 * n.g) * n.d}}},
          .call =
              [=](std::span<const Tensor> in) {
                return std::vector{attention_packed(in[0], n.h, n.g, {.causal = true})};
              },
          .reference =
              [=](std::span<const Values> in) {
                Values q({n.b, n.tq, n.h, n.d}), k({n.b, n.tq, n.g, n.d}), v = k;
                const int64_t all = (n.h + 2 * n.g) * n.d;
                for (int64_t row = 0; row < n.b * n.tq; ++row) {
                  for (int64_t i = 0; i < n.h * n.d; ++i)
                    q[row * n.h * n.d + i] = in[0][row * all + i];
                  for (int64_t i = 0; i < n.g * n.d; ++i) {
                    k[row * n.g * n.d + i] = in[0][row * all + n.h * n.d + i];
                    v[row * n.g * n.d + i] = in[0][row * all + (n.h + n.g) * n.d + i];
                  }
                }
                Values out = plain(q, k, v, nullptr, true, n);
                out.shape = {n.b, n.tq, n.h * n.d};
                return std::vector{out};
              },
          .slack = 2};
}

OpCase weights(const char* name, Sizes n) {
  return {.op = "attention_weights",
          .name = name,
          .inputs = {{{n.b, n.tq, n.h, n.d}}, {{n.b, n.tk, n.g, n.d}}},
          .call =
              [](std::span<const Tensor> in) {
                return std::vector{attention_weights(in[0], in[1], {.causal = true})};
              },
          .reference =
              [=](std::span<const Values> in) {  // values that are unit vectors give the weights
                Values v({n.b, n.tk, n.g, n.tk}), out({n.b, n.h, n.tq, n.tk});
                for (int64_t b = 0; b < n.b; ++b)
                  for (int64_t j = 0; j < n.tk; ++j)
                    for (int64_t g = 0; g < n.g; ++g) v[((b * n.tk + j) * n.g + g) * n.tk + j] = 1;
                Sizes wide = n;
                wide.e = n.tk;
                const Values y = plain(in[0], in[1], v, nullptr, true, wide);
                for (int64_t b = 0; b < n.b; ++b)
                  for (int64_t i = 0; i < n.tq; ++i)
                    for (int64_t h = 0; h < n.h; ++h)
                      for (int64_t j = 0; j < n.tk; ++j)
                        out[((b * n.h + h) * n.tq + i) * n.tk + j] =
                            y[((b * n.tq + i) * n.h + h) * n.tk + j];
                return std::vector{out};
              },
          .differentiable = false,
          .slack = 2};
}

const AddCases cases({
    make("one", {1, 1, 1, 1, 1, 1, 1}),
    make("full", {2, 3, 3, 2, 2, 4, 4}),
    make("causal", {2, 5, 5, 3, 3, 5, 5}, true, false, Memory::dense,
         {{{4, 256, 12, 64}}, {{4, 256, 12, 64}}, {{4, 256, 12, 64}}}),
    make("padding", {3, 4, 6, 2, 2, 4, 4}, false, true),
    make("causal-padding", {3, 6, 6, 2, 2, 4, 4}, true, true),
    make("cross", {2, 3, 7, 2, 2, 4, 4}),
    make("past", {1, 2, 7, 2, 2, 4, 4}, true),
    make("grouped", {2, 4, 4, 6, 2, 3, 3}, true),
    make("one-kv-head", {2, 4, 4, 4, 1, 8, 8}, true),
    make("value-width", {2, 4, 5, 2, 2, 6, 3}),
    make("over-a-tile", {1, 67, 130, 2, 1, 3, 5}, true),
    make("strided", {2, 4, 5, 3, 3, 4, 4}, true, false, Memory::sliced),
    make("transposed", {2, 4, 5, 3, 3, 4, 4}, true, false, Memory::transposed),
    make("no-queries", {2, 0, 3, 2, 2, 4, 4}),
    biased("bias", {2, 3, 5, 3, 3, 4, 4}, false, false),
    biased("causal-bias", {2, 6, 6, 4, 2, 5, 5}, true, false),
    biased("bias-and-padding", {3, 6, 6, 2, 1, 4, 4}, true, true),
    biased("bias-over-a-tile", {1, 67, 130, 2, 1, 3, 5}, true, false),
    make("heads-of-64", {1, 37, 37, 2, 1, 64, 64}, true),
    make("heads-of-64-past", {1, 5, 140, 2, 2, 64, 64}, true),
    make("heads-of-64-padding", {2, 3, 70, 2, 2, 64, 64}, false, true),
    make("heads-of-128", {1, 70, 70, 2, 1, 128, 128}, true),
    biased("heads-of-64-bias", {2, 20, 20, 2, 2, 64, 64}, true, true),
    packed("heads-of-64", {1, 140, 140, 2, 1, 64, 64}),
    make("window", {2, 7, 7, 2, 1, 4, 4, 3}, true),
    make("window-of-one", {1, 4, 4, 2, 2, 4, 4, 1}, true),
    make("window-both-ways", {2, 6, 6, 2, 2, 4, 4, 3}, false, true),
    make("window-over-tiles", {1, 150, 200, 2, 1, 3, 5, 66}, true),
    make("window-longer-than-the-text", {1, 5, 5, 2, 2, 4, 4, 9}, true, true),
    make("cap", {2, 5, 5, 3, 3, 5, 5, 0, 0.7}, true),
    make("cap-and-window", {1, 67, 130, 2, 1, 3, 5, 40, 2.5}, true, true),
    biased("window-and-bias", {2, 6, 6, 4, 2, 5, 5, 4}, true, true),
    distant("distances", {2, 5, 5, 3, 3, 4, 4}, false, false),
    distant("distances-of-one", {1, 1, 1, 2, 1, 3, 3}, false, false),
    distant("distances-causal", {2, 6, 6, 4, 2, 5, 5}, true, false),
    distant("distances-and-padding", {3, 4, 6, 2, 2, 4, 4}, false, true),
    distant("distances-over-a-tile", {1, 67, 130, 2, 1, 3, 5}, false, false),
    distant("distances-strided", {2, 4, 7, 2, 2, 4, 4}, true, false, Memory::transposed),
    distant("distances-and-a-window", {2, 7, 7, 2, 1, 4, 4, 3}, true, true),
    distant("distances-without-queries", {2, 0, 3, 2, 2, 4, 4}, false, false),
    make("heads-of-64-window", {1, 150, 150, 1, 1, 64, 64, 40}, true),
    make("heads-of-64-window-both-ways", {1, 40, 70, 2, 1, 64, 64, 20}, false),
    make("heads-of-64-cap", {1, 37, 37, 2, 1, 64, 64, 0, 1.5}, true),
    make("heads-of-128-cap-and-window", {1, 40, 75, 2, 1, 128, 128, 21, 2.5}, true, true),
    packed("heads", {2, 5, 5, 3, 3, 4, 4}),
    packed("grouped", {1, 70, 70, 4, 2, 3, 3}),
    weights("causal", {2, 5, 5, 2, 1, 4, 4}),
    weights("past", {1, 3, 70, 2, 2, 4, 4}),
});

}  // namespace
}  // namespace jogak::test
