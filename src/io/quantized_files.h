// Matrices of small integers in model files, as compressed-tensors keeps them:
//   8 bits   x.weight i8 [rows, cols], x.weight_scale [rows, groups]
//   packed   x.weight_packed i32 [rows, words], x.weight_scale, x.weight_shape [2]
// and x.weight_zero_point where zero is not in the middle.
#pragma once

#include <string>
#include <vector>

#include "io/tensor_source.h"
#include "tensor/packed.h"

namespace jogak {

// `name` is the weight's own: "x.weight", whichever tensors it is made of.
bool is_quantized(const ModelFiles& files, const std::string& name);
std::vector<std::string> quantized_names(const ModelFiles& files, const std::string& name);
Shape quantized_shape(const ModelFiles& files, const std::string& name);

// FormatError for anything but whole groups, scales above 0 and zeros that fit their bits.
QuantizedMatrix read_quantized(const ModelFiles& files, const std::string& name);

// A scale of a matrix that is not there: of one tied to another, which transformers wants.
bool is_spare_scale(const ModelFiles& files, const std::string& name);

// The tensors of a matrix, made when they are written: all from one call of `make`, which may be
// called again. 8 bits as i8, 4 bits packed.
struct QuantizedPlan {
  std::string name;
  Shape shape;  // [rows, cols]
  int bits = 8;
  int64_t group = 0;
};
TensorSources quantized_sources(const QuantizedPlan& plan,
                                const std::function<QuantizedMatrix()>& make);

}  // namespace jogak
