// Inputs and targets of the right shapes and of no meaning: for measuring.
#pragma once

#include <vector>

#include "nn/encoder_model.h"

namespace jogak {

std::vector<int64_t> random_tokens(int64_t count, int64_t vocab);

struct EncoderExample {
  EncoderInput input;
  Tensor targets;  // undefined where the model has no head
};
EncoderExample random_example(const EncoderModel& model, int64_t batch, int64_t seq);

}  // namespace jogak
