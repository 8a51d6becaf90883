#!/usr/bin/env bash
# All tests: installs what they need, checks formatting and includes, builds, and runs CTest.
# Arguments go to CTest, for example: scripts/test.sh -R base
set -euo pipefail
cd "$(dirname "$0")/.."

step() { printf '\n==> %s\n' "$*"; }

step "1/5 Debian packages"
scripts/install-packages.sh --tests
step "2/5 Formatting"
scripts/check-format.sh
step "3/5 Includes"
scripts/check-includes.sh
echo "Includes: every folder keeps to its row."
step "4/5 Building"
cmake --preset release -DJOGAK_TESTS=ON
cmake --build build
step "5/5 Tests"
scripts/run-ctest.sh build "$@"
