#!/usr/bin/env bash
# Every source of src/ and cli/ is compiled alone, for its errors only: a file that forgot an include
# of ours compiles beside others (JOGAK_UNITY) and breaks the build of those who do without.
#
#   scripts/check-alone.sh [FILE...]      CXX names the compiler, JOBS how many at once
#
# Without the files that include cuDNN's headers: those are not Debian's.
# The standard headers that the build precompiles are precompiled here too; scripts/check-headers.py
# looks for those that a file does not include.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

flags=(-std=c++20 -O0 -fopenmp -Isrc -I. -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Werror
  -DHWY_COMPILE_ONLY_STATIC)  # kernels for one instruction set: the others are the same source
sed -n '/^set(common_headers/,/)/p' cmake/folders.cmake | grep -o '<[a-z_]*>' |
  sed 's/^/#include /' >"$work/common.h"
"${CXX:-g++}" "${flags[@]}" -x c++-header "$work/common.h" -o "$work/common.h.gch"

if [ $# -gt 0 ]; then printf '%s\n' "$@"; else find src cli -name '*.cpp' ! -name '*_cudnn.cpp' | LC_ALL=C sort; fi |
  xargs -P "${JOBS:-$(nproc)}" -n 1 \
    "${CXX:-g++}" "${flags[@]}" -include "$work/common.h" -fsyntax-only
