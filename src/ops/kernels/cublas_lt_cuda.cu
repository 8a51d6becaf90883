#include "ops/kernels/cublas_lt.cuh"

#include <string>

#include "base/shared_library.h"
#include "tensor/cuda_check.cuh"

namespace jogak::cuda {

Lt::Lt() {
  const SharedLibrary library("cuBLASLt",
                              {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"});
  library.load(create, "cublasLtCreate");
  library.load(multiply, "cublasLtMatmul");
  library.load(make_product, "cublasLtMatmulDescCreate");
  library.load(set_product, "cublasLtMatmulDescSetAttribute");
  library.load(make_layout, "cublasLtMatrixLayoutCreate");
  library.load(set_layout, "cublasLtMatrixLayoutSetAttribute");
  library.load(make_wish, "cublasLtMatmulPreferenceCreate");
  library.load(set_wish, "cublasLtMatmulPreferenceSetAttribute");
  library.load(drop_wish, "cublasLtMatmulPreferenceDestroy");
  library.load(propose, "cublasLtMatmulAlgoGetHeuristic");
  ensure<DeviceError>(create(&handle) == CUBLAS_STATUS_SUCCESS, library.path(),
                      ": cuBLASLt does not start");
}

const Lt& lt() {
  static const Lt* const library = new Lt;
  return *library;
}

void ok(cublasStatus_t status, const char* what) {
  ensure<DeviceError>(status == CUBLAS_STATUS_SUCCESS, "cuda: cuBLASLt: ", what, ": status ",
                      static_cast<int>(status));
}

std::string find_cublas() {
  try {
    lt();
  } catch (const DeviceError& error) {
    return error.what();
  }
  return {};
}

}  // namespace jogak::cuda
