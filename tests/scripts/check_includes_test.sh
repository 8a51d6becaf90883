#!/usr/bin/env bash
# Proves scripts/check-includes.sh: the tree as it is passes, and each wrong line is refused.
set -euo pipefail
script=$(cd "$(dirname "$0")/../.." && pwd)/scripts/check-includes.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# check FILE LINE WANTED: a tree with this one line in this file must give exactly this output.
check() {
  rm -rf "$work/tree"
  mkdir -p "$work/tree/$(dirname "$1")"
  printf '%s\n' "$2" >"$work/tree/$1"
  local got status=0 expected=1
  [ -z "$3" ] && expected=0
  got=$("$script" -C "$work/tree" 2>&1) || status=$?
  if [ "$got" != "$3" ] || [ $status -ne $expected ]; then
    echo "FAILED: $1: $2"
    echo "  wanted: $3"
    echo "  got ($status): $got"
    failures=$((failures + 1))
  fi
}

"$script" || failures=1

good() { check "$1" "$2" ""; }
good src/base/a.cpp '#include <vector>'
good src/base/a.cpp '#include "base/b.h"'
good src/text/a.cpp '#include "base/b.h"'
good src/ops/a.cpp '#include "autograd/b.h"'
good src/nn/a.cpp '#include "io/b.h"'
good src/app/a.cpp '#include "models/b.h"'
good src/train/a.cpp '#include "data/b.h"'
good cli/a.cpp '#include "app/b.h"'
good src/ops/a_cpu.cpp '#include <hwy/highway.h>'
good src/ops/a-inl.h '#include <hwy/highway.h>'
good src/ops/a_cpu.cpp '#include HWY_TARGET_INCLUDE'
good src/ops/a_cuda.cu '#include <cuda_runtime.h>'
good src/tensor/cuda.cuh '#include <cuda_bf16.h>'
good src/ops/kernels/attention_cudnn.cpp '#include <cudnn_frontend.h>'
good src/app/a.cpp '#include <toml++/toml.h>'
good src/base/a.cpp '#include <zlib.h>'
good src/base/a.cpp 'snprintf(b, 3, "x"); file_system(); // no system("x") here'

own() { check "$1" "#include \"$2\"" "$1:1: $3 includes \"$2\", it may include $4 only"; }
own src/base/a.cpp text/b.h base "base"
own src/text/a.h tensor/b.h text "text base"
own src/tensor/a.cpp autograd/b.h tensor "tensor base"
own src/ops/a.cpp nn/b.h ops "ops base tensor autograd"
own src/train/a.cpp models/b.h train "train base tensor autograd ops io nn data group"
own src/train/deep/a.cpp text/b.h train "train base tensor autograd ops io nn data group"
own src/generate/a.cpp models/b.h generate "generate base tensor autograd ops io nn text"
own src/score/a.cpp tensor/b.h score "score base"
own cli/a.cpp tensor/b.h cli "cli app base server"
own src/app/a.cpp cli/b.h app "app *"
check src/base/a.cpp '  #  include "text/b.h"  // why' \
  'src/base/a.cpp:1: base includes "text/b.h", it may include base only'
check src/base/a.cpp '#include "b.h"' \
  'src/base/a.cpp:1: "b.h" is included without its folder, wanted "base/b.h"'
check src/base/a.cpp '#include "../text/b.h"' \
  'src/base/a.cpp:1: "../text/b.h": no folder of src is called ..'
check src/misc/a.cpp 'int x;' 'src/misc/a.cpp:0: the folder misc has no rule'

outside() { check "$1" "#include <$2>" "$1:1: <$2> may be included in $3 only"; }
outside src/ops/softmax.cpp hwy/highway.h 'src/ops/*_cpu.cpp and *-inl.h'
outside src/nn/a_cpu.cpp hwy/highway.h 'src/ops/*_cpu.cpp and *-inl.h'
outside src/text/a.cpp pcre2.h nowhere
outside src/text/a.cpp utf8proc.h nowhere
outside cli/a.cpp toml++/toml.h 'one file of src/app'
outside src/ops/a_cuda.cu cudnn.h src/ops/kernels/attention_cudnn.cpp
outside src/nn/a.cpp cuda_runtime.h '*.cu and *.cuh of src/tensor and src/ops'
outside src/tensor/a.cpp cublasLt.h '*.cu and *.cuh of src/tensor and src/ops'
outside src/io/a.cpp zlib.h src/base
outside src/data/a.cpp zstd.h src/base
outside src/base/a.cpp gtest/gtest.h tests
outside src/text/a.cpp regex nowhere
outside src/base/hash.cpp immintrin.h '*_x86.cpp of src/base'
outside src/ops/a_cpu.cpp arm_neon.h '*_x86.cpp of src/base'
good src/base/a_x86.cpp '#include <nmmintrin.h>'
good src/base/hash/a_x86.cpp '#include <nmmintrin.h>'
check src/base/parallel.cpp '#include <omp.h>' \
  'src/base/parallel.cpp:1: <omp.h> may be included in nowhere only'

