// What telling which text goes with which image needs of a model that reads both.
#pragma once

#include <functional>

#include "nn/run.h"

namespace jogak {

Tensor of_length_one(const Tensor& rows);  // [N, D], each row divided by its length

struct MatchModel {
  std::function<Tensor(const Tensor& pixels, Run& run)> image;  // -> vectors [B, D], as projected
  // ids i64 [N, T], mask bool [N, T] or undefined -> vectors [N, D].
  std::function<Tensor(const Tensor& ids, const Tensor& mask, Run& run)> text;
  // Vectors of both -> scores [images, texts]: cosines, times a factor that was learnt.
  std::function<Tensor(const Tensor& images, const Tensor& texts)> scores;
  // Of scores where text i belongs to image i: the mean of both ways to tell them apart.
  std::function<Tensor(const Tensor& scores)> loss;
  int64_t vocab = 0, context = 0;  // of texts
};

}  // namespace jogak
