#include "nn/config_keys.h"

#include <algorithm>
#include <cctype>

namespace jogak {
namespace {

constexpr struct {
  const char* name;
  Activation kind;
} kActivations[] = {{"gelu_new", Activation::gelu_tanh},
                    {"gelu_pytorch_tanh", Activation::gelu_tanh},
                    {"gelu_fast", Activation::gelu_tanh},
                    {"gelu_python_tanh", Activation::gelu_tanh},
                    {"gelu_accurate", Activation::gelu_tanh},
                    {"gelu", Activation::gelu},
                    {"gelu_python", Activation::gelu},
                    {"relu", Activation::relu},
                    {"silu", Activation::silu},
                    {"swish", Activation::silu},
                    {"tanh", Activation::tanh}};

}  // namespace

Activation read_activation(const Fields& fields, const char* key, const char* otherwise) {
  const std::string name = fields.text_or(key, otherwise);
  for (const auto& known : kActivations)
    if (name == known.name) return known.kind;
  fields.wrong(fields.at(key), key,
               "gelu_new, gelu, relu, silu, tanh or another name for one of them");
}

const char* activation_name(Activation kind) {
  for (const auto& known : kActivations)
    if (known.kind == kind) return known.name;
  fail<Error>("no configuration has a name for this activation");
}

double read_rate(const Fields& fields, const char* key, double otherwise) {
  const double value = fields.number_or(key, otherwise);
  if (value < 0 || value >= 1)
    fields.wrong(fields.at(key), key, "a number from 0 up to, but not, 1");
  return value;
}

double read_epsilon(const Fields& fields, const char* key, double otherwise) {
  const double value = fields.number_or(key, otherwise);
  if (!(value > 0 && value < 1)) fields.wrong(fields.at(key), key, "a small positive number");
  return value;
}

void refuse_remote_code(const Fields& fields, std::string_view type) {
  if (!fields.has("auto_map")) return;
  const Fields map = fields.object("auto_map");
  for (const auto& [key, value] : map.json().members()) {
    const std::vector<Json> one = {value};
    for (const Json& name : value.is_array() ? value.items() : one) {
      if (name.is_null()) continue;
      if (!name.is_string()) map.wrong(name, key, "the name of a class");
      std::string own = name.text().substr(name.text().rfind('.') + 1);
      std::transform(own.begin(), own.end(), own.begin(),
                     [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      if (!own.starts_with(type))
        map.wrong(name, key, text_of("a class of ", type, ": remote code is not run"));
    }
  }
}

}  // namespace jogak
