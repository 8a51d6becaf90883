#!/usr/bin/env bash
# Every truncation and every single turned bit of two small model directories (about 65,000 inputs):
# each is refused or runs within its bounds. Every single turned bit of a checkpoint (about 120,000):
# each is detected. Minutes; with a sanitized build some more.
#
#   scripts/check-damage.sh [APP_TESTS]      # build/tests/app_tests, build-asan/tests/app_tests
set -euo pipefail
cd "$(dirname "$0")/.."
tests=${1:-build/tests/app_tests}
JOGAK_DAMAGE_STRIDE=1 "$tests" --gtest_filter='*Damage*'
JOGAK_DAMAGE_STRIDE=1 "$(dirname "$tests")/train_tests" --gtest_filter='Checkpoint.OneFlippedBit*'
