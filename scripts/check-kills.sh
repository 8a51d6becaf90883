#!/usr/bin/env bash
# Kills small training runs of every family with SIGKILL, N times (200 unless told), at moments
# spread over the run and at least a third of them inside the writing of a checkpoint. After each
# kill every committed checkpoint must load, and the resumed run must end with the same bits as the
# unbroken one. The test suite does the same 20 times. Minutes, most of them waiting for the disk.
#
#   scripts/check-kills.sh [N] [CLI_TESTS]      # build/tests/cli_tests
set -euo pipefail
cd "$(dirname "$0")/.."
JOGAK_KILLS="${1:-200}" "${2:-build/tests/cli_tests}" --gtest_filter='Killed.*'
