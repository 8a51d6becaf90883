#pragma once

#include <cstdint>

namespace jogak {

enum class Activation : uint8_t { none, relu, gelu, gelu_tanh, silu, tanh };

}  // namespace jogak
