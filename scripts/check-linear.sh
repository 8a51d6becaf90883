#!/usr/bin/env bash
# Encodes long texts with each tokenizer: twice the text may take at most 2.2 times the time, on a
# stack of 256 KB.
#
#   scripts/check-linear.sh build/tests/text_tests [TOKENIZER...]
#
# Without a TOKENIZER: every family and every kind of .model among the goldens, and a million added
# tokens. MEGABYTES=16 is the longer text; KINDS=a,letters takes some of the texts only.
set -euo pipefail
tests=${1:?usage: $0 TEXT_TESTS [TOKENIZER...]}
shift
export JOGAK_LINEAR_MEGABYTES=${MEGABYTES:-16}
[ -z "${KINDS:-}" ] || export JOGAK_LINEAR_KINDS=",$KINDS,"
if [ $# = 0 ]; then
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  python3 "$(dirname "$0")/../fuzz/make_seeds.py" "$folder"
  set -- "$folder"/tokenizers/*
  JOGAK_LINEAR_ADDED=1 "$tests" --gtest_filter=Linear.AMillionAddedTokens --gtest_brief=1 |
    grep -v '^Running'
fi
status=0
for tokenizer in "$@"; do
  basename "$tokenizer"
  (ulimit -s 256
    JOGAK_LINEAR_TOKENIZER=$tokenizer "$tests" --gtest_filter=Linear.Twice* --gtest_brief=1 |
      grep -v '^Running') || status=1
done
exit $status
