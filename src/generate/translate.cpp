#include "generate/translate.h"

#include <algorithm>
#include <numeric>

#include "autograd/autograd.h"

namespace jogak {
namespace {

// Padded with the pad id; a mask only where there is padding.
Source source_batch(const Seq2SeqModel& model, std::span<const std::vector<int>> sources,
                    std::span<const size_t> order) {
  size_t longest = 0, shortest = SIZE_MAX;
  for (const size_t i : order) {
    longest = std::max(longest, sources[i].size());
    shortest = std::min(shortest, sources[i].size());
  }
  std::vector<int64_t> ids, real;
  for (const size_t i : order) {
    ids.insert(ids.end(), sources[i].begin(), sources[i].end());
    real.insert(real.end(), sources[i].size(), 1);
    ids.resize(ids.size() + longest - sources[i].size(), model.pad);
    real.resize(ids.size(), 0);
  }
  const Shape shape{static_cast<int64_t>(order.size()), static_cast<int64_t>(longest)};
  return {from_values(ids, shape),
          shortest < longest ? cast(from_values(real, shape), DType::boolean) : Tensor()};
}

// The mean over heads of what cross-attention shows.
class CrossWeights : public Probe {
 public:
  explicit CrossWeights(int64_t layer) : layer_(layer) {}
  bool wants_attention() const override { return true; }
  void see(std::string_view name, int64_t layer, const Tensor& value) override {
    if (name != "cross_attentions" || (layer_ >= 0 && layer != layer_)) return;
    const auto weights = to_host<float>(cast(value, DType::f32));  // [1, H, T, S]
    const auto rows = static_cast<size_t>(value.dim(2) * value.dim(3));
    sums_.resize(rows);
    for (size_t i = 0; i < weights.size(); ++i) sums_[i % rows] += weights[i];
    maps_ += value.dim(1);
    shape_ = {value.dim(2), value.dim(3)};
  }
  Tensor mean() const {
    ensure<UsageError>(maps_ > 0, "alignment: the decoder has no layer ", layer_);
    std::vector<float> out;
    for (const double sum : sums_) out.push_back(static_cast<float>(sum / double(maps_)));
    return from_values(out, shape_);
  }

 private:
  int64_t layer_, maps_ = 0;
  Shape shape_;
  std::vector<double> sums_;
};

// What the options leave to the model. Of one beam that draws, each text is a search of its own.
BeamOptions complete(const Seq2SeqModel& model, const TranslateOptions& options) {
  BeamOptions out = options.beam;
  out.eos_ids = options.ends.value_or(std::vector<int>{model.end});
  if (!options.may_pad && model.pad != model.end) out.rules.bad_words_ids.push_back({model.pad});
  if (out.beams == 1 && out.sampling.temperature > 0) out.n_best = 1;
  return out;
}

}  // namespace

void check_source(const Seq2SeqModel& model, std::span<const int> source) {
  ensure<UsageError>(!source.empty(), "source: found no tokens, wanted at least one");
  for (const int id : source)
    ensure<UsageError>(id >= 0 && id < model.source_vocab, "source: found the token ", id,
                       ", wanted 0 to ", model.source_vocab - 1);
  ensure<UsageError>(static_cast<int64_t>(source.size()) <= model.sources.context, "source: found ",
                     source.size(), " tokens, the model reads at most ", model.sources.context);
}

std::vector<std::vector<BeamText>> translate(const Seq2SeqModel& model,
                                             std::span<const std::vector<int>> sources,
                                             const TranslateOptions& options) {
  const NoGrad quiet;
  const BeamOptions beam = complete(model, options);
  const size_t drawn = beam.n_best < options.beam.n_best ? size_t(options.beam.n_best) : 1;
  for (const auto& source : sources) check_source(model, source);
  std::vector<size_t> order(sources.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return sources[a].size() > sources[b].size();  // the longest first: memory shows at once
  });
  std::vector<std::vector<BeamText>> out(sources.size());
  const auto tell = [&](size_t done) {
    if (options.progress)
      options.progress(static_cast<int64_t>(done), static_cast<int64_t>(sources.size()));
  };
  tell(0);
  const auto many = static_cast<size_t>(std::max<int64_t>(1, options.sentences));
  for (size_t first = 0; first < order.size(); first += many) {
    const auto group = std::span(order).subspan(first, std::min(many, order.size() - first));
    Run run;
    run.stop = options.stop;
    std::vector<int64_t> lengths;
    for (const size_t i : group) lengths.push_back(static_cast<int64_t>(sources[i].size()));
    KvCache cache(model.sources);
    const std::vector<int> numbers =
        model.remember(model.encode(source_batch(model, sources, group), run), lengths, cache);
    std::vector<BeamRequest> requests;
    for (size_t i = 0; i < group.size() * drawn; ++i) {
      const size_t from = i / drawn;
      requests.push_back({.prompt = {options.start >= 0 ? options.start : model.start},
                          .max_new = options.max_new > 0 ? options.max_new : 2 * lengths[from] + 50,
                          .source = numbers[from],
                          .source_ids = sources[group[from]],
                          .stream = i % drawn});
    }
    auto texts = beam_search(model.decoder, requests, beam, &cache, options.stop);
    for (size_t i = 0; i < texts.size(); ++i)
      for (BeamText& text : texts[i]) out[group[i / drawn]].push_back(std::move(text));
    tell(first + group.size());
  }
  return out;
}

Tensor alignment(const Seq2SeqModel& model, std::span<const int> source,
                 std::span<const int> target, int64_t layer) {
  const NoGrad quiet;
  check_source(model, source);
  ensure<UsageError>(!target.empty(), "alignment: found no target tokens, wanted at least one");
  // What the decoder read when it wrote each of them: the start and all before the last.
  std::vector<int64_t> read = {model.start};
  read.insert(read.end(), target.begin(), target.end() - 1);
  CrossWeights weights(layer);
  Run run;
  run.probe = &weights;
  const std::vector<int64_t> ids(source.begin(), source.end());
  const auto S = static_cast<int64_t>(ids.size()), T = static_cast<int64_t>(read.size());
  const Tensor memory = model.encode({from_values(ids, {1, S}), {}}, run);
  model.decode(from_values(read, {1, T}), memory, {}, run);
  return weights.mean();
}

}  // namespace jogak
