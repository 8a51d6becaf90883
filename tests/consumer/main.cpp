// What a user of the library writes: tensors made, put through an op, and shown.
#include <jogak/base/error.h>
#include <jogak/base/format.h>
#include <jogak/ops/softmax.h>
#include <jogak/tensor/tensor.h>

#include <iostream>

int main() {
  const jogak::Tensor x = jogak::from_values<float>({0, 1, 2, 3, 3, 3}, {2, 3});
  const jogak::Tensor y = jogak::softmax(x);  // [2, 3]
  std::cout << "softmax of " << x.shape() << ":";
  for (const float value : jogak::to_host<float>(y)) std::cout << " " << jogak::fixed(value, 3);
  std::cout << "\n";
  try {
    jogak::softmax(jogak::scalar(1));
  } catch (const jogak::ShapeError& error) {
    std::cout << "refused: " << error.what() << "\n";
  }
}
