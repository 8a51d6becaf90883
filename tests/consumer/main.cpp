// What a user of the library writes: tensors multiplied, a tokenizer loaded, errors caught.
#include <jogak/base/error.h>
#include <jogak/ops/matmul.h>
#include <jogak/tensor/tensor.h>
#include <jogak/text/tokenizer.h>

#include <iostream>
#include <string>

int main(int argc, char** argv) {
  const jogak::Tensor a = jogak::from_values<float>({1, 2, 3, 4, 5, 6}, {2, 3});
  const jogak::Tensor b = jogak::from_values<float>({1, 0, 0, 1, 1, 1}, {3, 2});
  const jogak::Tensor y = jogak::matmul(a, b);  // [2, 2]
  std::cout << a.shape() << " x " << b.shape() << " =";
  for (const float value : jogak::to_host<float>(y)) std::cout << " " << value;
  std::cout << "\n";
  try {
    jogak::matmul(a, a);
  } catch (const jogak::ShapeError& error) {
    std::cout << "refused: " << error.what() << "\n";
  }
  const auto tokenizer = jogak::Tokenizer::load(argc > 1 ? argv[1] : "tokenizer.json");
  const std::string text = "안녕, hello";
  const std::vector<int> ids = tokenizer.encode_ids(text);
  std::cout << (tokenizer.decode(ids) == text ? "tokens go round" : "tokens are lost") << "\n";
}
