#include "app/data/random_example.h"

#include "base/random.h"

namespace jogak {

std::vector<int64_t> random_tokens(int64_t count, int64_t vocab) {
  Rng rng(1);
  std::vector<int64_t> out(static_cast<size_t>(count));
  for (int64_t& id : out) id = static_cast<int64_t>(rng.below(static_cast<uint64_t>(vocab)));
  return out;
}

EncoderExample random_example(const EncoderModel& m, int64_t batch, int64_t seq) {
  EncoderExample out;
  if (m.task == EncoderTask::forecast) {
    out.input.values = randn({batch, m.context, m.channels}, Rng(1));
    out.targets = randn({batch, m.horizon, m.channels}, Rng(2));
    return out;
  }
  out.input.values = m.vocab > 0 ? from_values(random_tokens(batch * seq, m.vocab), {batch, seq})
                                 : randn({batch, m.channels, m.image[0], m.image[1]}, Rng(1));
  switch (m.task) {
    case EncoderTask::fill: out.targets = out.input.values; break;
    case EncoderTask::answer: out.targets = zeros({batch, 2}, DType::i64); break;
    case EncoderTask::detect:
    case EncoderTask::tag: out.targets = zeros({batch, seq}, DType::i64); break;
    case EncoderTask::classify: {
      const bool numbers = m.labels.problem == Problem::regression ||
                           m.labels.problem == Problem::multi_label || m.labels.count() == 1;
      out.targets = numbers ? zeros({batch, m.labels.count()}) : zeros({batch}, DType::i64);
      break;
    }
    case EncoderTask::embed:
    case EncoderTask::forecast: break;
  }
  return out;
}

}  // namespace jogak
