// Values that the configurations of several families share.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "ops/activation_kind.h"

namespace jogak {

// How many of something a model may have: layers' widths, rows of a table.
inline constexpr Fields::Range kSize{1, 1 << 24};

// Where a key stands; the whole object where it is missing.
const Json& place_of(const Fields& fields, std::string_view key);

// The activation `key` names; an unknown name is an error listing the known ones.
Activation read_activation(const Fields& fields, const char* key, Activation otherwise);
const char* activation_name(Activation kind);
// As papers call it; `gated`: where it opens a gate of a feed-forward with three matrices.
const char* activation_title(Activation kind, bool gated = false);

// A rate of dropout: from 0 up to, but not, 1.
double read_rate(const Fields& fields, const char* key, double otherwise);

// What a norm adds to the variance: more than 0 and less than 1.
double read_epsilon(const Fields& fields, const char* key, double otherwise);

// "auto_map" names Python classes that stand beside the weights. None is ever run: one that goes by
// the name of a family stands for what is built in, as it does in transformers.
void refuse_remote_code(const Fields& fields, std::string_view type);
// "; ... asks for modeling_own.py ..." for a message about a type nobody knows; empty without.
std::string remote_code_asked_for(const Fields& fields);

// "architectures" of a model that writes text may name other heads than `known`'s, which the files
// then hold: labels of texts, spans, an encoder alone.
void refuse_other_heads(const Fields& fields, std::string_view known);

// "quantization_config" may speak of compressed-tensors (io/quantized_files.h) and of nothing else.
void refuse_quantized(const Fields& fields);
// Bits of the values that meet small integers: 8 where its "input_activations" ask for 8, rounded
// in each pass by the largest of a group of columns (`jogak quantize --values 8`), otherwise 16.
int value_bits(const Json& config);

}  // namespace jogak
