#!/usr/bin/env bash
# Trains a small model of every family for STEPS steps (500 unless told) with 1, 2, 3 and 4
# processes, which must end with equal SHA-256 of weights and optimizer; then kills or stops a random
# process of a run at a random moment, KILLS times (200 unless told): the others must end within ten
# seconds with exit code 75 and its name, and the run must go on with another number of processes to
# the bits of the undisturbed one. The test suite does the same for a few steps and kills.
#
#   scripts/check-processes.sh [STEPS] [KILLS] [BUILD]      # build
#   JOGAK_PROCESS_FAMILIES="lab timesfm" scripts/check-processes.sh 500 0      # some of the families
#   JOGAK_PROCESS_SEED=8 scripts/check-processes.sh 1 50      # other moments to kill at
set -euo pipefail
cd "$(dirname "$0")/.."
tests=${3:-build}/tests
JOGAK_PROCESS_STEPS="${1:-500}" "$tests/cli_tests" --gtest_brief=1 \
  --gtest_filter='Processes.OneTwoThreeAndFour*'
JOGAK_PROCESS_KILLS="${2:-200}" "$tests/cli_tests" --gtest_brief=1 \
  --gtest_filter='Processes.OneThatIsKilled*'
