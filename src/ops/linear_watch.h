// What linear layers read, shown to whoever asks: weights are rounded by the inputs they meet.
#pragma once

#include <functional>

#include "tensor/tensor.h"

namespace jogak {

// While it lives, every linear layer of this thread shows it its input and its weight [out, in].
// One at a time.
class LinearWatch {
 public:
  using Seen = std::function<void(const Tensor& x, const Tensor& weight)>;
  explicit LinearWatch(Seen seen);
  ~LinearWatch();
  LinearWatch(const LinearWatch&) = delete;
  LinearWatch& operator=(const LinearWatch&) = delete;

 private:
  friend void show_linear(const Tensor& x, const Tensor& weight);
  Seen seen_;
};

void show_linear(const Tensor& x, const Tensor& weight);

}  // namespace jogak
