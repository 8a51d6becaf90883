#include "app/show/head_view.h"

#include "autograd/autograd.h"
#include "ops/attention.h"

namespace jogak {
namespace {

constexpr int64_t kShownTokens = 24;  // a table of more is not read by anyone

// Keeps what one layer's self-attention is given.
class HeadProbe : public Probe {
 public:
  HeadProbe(int64_t layer, bool source) : layer_(layer), source_(source) {}

  Tensor pass(const ProbeStep& step, const Tensor&, const Tensor& out) override {
    if (step.layer >= 0 && step.source == source_) layers = std::max(layers, step.layer + 1);
    by_distance |= step.path == "relative" || step.path.ends_with("rel_embeddings") ||
                   (step.path == "alibi" && out.rank() == 2);
    if (!here(step)) return out;
    if (step.detail == "q") q = out;
    if (step.detail == "k") k = out;
    if (step.detail == "v") v = out;
    return out;
  }
  void attend(const ProbeStep& step, AttentionOptions& options) override {
    if (here(step)) attention = options;
  }

  Tensor q, k, v;  // [B, T, heads or key heads, width]
  AttentionOptions attention;
  int64_t layers = 0;
  bool by_distance = false;  // scores are of distances, too

 private:
  bool here(const ProbeStep& step) const { return step.layer == layer_ && step.source == source_; }

  int64_t layer_;
  bool source_;
};

// Head `head` of the first text, [T, width].
Matrix matrix_of(const Tensor& heads, int64_t head) {
  const std::vector<double> all = to_host<double>(heads);
  const int64_t T = heads.dim(1), H = heads.dim(2), D = heads.dim(3);
  Matrix out(T, D);
  for (int64_t t = 0; t < T; ++t)
    for (int64_t d = 0; d < D; ++d) out.at(t, d) = all[static_cast<size_t>((t * H + head) * D + d)];
  return out;
}

// A head's line of a bias [1, heads, T or more], of which the first T are meant.
Matrix bias_of(const Tensor& bias, int64_t head, int64_t tokens) {
  const std::vector<double> all = to_host<double>(bias);
  Matrix out(1, tokens);
  for (int64_t j = 0; j < tokens; ++j)
    out.at(0, j) = all[static_cast<size_t>(head * bias.dim(2) + j)];
  return out;
}

}  // namespace

HeadView head_view(const HeadChoice& c) {
  ensure<UsageError>(!c.input.empty(),
                     "qkv: found --model without --text, wanted a text to look at");
  const InspectSubject subject(c.directory);
  const InspectInput input = subject.input(c.input);
  const bool translates = subject.model().translates();
  const auto watched = [&](bool source) {
    HeadProbe probe(c.layer, source);
    Run run;
    run.probe = &probe;
    const NoGrad quiet;
    forward(subject.model(), input.inputs(), run);
    return probe;
  };
  HeadProbe probe = watched(translates);
  if (probe.layers == 0) probe = watched(!translates);  // the other tower's input was given
  ensure<UsageError>(probe.q.defined() && probe.k.defined() && probe.v.defined(),
                     "qkv: found layer ", c.layer, ", wanted 0 to ", probe.layers - 1);
  const int64_t heads = probe.q.dim(2), shared = heads / probe.k.dim(2), tokens = probe.q.dim(1);
  ensure<UsageError>(c.head >= 0 && c.head < heads, "qkv: found head ", c.head, ", wanted 0 to ",
                     heads - 1);
  ensure<UsageError>(tokens <= kShownTokens, "qkv: found a text of ", tokens,
                     " tokens, wanted at most ", kShownTokens);
  ensure<UsageError>(probe.attention.window == 0 && probe.attention.cap == 0, "qkv: layer ",
                     c.layer, " attends in a window or with capped scores, which this lesson ",
                     "does not show; jogak inspect attention does");
  ensure<UsageError>(!probe.by_distance, "qkv: scores of layer ", c.layer,
                     " are of distances, too, which this lesson does not show; jogak inspect ",
                     "attention does");
  HeadView out;
  out.model = subject.model().model_type;
  out.layer = c.layer;
  out.head = c.head;
  out.words = translates ? input.names.source : input.names.target;
  if (static_cast<int64_t>(out.words.size()) != tokens) {
    out.words.clear();
    for (int64_t t = 0; t < tokens; ++t) out.words.push_back(std::to_string(t));
  }
  out.q = matrix_of(probe.q, c.head);
  out.k = matrix_of(probe.k, c.head / shared);
  out.v = matrix_of(probe.v, c.head / shared);
  out.scale = probe.attention.scale;
  out.causal = probe.attention.causal;
  if (probe.attention.key_mask.defined()) {
    const auto real = to_host<uint8_t>(probe.attention.key_mask);
    out.real = Matrix(1, tokens);
    for (int64_t j = 0; j < tokens; ++j) out.real.at(0, j) = real[static_cast<size_t>(j)] ? 1 : 0;
  }
  if (probe.attention.key_bias.defined())
    out.bias = bias_of(probe.attention.key_bias, c.head, tokens);
  return out;
}

}  // namespace jogak
