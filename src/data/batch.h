// What a training step takes: token ids, and for each the token that should follow.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "tensor/tensor.h"

namespace jogak {

inline constexpr int64_t kIgnored = -100;  // a target that does not count

struct Batch {
  Tensor ids;          // i64 [B, T]
  Tensor targets;      // i64 [B, T]
  int64_t tokens = 0;  // targets that count: what a sum of losses is divided by
};

template <class F>
void each_input(Batch& b, F f) {
  f(b.ids), f(b.targets);
}
inline int64_t counted(const Batch& b) { return b.tokens; }

// One example to take: its index, and the index of the pass over the data.
struct Pick {
  int64_t index = 0, epoch = 0;
  bool operator==(const Pick&) const = default;
};

// Text to token ids; any tokenizer fits.
using Encode = std::function<std::vector<int>(std::string_view)>;

}  // namespace jogak