banned() { check src/base/a.cpp "$1" "src/base/a.cpp:1: $2 is not used here"; }
banned 'std::regex r("a");' std::regex
banned '  system("ls");' system
banned 'std::system ("ls");' system
banned 'FILE* f = popen("ls", "r");' popen
banned 'strcpy(a, b);' strcpy
banned 'std::sprintf(a, "x");' sprintf
banned 'int n = atoi(text);' atoi
banned 'int n = std::stoi(text);' std::stoi
banned 'void* p = alloca(n);' alloca
banned '#pragma GCC optimize("fast-math")' fast-math
check CMakeLists.txt 'add_compile_options(-ffast-math)' \
  'CMakeLists.txt:1:add_compile_options(-ffast-math)
fast-math is not used here'

# Two files of src/app with toml++ are one too many.
rm -rf "$work/tree"
mkdir -p "$work/tree/src/app"
echo '#include <toml++/toml.h>' | tee "$work/tree/src/app/a.cpp" >"$work/tree/src/app/b.cpp"
if "$script" -C "$work/tree" >"$work/out"; then
  echo "FAILED: two files with toml++ were accepted"
  failures=1
fi
grep -q 'src/app/b.cpp:1: <toml++/toml.h> may be included in one file only' "$work/out" || failures=1

# Rooms.
room() { check "$1" "#include \"$2\"" "$1:1: $3 includes \"$2\""; }
room src/text/regex/a.cpp text/models/b.h text/regex
room src/text/a.cpp text/train/b.h text
room src/ops/kernels/a-inl.h ops/softmax.h ops/kernels
room src/models/encoders/a.cpp models/images/b.h models/encoders
room src/models/a.cpp models/decoders/b.h models
room src/app/use/a.cpp app/tools/b.h app/use
room src/app/models/a.cpp app/train/train.h app/models
good src/app/models/a.cpp '#include "app/train/recipe.h"'
good src/ops/kernels/a-inl.h '#include "ops/softmax_kernel.h"'
good src/text/stages/a.cpp '#include "text/regex/b.h"'
good src/text/stages/a.cpp '#include "text/reading.h"'

# Standard headers that the build precompiles are included all the same.
check src/base/a.h 'std::vector<int> a;' 'src/base/a.h: std::vector without <vector>'
good src/base/a.h '#include <vector>
std::vector<int> a;  // std::map'
good src/base/a.cpp 'const char* a = "std::map";'

# Files that include each other, directly or around; a header and its own sources may.
circle() {
  rm -rf "$work/tree"
  mkdir -p "$work/tree/src/base" "$work/tree/src/data"
  while [ $# -gt 0 ]; do
    echo "#include \"$2\"" >>"$work/tree/$1"
    shift 2
  done
  "$script" -C "$work/tree" >"$work/out" 2>&1
}
if circle src/base/a.h base/b.h src/base/b.h base/c.h src/base/c.cpp base/a.h; then
  echo "FAILED: a circle of three was accepted"
  failures=1
fi
wanted='src/base/a.h:1: includes "base/b.h"; src/base/b.h:1: includes "base/c.h"; src/base/c.cpp:1: includes "base/a.h": a circle (3 stems in it)'
if [ "$(cat "$work/out")" != "$wanted" ]; then
  echo "FAILED: a circle of three gave: $(cat "$work/out")"
  failures=1
fi
if circle src/base/a.h base/b.h src/base/b_cpu.cpp base/a.h; then
  echo "FAILED: a circle through b_cpu.cpp was accepted"
  failures=1
fi
if ! circle src/base/a.cpp base/a.h src/base/a.h base/b.h src/data/a.h base/a.h; then
  echo "FAILED: files without a circle gave: $(cat "$work/out")"
  failures=1
fi

[ $failures -eq 0 ] && echo "all good"
