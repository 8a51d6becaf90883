// From the vectors of a text's tokens to one vector of the text, as sentence-transformers does.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/json.h"

namespace jogak {

enum class Pool : uint8_t { cls, mean, max, mean_sqrt, weighted_mean, last };

// A layer after the pooling: tanh(W x + b), or without the tanh.
struct DenseModule {
  size_t in = 0, out = 0;
  std::vector<float> weight, bias;  // [out, in]; [out], or empty
  bool tanh = false;
  std::vector<float> operator()(const std::vector<float>& x) const;
};

// What a directory says about its vectors. Without modules.json: the mean, of any length, of the
// directory's own model.
struct SentenceModules {
  std::string model;                       // the directory of the model
  std::vector<Pool> pools = {Pool::mean};  // more than one stand side by side
  std::vector<DenseModule> dense = {};     // one after the other
  bool normalize = false;                  // to length 1
  bool lowercase = false;                  // the text, before the tokenizer
  int64_t longest = 0;                     // tokens of a text; 0: not said
};
SentenceModules read_sentence_modules(const std::string& directory);

// Rows [tokens, width] of one text, padding left out -> width * pools numbers.
std::vector<float> pooled_vector(std::span<const float> rows, size_t width,
                                 std::span<const Pool> pools);
void normalize(std::vector<float>& vector);  // a vector of zeros stays

double cosine(std::span<const float> a, std::span<const float> b);

}  // namespace jogak
