#!/usr/bin/env bash
# Unit tests under AddressSanitizer and UndefinedBehaviorSanitizer, and with them the program itself: the
# corpus of malformed files and the server under a mixed load.
#
#   scripts/check-sanitizers.sh [FOLDER...]     of tests/; without one all of them, which takes half an hour
set -euo pipefail
cd "$(dirname "$0")/.."

cmake --preset asan
if [ $# -eq 0 ]; then
  cmake --build build-asan
  exec scripts/run-ctest.sh build-asan -L unit
fi
cmake --build build-asan --target jogak_cli "${@/%/_tests}"
names=$(printf '%s|' "$@")
exec scripts/run-ctest.sh build-asan -R "^(${names}malformed|serve-models|serve-load)$"
