#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/dtype.h"
#include "tensor/launch.h"

namespace jogak {

// y[i] = weight[ids[i]]; an id that is not in 0 .. vocab-1 is an error.
struct EmbeddingArgs {
  const int64_t* ids;
  int64_t count, vocab;
  size_t row_bytes;
  const void* weight;
  void* y;
};

// dw[v] (+)= sum of dy[i] over the places i of v; (+)= zeros for an id that does not occur.
struct EmbeddingBackwardArgs {
  DType dtype;
  const int64_t* ids;
  int64_t n, vocab, cols;
  int64_t* first;         // workspace of vocab + 1: where the places of an id begin in `places`
  int64_t* places;        // workspace of n: places sorted by id, in order within an id
  int64_t constant = -1;  // the id whose row stays zero
  bool add = false;       // to what dw holds
  const void* dy;
  void* dw;
};

void run(OnCpu, const EmbeddingArgs& a);
void run(OnCpu, const EmbeddingBackwardArgs& a);

namespace cuda {
void run(OnCuda, const EmbeddingArgs& a);
void run(OnCuda, const EmbeddingBackwardArgs& a);
}  // namespace cuda

}  // namespace jogak
