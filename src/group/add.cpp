#include "group/add.h"

#include <algorithm>
#include <vector>

namespace jogak {
namespace {

// Where waiting for each other costs more than the bytes, one round in which everybody adds
// everything is faster than two in which nothing is sent twice.
constexpr size_t kOneRound = 8192;  // numbers

// parts[p] are those of process p, of which `own` are here already.
void add_in_order(std::span<float> own, int64_t index,
                  const std::vector<std::vector<float>>& parts) {
  const std::vector<float> mine(own.begin(), own.end());
  for (size_t p = 0; p < parts.size(); ++p) {
    const std::vector<float>& part = static_cast<int64_t>(p) == index ? mine : parts[p];
    if (p == 0)
      std::copy(part.begin(), part.end(), own.begin());
    else
      for (size_t i = 0; i < own.size(); ++i) own[i] += part[i];
  }
}

// A stretch of everybody's numbers, added here.
void add_stretch(ProcessGroup& group, std::span<float> values, bool all) {
  const auto [index, count] = group.processes();
  const auto stretch = [&](int64_t process) {
    const size_t n = values.size(), p = static_cast<size_t>(process),
                 of = static_cast<size_t>(count);
    const size_t begin = all ? 0 : n * p / of, end = all ? n : n * (p + 1) / of;
    return values.subspan(begin, end - begin);
  };
  const std::span<float> own = stretch(index);
  std::vector<std::vector<float>> parts(static_cast<size_t>(count));
  std::vector<Outgoing> out;
  std::vector<Incoming> in;
  for (int64_t other = 0; other < count; ++other) {
    if (other == index) continue;
    std::vector<float>& theirs = parts[static_cast<size_t>(other)];
    theirs.resize(own.size());
    out.push_back({other, std::as_bytes(stretch(other))});
    in.push_back({other, bytes_of(std::span(theirs))});
  }
  group.exchange(out, in);
  add_in_order(own, index, parts);
  if (all) return;
  std::vector<std::span<std::byte>> stretches;
  for (int64_t p = 0; p < count; ++p) stretches.push_back(bytes_of(stretch(p)));
  group.share(stretches);
}

}  // namespace

void add_over(ProcessGroup& group, std::span<float> values) {
  add_stretch(group, values, values.size() <= kOneRound);
}

}  // namespace jogak
