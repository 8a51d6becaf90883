#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/dtype.h"

namespace jogak::cpu {

// y[i] = weight[ids[i]], rows of row_bytes; throws when an id is not in 0 .. vocab-1.
void embedding(const int64_t* ids, int64_t n, int64_t vocab, size_t row_bytes, const void* weight,
               void* y);

struct EmbeddingGrad {
  const int64_t* ids;
  int64_t n, vocab, cols;
  int64_t* first;         // workspace of vocab + 1: where the places of an id begin in `places`
  int64_t* places;        // workspace of n: places sorted by id, in order within an id
  int64_t constant = -1;  // the id whose row stays zero
  bool add = false;       // to what dw holds
};

// dw[v] (+)= sum of dy[i] over the places i of v; (+)= zeros for an id that does not occur.
void embedding_backward(DType dtype, const EmbeddingGrad& g, const void* dy, void* dw);

}  // namespace jogak::cpu
