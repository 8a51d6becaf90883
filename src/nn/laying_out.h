// Weights that are read many times, laid out for products when a model is opened (tensor/tiles.h).
#pragma once

#include "tensor/tensor.h"

namespace jogak {

// While one lives, what this thread opens for reading alone, on a CPU and in f32, keeps its
// matrices of floats in tiles; what learns or is divided among processes stays as it is.
class LayingOut {
 public:
  // Of what has memory of its own, and would be there twice: the words' table of a fresh model.
  enum class Tables : uint8_t { in_files, all };

  explicit LayingOut(Tables heads = Tables::in_files);
  ~LayingOut();
  LayingOut(const LayingOut&) = delete;
  LayingOut& operator=(const LayingOut&) = delete;

  static const LayingOut* now();  // of this thread; null: nothing is asked for

 private:
  friend Tensor scoring(const Tensor& table);
  const Tables heads_;
  const LayingOut* const before_;
};

// The words' table as the matrix of a head that scores them: the same numbers in tiles, where they
// are asked for and the table, of which look_up() reads few rows, may stay in its file.
Tensor scoring(const Tensor& table);

}  // namespace jogak
