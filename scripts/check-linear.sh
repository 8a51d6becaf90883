#!/usr/bin/env bash
# Encodes long texts with each tokenizer: twice the text may take at most 2.2 times the time, on a
# stack of 256 KB.
#
#   scripts/check-linear.sh build/tests/text_tests TOKENIZER...     [MEGABYTES=16]
set -euo pipefail
tests=${1:?usage: $0 TEXT_TESTS TOKENIZER...}
shift
status=0
for tokenizer in "$@"; do
  echo "$tokenizer"
  (ulimit -s 256
    JOGAK_LINEAR_TOKENIZER=$tokenizer JOGAK_LINEAR_MEGABYTES=${MEGABYTES:-16} \
      "$tests" --gtest_filter='Linear.*' --gtest_brief=1 | grep -v '^Running') || status=1
done
exit $status
