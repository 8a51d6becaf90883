#include "score/bootstrap.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "base/parallel.h"
#include "base/random.h"

namespace jogak {

Interval interval_of(std::vector<double> scores) {
  ensure<Error>(!scores.empty(), "an interval of no scores");
  std::sort(scores.begin(), scores.end());
  const size_t cut = scores.size() / 40;  // 2.5 % at each end
  const double sum = std::accumulate(scores.begin(), scores.end(), 0.0);
  return {sum / static_cast<double>(scores.size()),
          (scores[scores.size() - cut - 1] - scores[cut]) / 2};
}

Interval bootstrap_interval(int64_t lines, const Bootstrap& options, const ResampleScore& score) {
  ensure<UsageError>(options.resamples >= 1 && options.resamples <= 1'000'000, options.resamples,
                     " resamples asked for, wanted 1 to 1000000");
  ensure<Error>(lines >= 1 && lines <= INT32_MAX, "an interval over ", lines, " lines");
  std::vector<double> scores(static_cast<size_t>(options.resamples));
  parallel_for(options.resamples, 16, [&](int64_t begin, int64_t end) {
    std::vector<int64_t> drawn(static_cast<size_t>(lines));
    for (int64_t r = begin; r < end; ++r) {
      Philox4 words{};
      for (int64_t i = 0; i < lines; ++i) {
        if (i % 4 == 0)
          words = philox(options.seed, static_cast<uint64_t>(r), static_cast<uint64_t>(i / 4));
        drawn[static_cast<size_t>(i)] =
            static_cast<int64_t>(uint64_t{words[i % 4]} * static_cast<uint64_t>(lines) >> 32);
      }
      scores[static_cast<size_t>(r)] = score(drawn);
    }
  });
  return interval_of(std::move(scores));
}

std::string bootstrap_signature(const Bootstrap& options) {
  return options.resamples > 0 ? text_of("|bs:", options.resamples, "|seed:", options.seed) : "";
}

}  // namespace jogak
