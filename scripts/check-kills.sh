#!/usr/bin/env bash
# Kills small training runs of every family with SIGKILL, N times (200 unless told), at moments
# spread over the run and at least a third of them inside the writing of a checkpoint. After each
# kill every committed checkpoint must load, and the resumed run must end with the same bits as the
# unbroken one. The test suite does the same 20 times. Then the power is cut after every system call
# that a commit makes, in some 15,000 images of what a disk may hold. Minutes, most of them waiting
# for the disk.
#
#   scripts/check-kills.sh [N] [BUILD]      # build
set -euo pipefail
cd "$(dirname "$0")/.."
tests=${2:-build}/tests
JOGAK_KILLS="${1:-200}" "$tests/cli_tests" --gtest_brief=1 --gtest_filter='Killed.*'
JOGAK_POWER_CUTS=250 "$tests/train_tests" --gtest_brief=1 --gtest_filter='Commit.*'
