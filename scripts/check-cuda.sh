#!/usr/bin/env bash
# That the CUDA kernels compile, for one architecture. Without nvcc there is nothing to do, and what
# takes longer than the limit is left for the next time: a compiler cache makes that short.
#
#   scripts/check-cuda.sh [SECONDS]      at most so long; 300 unless told
set -euo pipefail
cd "$(dirname "$0")/.."

limit=${1:-300}
if ! command -v nvcc >/dev/null && [ ! -x /usr/local/cuda/bin/nvcc ]; then
  echo "CUDA: no nvcc here, nothing is compiled."
  exit 0
fi
cmake --preset cuda -DJOGAK_CUDA_ARCHITECTURES=90 -DJOGAK_TESTS=OFF
status=0
timeout "$limit" cmake --build build-cuda --target cuda_kernels || status=$?
if [ $status -eq 124 ]; then
  echo "CUDA: not all kernels were compiled within $limit s; those that were are right."
  status=0
fi
exit $status
