// The functions we use of cuBLASLt, which is opened at run time.
#pragma once

#include <cublasLt.h>

namespace jogak::cuda {

struct Lt {  // the functions used of it
  decltype(&cublasLtCreate) create = nullptr;
  decltype(&cublasLtMatmul) multiply = nullptr;
  decltype(&cublasLtMatmulDescCreate) make_product = nullptr;
  decltype(&cublasLtMatmulDescSetAttribute) set_product = nullptr;
  decltype(&cublasLtMatrixLayoutCreate) make_layout = nullptr;
  decltype(&cublasLtMatrixLayoutSetAttribute) set_layout = nullptr;
  decltype(&cublasLtMatmulPreferenceCreate) make_wish = nullptr;
  decltype(&cublasLtMatmulPreferenceSetAttribute) set_wish = nullptr;
  decltype(&cublasLtMatmulPreferenceDestroy) drop_wish = nullptr;
  decltype(&cublasLtMatmulAlgoGetHeuristic) propose = nullptr;
  cublasLtHandle_t handle = nullptr;

  Lt();
};

const Lt& lt();  // opens it the first time

void ok(cublasStatus_t status, const char* what);

}  // namespace jogak::cuda
