#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace jogak {

enum class Activation : uint8_t { none, gelu_tanh, gelu, relu, silu, tanh, quick_gelu, exp };

// What an activation is called.
struct ActivationNames {
  Activation kind;
  const char* op;                   // ours
  const char *title, *gated_title;  // in papers; where it opens the gate of a feed-forward
  const char* config[5];            // in configurations: the first is written, each is read
};

// In the order of the values above.
inline constexpr ActivationNames kActivations[] = {
    {Activation::none, "none", "-", "-", {}},
    {Activation::gelu_tanh,
     "gelu_tanh",
     "GELU",
     "GeGLU",
     {"gelu_new", "gelu_pytorch_tanh", "gelu_fast", "gelu_python_tanh", "gelu_accurate"}},
    {Activation::gelu, "gelu", "GELU", "GeGLU", {"gelu", "gelu_python"}},
    {Activation::relu, "relu", "ReLU", "ReGLU", {"relu"}},
    {Activation::silu, "silu", "SiLU", "SwiGLU", {"silu", "swish"}},
    {Activation::tanh, "tanh", "tanh", "tanh", {"tanh"}},
    {Activation::quick_gelu, "quick_gelu", "GELU", "GeGLU", {"quick_gelu"}},
    {Activation::exp, "exp", "exp", "exp", {}},
};
inline constexpr size_t kActivationCount = std::size(kActivations);

constexpr const ActivationNames& names_of(Activation kind) {
  return kActivations[static_cast<size_t>(kind)];
}

static_assert(
    [] {
      for (size_t i = 0; i < kActivationCount; ++i)
        if (kActivations[i].kind != static_cast<Activation>(i)) return false;
      return true;
    }(),
    "each value of Activation has its row, in order");

}  // namespace jogak
