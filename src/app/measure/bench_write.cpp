// How fast texts are written and translated.
#include <algorithm>
#include <numeric>
#include <optional>

#include "app/data/random_example.h"
#include "app/measure/bench_model.h"
#include "autograd/profile.h"
#include "generate/batcher.h"
#include "generate/translate.h"
#include "ops/kernels/machine.h"

namespace jogak {
namespace {

// One prompt of `seq` tokens for each text, then `steps` tokens, timed apart.
struct Writing {
  double first = 0;                  // seconds of the prompt and its first token
  std::vector<double> times, reads;  // of each token after it: seconds, GB/s of memory beside it

  int64_t weight_bytes = 0;  // that the last token read; 0: nobody counted

  Writing(const BenchOptions& r, const Model& model, const ReadMeter* meter, int64_t steps,
          bool count = false) {
    const std::vector<int64_t> ids = random_tokens(r.seq, model.vocab);
    const auto start = BenchClock::now();
    Batcher batcher(model.causal, nullptr, {.sequences = static_cast<int>(r.batch)});
    for (int64_t b = 0; b < r.batch; ++b)
      batcher.add({.prompt = std::vector<int>(ids.begin(), ids.end()), .max_new = steps + 1});
    batcher.step();
    first = seconds_since(start);
    for (bool more = true; more;) {
      std::optional<OpProfile> counter;
      if (count) counter.emplace(model.store->device());
      const auto begin = BenchClock::now();
      more = batcher.step();
      if (!more) break;
      times.push_back(seconds_since(begin));
      if (counter) weight_bytes = static_cast<int64_t>(counter->weight_bytes());
      if (meter) reads.push_back(meter->once());
    }
  }
  double rest() const { return std::accumulate(times.begin(), times.end(), 0.0); }
};

// What each token read of memory, and what the memory gave beside it.
ReadingSpeed reading_speed(int64_t bytes, const std::vector<double>& times,
                           const std::vector<double>& reads) {
  const double gigabytes = 1e-9 * static_cast<double>(bytes);
  std::vector<double> shares;
  for (size_t i = 0; i < reads.size(); ++i) shares.push_back(gigabytes / times[i] / reads[i]);
  return {.weight_bytes_per_token = bytes,
          .weight_gb_s = gigabytes / median_of(times),
          .read_gb_s = median_of(reads),
          .bandwidth_share = median_of(shares),
          .weight_gb_s_best = gigabytes / *std::min_element(times.begin(), times.end()),
          .read_gb_s_best = *std::max_element(reads.begin(), reads.end())};
}

}  // namespace

GenerateBench bench_generate(const BenchOptions& r) {
  const Model model = bench_model(r, weight_use(r.dtype));
  ensure<UsageError>(model.causal.forward != nullptr, "bench generate: ", r.family,
                     " does not continue text");
  const std::optional<ReadMeter> meter =
      r.batch == 1 ? std::make_optional<ReadMeter>() : std::nullopt;
  const Writing warm_up(r, model, nullptr, 2, true);
  double first = 1e30, rest = 1e30;
  std::vector<double> times, reads;
  for (int round = 0; round < r.rounds; ++round) {
    const Writing one(r, model, meter ? &*meter : nullptr, r.steps);
    first = std::min(first, one.first), rest = std::min(rest, one.rest());
    times.insert(times.end(), one.times.begin(), one.times.end());
    reads.insert(reads.end(), one.reads.begin(), one.reads.end());
  }
  GenerateBench out{.model = benched(r, model),
                    .prefill_tokens_per_s = static_cast<double>(r.batch * r.seq) / first,
                    .decode_tokens_per_s = static_cast<double>(r.batch * r.steps) / rest,
                    .first_token_ms = 1e3 * first,
                    .peak_rss_mb = peak_rss_mb()};
  if (meter) out.reading = reading_speed(warm_up.weight_bytes, times, reads);
  return out;
}

// Sentences of `seq` random tokens; every translation has `steps` tokens, none may end before.
TranslateBench bench_translate(const BenchOptions& r) {
  const Model model = bench_model(r, weight_use(r.dtype));
  ensure<UsageError>(model.translates(), "bench translate: ", r.family,
                     " does not translate, --family seq2seq does");
  std::vector<std::vector<int>> sources;
  const std::vector<int64_t> ids = random_tokens(r.batch * r.seq, model.vocab);
  for (int64_t b = 0; b < r.batch; ++b)
    sources.emplace_back(ids.begin() + b * r.seq, ids.begin() + (b + 1) * r.seq);
  TranslateOptions options{.beam = {.beams = r.beams}, .max_new = r.steps, .sentences = r.batch};
  options.beam.rules.suppress_tokens = {model.seq2seq.end, model.seq2seq.pad};
  std::vector<double> times;
  for (int round = 0; round < 1 + r.rounds; ++round) {  // the first one warms up
    const auto start = BenchClock::now();
    translate(model.seq2seq, sources, options);
    if (round > 0) times.push_back(seconds_since(start));
  }
  const double seconds = median_of(times);
  return {.model = benched(r, model),
          .beams = r.beams,
          .seconds = seconds,
          .tokens_per_s = static_cast<double>(r.batch * r.steps) / seconds,
          .peak_rss_mb = peak_rss_mb()};
}

}  // namespace jogak
