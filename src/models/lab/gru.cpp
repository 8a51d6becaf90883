#include "models/lab/gru.h"

#include <array>
#include <cmath>
#include <cstdlib>

#include "autograd/autograd.h"
#include "nn/cache.h"
#include "ops/activation.h"
#include "ops/add.h"
#include "ops/cast.h"
#include "ops/concat.h"
#include "ops/linear_cross_entropy.h"
#include "ops/matmul.h"
#include "ops/mul.h"
#include "ops/reshape.h"
#include "ops/slice.h"
#include "ops/softmax.h"
#include "tensor/counting_device.h"

namespace jogak {
namespace {

Tensor sigmoid(const Tensor& x) {  // (1 + tanh(x / 2)) / 2
  return (tanh(x * 0.5) + full({1}, 1, x.dtype(), x.device())) * 0.5;
}

Tensor column(const Tensor& mask, int64_t t, DType dtype) {  // [B, T] -> [B, 1]
  return cast(slice(mask, 1, t, t + 1), dtype);
}

Embedding table_of(Params p, const LabConfig& c, int64_t rows) {
  return {p, rows, c.width, normal(1 / std::sqrt(static_cast<double>(c.width)))};
}

// Rows [first, first + count) of what a cache holds of a layer: values alone, [count, H].
Tensor cached_rows(const KvCache& cache, int sequence, int64_t layer, int64_t first,
                   int64_t count) {
  const PageLayout layout = cache.layout(layer);
  const int64_t H = layout.value_width, values = layout.first + layout.key_size();
  std::vector<Tensor> parts;
  for (int64_t at = first; at < first + count;) {
    const int64_t place = at % kPageTokens;
    const int64_t rows = std::min(first + count - at, kPageTokens - place);
    parts.push_back(
        cache.page(sequence, at / kPageTokens).view({rows, H}, {H, 1}, values + place * H));
    at += rows;
  }
  return parts.size() == 1 ? contiguous(parts[0]) : concat(parts, 0);
}

// States as a cache keeps them: a key of one number that nobody reads, and the value.
void keep_rows(const Tensor& states, const PageSlots& slots, const PageLayout& layout) {
  const Tensor flat = reshape(states, {-1, layout.value_width});
  const Tensor key = zeros({flat.dim(0), 1}, flat.dtype(), flat.device());
  cache_rows(contiguous(concat(std::array{key, flat}, 1)), slots, layout);
}

}  // namespace

GruLayer::GruLayer(Params p, int64_t in, int64_t hidden)
    : input(p / "input", in, 3 * hidden, xavier(in, hidden)),
      state(p / "state", hidden, 3 * hidden, xavier(hidden, hidden)),
      width(hidden) {}

Tensor GruLayer::step(const Tensor& from_input, const Tensor& h) const {
  const int64_t sizes[] = {2 * width, width}, halves[] = {width, width};
  const auto x = split(from_input, 1, sizes), u = split(state(h), 1, sizes);
  const auto gates =
      split(sigmoid(x[0] + u[0]), 1, halves);  // how much is kept, and how much stays
  const Tensor n = tanh(x[1] + gates[0] * u[1]);
  return n + gates[1] * (h - n);
}

Tensor GruLayer::operator()(const Tensor& x, Tensor h, const Tensor& mask) const {
  const int64_t B = x.dim(0), T = x.dim(1);
  const std::vector<int64_t> ones(static_cast<size_t>(T), 1);
  const std::vector<Tensor> steps = split(input(x), 1, ones);  // T times [B, 1, 3 H]
  std::vector<Tensor> out;
  for (int64_t t = 0; t < T; ++t) {
    const Tensor next = step(reshape(steps[static_cast<size_t>(t)], {B, 3 * width}), h);
    h = mask.defined() ? h + column(mask, t, h.dtype()) * (next - h) : next;
    out.push_back(reshape(h, {B, 1, width}));
  }
  return concat(out, 1);
}

AdditiveAttention::AdditiveAttention(Params p, int64_t width)
    : query(p / "query", width, width, xavier(width, width)),
      key(p / "key", width, width, xavier(width, width), false),
      score(p / "score", width, 1, xavier(width, 1), false) {}

Tensor AdditiveAttention::operator()(const Tensor& q, const Tensor& memory, const Tensor& mask,
                                     LayerRun run) const {
  const int64_t B = q.dim(0), T = q.dim(1), S = memory.dim(1), H = q.dim(2);
  const Tensor both = tanh(reshape(query(q), {B, T, 1, H}) + reshape(key(memory), {B, 1, S, H}));
  Tensor scores = reshape(score(both), {B, T, S});
  if (mask.defined()) {  // what is padding gets nothing
    const Tensor one = full({1}, 1, scores.dtype(), scores.device());
    scores = scores + reshape((cast(mask, scores.dtype()) - one) * 1e9, {B, 1, S});
  }
  const Tensor weights = softmax(scores);
  if (run.watched())
    run->see("cross_attentions", run.layer, reshape(weights, {B, 1, T, S}).detach());
  return matmul(weights, memory);  // [B, T, H]
}

Gru::Gru(Params p, const LabConfig& c)
    : config(c),
      source(table_of(p / (c.share_embeddings ? "shared" : "encoder.embed_tokens"), c, c.vocab)),
      target(c.share_embeddings ? source
                                : table_of(p / "decoder" / "embed_tokens", c, c.decoder_vocab)),
      out(p / "out", (c.mixer == LabConfig::Mixer::gru ? 1 : 2) * c.gru_width, c.width,
          xavier(c.gru_width, c.width)),
      lm_head{c.tied ? target.weight : table_of(p / "lm_head", c, c.decoder_vocab).weight} {
  for (int64_t i = 0; i < c.encoder_layers; ++i) {
    const std::string layer = std::to_string(i);
    const int64_t in = i == 0 ? c.width : c.gru_width;
    encoder.emplace_back(p / "encoder" / "layers" / layer, in, c.gru_width);
    decoder.emplace_back(p / "decoder" / "layers" / layer, in, c.gru_width);
  }
  if (c.mixer == LabConfig::Mixer::gru_attention) attention.emplace(p / "attention", c.gru_width);
}

static Tensor embedded(const Embedding& table, const Tensor& ids, const LabConfig& c, Run& run) {
  const double scale = c.scale_embedding ? std::sqrt(static_cast<double>(c.width)) : 1;
  return drop(table(ids, run) * scale, c.embedding_drop, run);
}

Tensor Gru::encode(const Source& in, Run& run) const {
  Tensor x = embedded(source, in.ids, config, run);
  std::vector<Tensor> each;
  const Tensor nothing = zeros({in.ids.dim(0), config.gru_width}, x.dtype(), x.device());
  for (size_t i = 0; i < encoder.size(); ++i) {
    run.layer(static_cast<int64_t>(i));  // a request to stop is seen here
    if (i > 0) x = drop(x, config.residual_drop, run);
    each.push_back(x = encoder[i](x, nothing, in.mask));
  }
  return concat(each, 2);
}

Tensor Gru::finish(const Tensor& states, const Tensor& seen) const {
  const Tensor all = attention ? concat(std::array{states, seen}, 2) : states;
  return out(all, Activation::tanh);
}

Tensor Gru::hidden(const Tensor& ids, const Tensor& memory, const Tensor& mask, Run& run) const {
  if (run.cache) return cached(ids, run);
  const std::vector<int64_t> widths(encoder.size(), config.gru_width);
  const std::vector<Tensor> of = split(memory, 2, widths);  // what each layer of the encoder made
  const int64_t B = ids.dim(0), S = memory.dim(1), H = config.gru_width;
  Tensor x = embedded(target, ids, config, run);
  for (size_t i = 0; i < decoder.size(); ++i) {
    if (i > 0) x = drop(x, config.residual_drop, run);
    x = decoder[i](x, reshape(slice(of[i], 1, S - 1, S), {B, H}), {});
  }
  return finish(x, attention ? (*attention)(x, of.back(), mask, run.layer(0)) : Tensor());
}

// Rows of a step one after the other: each from the state before it, of the cache or of the source.
Tensor Gru::cached(const Tensor& ids, Run& run) const {
  const CacheStep& step = *run.cache_step;
  const int64_t N = ids.dim(1), H = config.gru_width;
  const std::vector<int>& sources = step.sources.sequences;
  const auto top = static_cast<int64_t>(decoder.size()) - 1;
  Tensor x = reshape(embedded(target, ids, config, run), {N, config.width});
  for (int64_t layer = 0; layer <= top; ++layer) {
    const GruLayer& units = decoder[static_cast<size_t>(layer)];
    const Tensor inputs = units.input(x);  // [N, 3 H]
    std::vector<Tensor> states;
    for (int64_t r = 0; r < N; ++r) {
      const auto at = static_cast<size_t>(r);
      const int64_t place = step.positions[at];
      const bool goes_on = r > 0 && step.sequences[at] == step.sequences[at - 1];
      const int own = sources[at];
      const Tensor before =
          goes_on     ? states.back()
          : place > 0 ? cached_rows(*run.cache, step.sequences[at], layer, place - 1, 1)
                      : cached_rows(*run.sources, own, layer, run.sources->length(own) - 1, 1);
      states.push_back(units.step(slice(inputs, 0, r, r + 1), before));
    }
    x = concat(states, 0);  // [N, H]
    keep_rows(x, step.slots, run.cache->layout(layer));
  }
  std::vector<Tensor> seen;
  for (int64_t r = 0; attention && r < N; ++r) {
    const int own = sources[static_cast<size_t>(r)];
    const int64_t S = run.sources->length(own);
    const Tensor memory = reshape(cached_rows(*run.sources, own, top, 0, S), {1, S, H});
    seen.push_back((*attention)(reshape(slice(x, 0, r, r + 1), {1, 1, H}), memory, {}, run));
  }
  const Tensor all = finish(reshape(x, {1, N, H}), attention ? concat(seen, 1) : Tensor());
  return wanted_rows(all, run);
}

Tensor Gru::logits(const Tensor& hidden) const {
  return lm_head.apply(hidden, {}, Activation::none);
}

Seq2SeqModel gru_model(std::shared_ptr<const Gru> m) {
  const LabConfig& c = m->config;
  Seq2SeqModel out;
  out.encode = [m](const Source& source, Run& run) { return m->encode(source, run); };
  out.hidden = [m](const Tensor& ids, const Tensor& memory, const Tensor& mask, Run& run) {
    return m->hidden(ids, memory, mask, run);
  };
  out.decode = [m](const Tensor& ids, const Tensor& memory, const Tensor& mask, Run& run) {
    return m->logits(m->hidden(ids, memory, mask, run));
  };
  out.read = [m](const Tensor& x) { return m->logits(x); };
  out.loss_sum = [m](const Source& source, const Tensor& ids, const Tensor& targets,
                     double label_smoothing, Run& run) {
    const Tensor memory = m->encode(source, run);
    return linear_cross_entropy(m->hidden(ids, memory, source.mask, run), m->lm_head.dense, targets,
                                {.label_smoothing = label_smoothing, .reduction = Reduction::sum});
  };
  out.remember = [m](const Tensor& memory, const std::vector<int64_t>& lengths, KvCache& sources) {
    std::vector<int> numbers;
    for (size_t b = 0; b < lengths.size(); ++b) numbers.push_back(sources.add());
    sources.begin(numbers, lengths);
    const int64_t H = m->config.gru_width;
    for (int64_t i = 0; i < m->config.encoder_layers; ++i)
      keep_rows(slice(memory, 2, i * H, (i + 1) * H), sources.all_of(numbers, memory.dim(1)),
                sources.layout(i));
    return numbers;
  };
  constexpr int64_t kLongest = 1 << 24;  // there are no positions
  out.sources = {c.decoder_layers, 1, 1, c.gru_width, kLongest, &m->target.weight.device()};
  out.sources.states = true;
  out.decoder = {.forward = [m](const Tensor& ids,
                                Run& run) { return m->logits(m->hidden(ids, {}, {}, run)); },
                 .cache = out.sources,
                 .trained = c.context,
                 .vocab = c.decoder_vocab};
  out.source_vocab = c.vocab;
  out.start = static_cast<int>(c.start), out.end = static_cast<int>(c.end);
  out.pad = static_cast<int>(c.pad);
  return out;
}

// Weights of a fresh model, counted where nothing is computed.
template <class Net>
static int64_t count_of(const LabConfig& c) {
  CountingDevice nowhere;
  ParamStore store = ParamStore::fresh(0, DType::f32, nowhere);
  const Net net(Params(store), c);
  return store.count();
}

int64_t gru_width_for(const LabConfig& c) {
  const int64_t wanted = count_of<Lab>(c);
  LabConfig tried = c;
  const auto too_many = [&](int64_t width) {
    tried.gru_width = width;
    return count_of<Gru>(tried) > wanted;
  };
  int64_t low = 1, high = 2;
  while (!too_many(high)) low = high, high *= 2;
  while (high - low > 1) (too_many((low + high) / 2) ? high : low) = (low + high) / 2;
  return low;
}

}  // namespace jogak
