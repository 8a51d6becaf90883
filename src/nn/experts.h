// Which rows of a batch go to which expert, and what their results add up to.
#pragma once

#include <functional>
#include <vector>

#include "tensor/tensor.h"

namespace jogak {

// Every row of x [N, C] goes to the experts that `ids` i64 [N, k] names, and their results come
// back weighted by `weights` [N, k]: [N, C]. expert(e, rows) is called once for each expert that
// somebody asked for, with all its rows together; no other is touched. A row's bits do not depend
// on the others.
Tensor through_experts(const Tensor& x, const Tensor& ids, const Tensor& weights, int64_t experts,
                       const std::function<Tensor(int64_t, const Tensor&)>& expert);

// How unevenly experts are asked, as transformers' load_balancing_loss_func: experts * sum of
// (share of the choices) * (mean probability), over all layers' logits [B, T, experts] together; 1
// where all are asked alike and one is chosen. Rows that `real` [B, T] leaves out do not count.
Tensor balance_loss(const std::vector<Tensor>& logits, int64_t chosen, const Tensor& real);

}  // namespace jogak
