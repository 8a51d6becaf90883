#include "generate/translate.h"

#include <algorithm>
#include <numeric>

#include "autograd/autograd.h"

namespace jogak {
namespace {

// Padded with the pad id; a mask only where there is padding.
Source source_batch(const Seq2SeqModel& model, std::span<const std::vector<int>> sources) {
  size_t longest = 0, shortest = SIZE_MAX;
  for (const auto& source : sources) {
    longest = std::max(longest, source.size());
    shortest = std::min(shortest, source.size());
  }
  std::vector<int64_t> ids, real;
  for (const auto& source : sources) {
    ids.insert(ids.end(), source.begin(), source.end());
    real.insert(real.end(), source.size(), 1);
    ids.resize(ids.size() + longest - source.size(), model.pad);
    real.resize(ids.size(), 0);
  }
  const Shape shape{std::ssize(sources), static_cast<int64_t>(longest)};
  return {from_values(ids, shape),
          shortest < longest ? cast(from_values(real, shape), DType::boolean) : Tensor()};
}

// The mean over heads of what cross-attention shows, of every row of a batch.
class CrossWeights : public Probe {
 public:
  explicit CrossWeights(int64_t layer) : layer_(layer) {}
  bool wants_attention() const override { return true; }
  void see(std::string_view name, int64_t layer, const Tensor& value) override {
    if (name != "cross_attentions" || (layer_ >= 0 && layer != layer_)) return;
    const auto weights = to_host<float>(cast(value, DType::f32));  // [B, H, T, S]
    const auto heads = static_cast<size_t>(value.dim(1));
    targets_ = static_cast<size_t>(value.dim(2)), sources_ = static_cast<size_t>(value.dim(3));
    const size_t map = targets_ * sources_;
    sums_.resize(weights.size() / heads);
    for (size_t i = 0; i < weights.size(); ++i)
      sums_[i / (map * heads) * map + i % map] += weights[i];
    maps_ += value.dim(1);
  }
  // Of row b, whose text and source are so many tokens long.
  Tensor mean(size_t b, int64_t targets, int64_t sources) const {
    ensure<UsageError>(maps_ > 0, "alignment: the decoder has no layer ", layer_);
    std::vector<float> out;
    for (size_t t = 0; t < static_cast<size_t>(targets); ++t)
      for (size_t s = 0; s < static_cast<size_t>(sources); ++s)
        out.push_back(static_cast<float>(sums_[(b * targets_ + t) * sources_ + s] / double(maps_)));
    return from_values(out, {targets, sources});
  }

 private:
  int64_t layer_, maps_ = 0;
  size_t targets_ = 0, sources_ = 0;
  std::vector<double> sums_;
};

struct Encoded {  // the sources of one group, as the encoder made them
  Tensor memory, mask;
  std::vector<int64_t> lengths;
};

using Texts = std::vector<std::vector<BeamText>>;  // of each source, best first

// Where texts looked, all of them in one pass: texts[b] is of source b, or null.
void align(const Seq2SeqModel& model, const Encoded& sources, std::span<BeamText* const> texts,
           int start, int64_t layer) {
  size_t longest = 0;
  for (const BeamText* text : texts) longest = std::max(longest, text ? text->ids.size() : 0);
  std::vector<int64_t> read;  // to write each token: the start and all tokens before it
  for (const BeamText* text : texts) {
    const size_t row = read.size();
    read.push_back(start);
    if (text) read.insert(read.end(), text->ids.begin(), text->ids.end() - 1);
    read.resize(row + longest, model.pad);
  }
  CrossWeights weights(layer);
  Run run;
  run.probe = &weights;
  const Shape shape{static_cast<int64_t>(texts.size()), static_cast<int64_t>(longest)};
  model.hidden(from_values(read, shape), sources.memory, sources.mask, run);
  for (size_t b = 0; b < texts.size(); ++b)
    if (texts[b])
      texts[b]->alignment = weights.mean(b, std::ssize(texts[b]->ids), sources.lengths[b]);
}

// The best text of every source together, then the second best.
void align_all(const Seq2SeqModel& model, const Encoded& sources, Texts& texts, int start,
               int64_t layer) {
  size_t most = 0;
  for (const auto& of_source : texts) most = std::max(most, of_source.size());
  for (size_t rank = 0; rank < most; ++rank) {
    std::vector<BeamText*> row;
    for (auto& of_source : texts)
      row.push_back(rank < of_source.size() ? &of_source[rank] : nullptr);
    align(model, sources, row, start, layer);
  }
}

// What the options leave to the model. Of one beam that draws, each text is a search of its own.
BeamOptions complete(const Seq2SeqModel& model, const TranslateOptions& options) {
  BeamOptions out = options.beam;
  out.eos_ids = options.ends.value_or(std::vector<int>{model.end});
  if (!options.may_pad && model.pad != model.end) out.rules.bad_words_ids.push_back({model.pad});
  if (out.beams == 1 && out.sampling.temperature > 0) out.n_best = 1;
  return out;
}

// Sentences that share their passes.
Texts translate_group(const Seq2SeqModel& model, std::span<const std::vector<int>> sources,
                      const BeamOptions& beam, const TranslateOptions& options) {
  Run run;
  run.stop = options.stop;
  const Source batch = source_batch(model, sources);
  Encoded encoded{model.encode(batch, run), batch.mask, {}};
  for (const auto& source : sources) encoded.lengths.push_back(std::ssize(source));
  KvCache cache(model.sources);
  const std::vector<int> numbers = model.remember(encoded.memory, encoded.lengths, cache);
  const int start = options.start >= 0 ? options.start : model.start;
  const size_t drawn = beam.n_best < options.beam.n_best ? size_t(options.beam.n_best) : 1;
  std::vector<BeamRequest> requests;
  for (size_t i = 0; i < sources.size() * drawn; ++i) {
    const size_t from = i / drawn;
    const int64_t usual = 2 * encoded.lengths[from] + 50;
    requests.push_back({.prompt = {start},
                        .max_new = options.max_new > 0 ? options.max_new : usual,
                        .source = numbers[from],
                        .source_ids = sources[from],
                        .stream = i % drawn});
  }
  Texts texts = beam_search(model.decoder, requests, beam, &cache, options.stop),
        out(sources.size());
  for (size_t i = 0; i < texts.size(); ++i)
    for (BeamText& text : texts[i]) out[i / drawn].push_back(std::move(text));
  if (options.alignment) align_all(model, encoded, out, start, options.alignment_layer);
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
  for (const auto& source : sources) check_source(model, source);
  std::vector<size_t> order(sources.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return sources[a].size() > sources[b].size();  // the longest first: memory shows at once
  });
  Texts out(sources.size());
  const auto tell = [&](size_t done) {
    if (options.progress)
      options.progress(static_cast<int64_t>(done), static_cast<int64_t>(sources.size()));
  };
  tell(0);
  const auto many = static_cast<size_t>(std::max<int64_t>(1, options.sentences));
  for (size_t first = 0; first < order.size(); first += many) {
    const auto group = std::span(order).subspan(first, std::min(many, order.size() - first));
    std::vector<std::vector<int>> together;
    for (const size_t i : group) together.push_back(sources[i]);
    Texts found = translate_group(model, together, beam, options);
    for (size_t i = 0; i < group.size(); ++i) out[group[i]] = std::move(found[i]);
    tell(first + group.size());
  }
  return out;
}

}  // namespace jogak
