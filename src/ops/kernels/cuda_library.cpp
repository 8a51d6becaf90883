#include "ops/kernels/cuda_library.h"

#include <cstdlib>
#include <string_view>

namespace jogak {
namespace cuda {

std::string find_cublas();        // cublas_lt_cuda.cu
std::string attention_kernels();  // attention_cuda.cu

bool any_order() {
  static const bool any = [] {
    const char* const value = std::getenv("JOGAK_CUDA_ANY_ORDER");
    return value && std::string_view(value) == "1";
  }();
  return any;
}

}  // namespace cuda

std::string attention_library() {
  if constexpr (kWithCuda)
    return cuda::attention_kernels();
  else
    return {};
}

std::string missing_cuda_libraries() {
  if constexpr (kWithCuda)
    return cuda::find_cublas();
  else
    return "this program was built without CUDA";
}

}  // namespace jogak
