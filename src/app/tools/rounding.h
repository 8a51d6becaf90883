// Rounding that minds what a layer reads: the error of each column is made up for by those behind
// it, so that the layer's outputs change least (the idea of GPTQ).
#pragma once

#include "app/tools/moments.h"
#include "tensor/packed.h"

namespace jogak {

struct RoundedMatrix {
  QuantizedMatrix matrix;
  double error = 0;    // of the outputs on what was read: |X (W - Q)^T| / |X W^T|
  double nearest = 0;  // the same of rounding to nearest
};

// W [rows, cols] in `bits`, one scale for `group` columns, for inputs with these moments. A row
// for which rounding to nearest is better has that. With E = W - Q and H = M M^T the error is
// |E M|^2; M is triangular, so column j of it depends on columns up to j of E alone, and q_j is the
// number nearest to w_j + sum_{i < j} e_i m_ij / m_jj.
RoundedMatrix rounded_for(const Tensor& w, int bits, int64_t group, const Moments& moments);

}  // namespace jogak
